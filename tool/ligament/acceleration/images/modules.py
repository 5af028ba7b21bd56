# SPDX-License-Identifier: Apache-2.0
"""Modules of a kernel that an initramfs has to load, with those that they need, in order.

What a module needs is read from the module (`depends=` of its `.modinfo`), as depmod does.
"""

from __future__ import annotations

import lzma
import re
from collections.abc import Iterable

from ligament.acceleration.images.tree import Entry, Tree
from ligament.errors import InputError, no_such

FOLDER = "lib/modules"
_DEPENDS = re.compile(rb"\0depends=([^\0]*)\0")
_SUFFIX = re.compile(r"\.ko(\.xz)?$")


def module_tree(kernel: Tree, names: Iterable[str]) -> Tree:
    """Return a tree with the modules, and `etc/modules`: their paths in the order of loading.

    Raise InputError for a name that is neither a module nor part of the kernel.
    """
    folder = kernel.resolved(FOLDER) + "/"
    found = {
        _name(e.path): e for e in kernel if e.path.startswith(folder) and _SUFFIX.search(e.path)
    }
    built_in = {
        _name(line)
        for e in kernel
        if e.path.startswith(folder) and e.path.endswith("/modules.builtin")
        for line in e.read().decode().split()
    }
    order: dict[str, bytes] = {}

    def add(name: str) -> None:
        name = name.replace("-", "_")
        if name in order or name in built_in:
            return
        if name not in found:
            text = f"the kernel has no module '{name}'"
            raise InputError(no_such("boot-module", text, name, [*found, *built_in]))
        data = _plain(found[name])
        order[name] = b""  # before what it needs: a circle ends here
        for needed in _depends(data):
            add(needed)
        order.pop(name)
        order[name] = data

    for name in names:
        add(name)
    tree = Tree()
    for name, data in order.items():
        tree.add(Entry(f"{FOLDER}/{name}.ko", "file", data=data))
    paths = "".join(f"/{FOLDER}/{name}.ko\n" for name in order)
    tree.add(Entry("etc/modules", "file", data=paths.encode()))
    return tree


def _name(path: str) -> str:
    return _SUFFIX.sub("", path.rpartition("/")[2]).replace("-", "_")


def _plain(entry: Entry) -> bytes:
    data = entry.read()
    return lzma.decompress(data) if entry.path.endswith(".xz") else data


def _depends(data: bytes) -> list[str]:
    found = _DEPENDS.search(data)
    return [n for n in found.group(1).decode(errors="replace").split(",") if n] if found else []
