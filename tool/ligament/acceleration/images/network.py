# SPDX-License-Identifier: Apache-2.0
"""A folder for a TFTP server from which boards start: PXE's layout, one configuration per board.

FOLDER/pxelinux.cfg/01-52-54-00-12-34-56     what the board with this MAC address loads
FOLDER/files/SHA256/vmlinuz                  shared by all boards that load the same
FOLDER/boot.scr.uimg                         for U-Boots that ask for it: read the configuration
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ligament.acceleration.images.bootfiles import extlinux, uboot_script
from ligament.acceleration.images.disk_file import synced
from ligament.acceleration.images.layout import Layout
from ligament.acceleration.images.sources import INSTALL, Sources
from ligament.acceleration.images.tree import Entry, Tree
from ligament.disk import replacing
from ligament.errors import InputError, Problem

_MAC = re.compile(r"[0-9a-f]{2}([:-][0-9a-f]{2}){5}")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,62}")
CONFIGURATIONS, FILES, SCRIPT = "pxelinux.cfg", "files", "boot.scr.uimg"


@dataclass(frozen=True)
class Board:
    """One board: a host name, and the MAC address of the port that it starts from."""

    name: str
    mac: str

    @property
    def configuration(self) -> str:
        """Return the name of its configuration: 01 is Ethernet's number in ARP."""
        return "01-" + self.mac.replace(":", "-")


def boards_of(words: Sequence[str]) -> list[Board]:
    """Return boards from words as NAME=MAC; raise InputError for what is none, or is twice."""
    boards: list[Board] = []
    for word in words:
        name, _, mac = word.partition("=")
        mac = mac.lower()
        if not _NAME.fullmatch(name) or not _MAC.fullmatch(mac):
            expected = "NAME=MAC, as robot1=52:54:00:12:34:56"
            raise InputError(
                Problem("netboot-board", f"'{word}' names no board", expected=expected)
            )
        board = Board(name, mac.replace("-", ":"))
        for other in boards:
            if name == other.name or board.mac == other.mac:
                text = f"'{word}' and '{other.name}={other.mac}' are one board"
                raise InputError(Problem("netboot-board", text))
        boards.append(board)
    return boards


def root_tree(layout: Layout, sources: Sources) -> Tree:
    """Return the root file system with the other partitions' content in place, for memory.

    A partition that holds the install tree comes to /opt/ligament; `init` is what Linux starts.
    """
    if layout.root is None:
        text = f"the image of '{layout.platform.name}' has no root partition"
        raise InputError(Problem("boot-root", text, layout.platform.at("boot", "image")))
    tree = sources.content(layout.root.content)
    for partition in layout.partitions[1:]:
        if not partition.root and partition.holds_install:
            tree.add_tree(sources.content(partition.content), f"/opt/{_folder(INSTALL)}")
    tree.add(Entry("dev/console", "char", 0o600, device=(5, 1)))
    if "init" not in tree.entries:
        tree.add(Entry("init", "link", 0o777, target="sbin/init"))
    return tree


def _folder(source: str) -> str:
    return "ligament" if source == INSTALL else source


def write_folder(
    folder: Path, boards: Sequence[Board], files: Mapping[str, bytes], arguments: Mapping[str, str],
    architecture: str,
) -> list[str]:  # fmt: skip
    """Write files and configurations, these last; return the paths that are new or changed.

    `arguments`: the kernel's command line by board. Boards of earlier calls stay as they are.
    """
    digest = hashlib.sha256()
    for name, data in sorted(files.items()):
        digest.update(f"{name}\0{len(data)}\0".encode() + hashlib.sha256(data).digest())
    place = f"{FILES}/{digest.hexdigest()}"
    written = [
        path for name, data in files.items() if _put(folder, path := f"{place}/{name}", data)
    ]
    if _put(folder, SCRIPT, uboot_script("pxe get\npxe boot\n", architecture)):
        written.append(SCRIPT)
    for board in boards:
        text = extlinux(arguments[board.name], files, f"{place}/")
        path = f"{CONFIGURATIONS}/{board.configuration}"
        if _put(folder, path, text.encode()):
            written.append(path)
    return written


def _put(folder: Path, path: str, data: bytes) -> bool:
    target = folder / path
    if target.is_file() and target.read_bytes() == data:
        return False
    target.parent.mkdir(parents=True, exist_ok=True)
    with replacing(target, len(data)) as partial:
        partial.write_bytes(data)
        partial.chmod(0o644)
        synced(partial)
    return True
