# SPDX-License-Identifier: Apache-2.0
"""What `hypervisor` has written, read back as boot loader, Xen and xl would: is it whole?

It knows only the folder and the description, not the code that wrote it. The device tree is read by
fdtget, which is not ours.

faults = faults_of(folder, document.data, layout.boot)
faults = image_faults("UUID=...", boot, root, document.data, layout.boot)
"""

from __future__ import annotations

import json
import shlex
import struct
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from ligament.acceleration.images import tools
from ligament.errors import FailureError

_NODES = "/fragment@0/__overlay__"
_MIB, _KIB = 1 << 20, 1 << 10


@dataclass
class _Written:
    """The folder as it is read."""

    folder: Path
    guests: Path | None = None
    """The control domain's root file system; None: all files of a folder lie side by side."""
    addresses: dict[str, int] = field(default_factory=dict)
    """Where the script puts a file, by name."""
    commands: list[list[str]] = field(default_factory=list)
    """What the script does to the device tree."""
    started: list[str] = field(default_factory=list)
    """What the script tells `booti`."""
    memory: int = 0
    cores: int = 0

    def size(self, name: str) -> int:
        """Return how long a file is; 0: it is missing or empty. Unit: bytes."""
        path = self.folder / name
        return path.stat().st_size if path.is_file() else 0

    def of_node(self, node: str, name: str, kind: str) -> str:
        """Return a property of the overlay; empty: it is not there."""
        command = ["fdtget", "-d", "", "-t", kind, "xen.dtbo", f"{_NODES}{node}", name]
        return tools.run(command, self.folder, "xen.dtbo cannot be read").stdout.strip()

    def cells(self, node: str, name: str) -> int:
        """Return a number of one or two cells; -1: it is not there."""
        words = self.of_node(node, name, "x").split()
        return int("".join(word.rjust(8, "0") for word in words), 16) if words else -1

    def nodes(self, node: str = "", what: str = "-l") -> list[str]:
        """Return the names of a node's children; `-p`: of its properties."""
        command = ["fdtget", what, "xen.dtbo", f"{_NODES}{node}"]
        return tools.run(command, self.folder, "xen.dtbo cannot be read").stdout.split()


def faults_of(
    folder: Path, described: Mapping[str, Any], boot: Mapping[str, Any], guests: Path | None = None
) -> list[str]:
    """Return what is wrong with a folder, a sentence each; empty: nothing.

    `described`: a domains.yaml; `boot`: of the platform; `guests`: the root file system that has
    the configurations of xl and their files, where it is not the folder.
    """
    written = _Written(folder, guests)
    try:
        faults = [*_script_faults(written), *_loaded_faults(written)]
        if faults:
            return faults
        started = {n: d for n, d in described["domains"].items() if d.get("start") != "xl"}
        by_xl = {n: d for n, d in described["domains"].items() if d.get("start") == "xl"}
        faults += _command_faults(written)
        faults += _tree_faults(written, started, described.get("dom0"), "initramfs" in boot)
        faults += [fault for name in by_xl for fault in _xl_faults(written, name, by_xl[name])]
        return [*faults, *_sum_faults(written, boot["xen"])]
    except (LookupError, TypeError) as error:
        return [f"a command of boot.scr ends too early, or a value is of another kind: {error}"]
    except (FailureError, ValueError, struct.error, OSError) as error:
        return [str(getattr(error, "text", error))]


def _script_faults(written: _Written) -> Iterator[str]:
    """U-Boot checks both checksums of a script before it runs it."""
    places = (written.folder / "boot.scr", written.folder.parent / "boot.scr")
    image = next((p for p in places if p.is_file()), places[0]).read_bytes()
    header, body = image[:64], image[64:]
    magic, check, _, size, _, _, body_check = struct.unpack(">7I", header[:28])
    plain = header[:4] + bytes(4) + header[8:]
    if magic != 0x27051956 or zlib.crc32(plain) != check or size != len(body):
        yield "boot.scr is no script of U-Boot"
        return
    if zlib.crc32(body) != body_check:
        yield "boot.scr has a wrong checksum"
    length = struct.unpack(">I", body[:4])[0]
    for line in body[8 : 8 + length].decode().splitlines():
        words = shlex.split(line)
        if words[:1] == ["load"]:
            written.addresses[words[4].rpartition("/")[2]] = int(words[3], 16)
        if words[:1] == ["fdt"]:
            written.commands.append(words)
        if words[:1] == ["booti"] and not written.started:  # the first does not come back
            written.started = words[1:]


def _loaded_faults(written: _Written) -> Iterator[str]:
    places = sorted((address, name) for name, address in written.addresses.items())
    for _, name in places:
        if not written.size(name):
            yield f"boot.scr loads {name}, which is missing"
    for (first, name), (second, other) in pairwise(places):
        if first + written.size(name) > second:
            yield f"boot.scr loads {other} over the end of {name}"
    if "xen" not in written.addresses:
        yield "boot.scr does not load xen"
    moved = [int(w[3], 16) for w in written.commands if w[1] == "move"]
    if not moved or moved[-1] < places[-1][0] + written.size(places[-1][1]):
        yield "boot.scr moves the device tree over what it loads, or not at all"
        return
    # booti KERNEL RAMDISK DEVICE-TREE: Xen takes ramdisks from the nodes, so here it is `-`.
    wanted = f"{written.addresses.get('xen', 0):#x} - {moved[-1]:#x}"
    if " ".join(written.started).lower() != wanted:
        said = " ".join(["booti", *written.started]) if written.started else "no booti"
        yield f"boot.scr has {said}, and Xen and the device tree want: booti {wanted}"


def _command_faults(written: _Written) -> Iterator[str]:
    """The script makes the nodes of the overlay, with the same values."""
    made = {""} | {f"{w[2]}/{w[3]}".removeprefix("/chosen") for w in written.commands
                   if w[1] == "mknode"}  # fmt: skip
    there = {""} | {f"/{n}" for n in written.nodes()}
    there |= {f"{node}/{n}" for node in there - {""} for n in written.nodes(node)}
    for node in sorted(made ^ there):
        yield f"boot.scr makes {'a' if node in made else 'no'} node {node}, unlike xen.dtbo"
    told: dict[str, set[str]] = {node: set() for node in made & there}
    for _, _, path, name, *values in (w for w in written.commands if w[1] == "set"):
        node = path.removeprefix("/chosen")
        if node not in told:
            continue
        told[node].add(name)
        kind = "x" if "".join(values[:1]).startswith("<") else "s"  # as U-Boot tells them apart
        said = " ".join(values).strip()
        if kind == "x":
            said = said.strip("<>").replace("0x", "")
        if written.of_node(node, name, kind) != said:
            yield f"boot.scr sets {name} of {path} to {said}, unlike xen.dtbo"
    for node in sorted(told):
        for name in sorted(told[node] ^ {*written.nodes(node, "-p")}):
            does = "sets" if name in told[node] else "does not set"
            yield f"boot.scr {does} {name} of /chosen{node}, unlike xen.dtbo"


def _tree_faults(
    written: _Written, domains: Mapping[str, Any], dom0: Mapping[str, Any] | None, initramfs: bool
) -> Iterator[str]:
    """The nodes give each domain what was described.

    `initramfs`: whether the platform has one, which is the ramdisk of an image's control domain.
    """
    nodes = {n.removeprefix("domain-") for n in written.nodes() if n.startswith("domain-")}
    for name in sorted({*domains} ^ nodes):
        yield f"xen.dtbo has {'no' if name in domains else 'a'} domain '{name}'"
    for name in sorted({*domains} & nodes):
        node, told = f"/domain-{name}", domains[name]
        if written.of_node(node, "compatible", "s") != "xen,domain":
            yield f"the node of '{name}' is not of a domain of Xen"
        memory = written.cells(node, "memory") * _KIB
        cores = written.cells(node, "cpus")
        yield from _given(written, name, told, memory, cores)
        yield from _module_faults(written, name, node, told, ("kernel", "ramdisk"))
    if dom0 is not None:
        said = written.of_node("", "xen,dom0-bootargs", "s").split()
        wanted = dom0.get("arguments", "").split()
        if said[: len(wanted)] != wanted or (said != wanted and written.guests is None):
            yield "xen.dtbo has other arguments of the control domain"
        words = written.of_node("", "xen,xen-bootargs", "s").split()
        told = dict(word.split("=", 1) for word in words if "=" in word)
        memory = int(told.get("dom0_mem", "0M").removesuffix("M")) * _MIB
        yield from _given(written, "dom0", dom0, memory, int(told.get("dom0_max_vcpus", "0")))
        has_ramdisk = initramfs or written.guests is None
        kinds = ("kernel", "ramdisk") if has_ramdisk else ("kernel",)
        yield from _module_faults(written, "dom0", "", dom0, kinds)


def _given(
    written: _Written, name: str, told: Mapping[str, Any], memory: int, cores: int
) -> Iterator[str]:
    """What a domain gets: it is added up, and compared with the description."""
    written.memory, written.cores = written.memory + memory, written.cores + cores
    if (memory, cores) != (told["memory_bytes"], told["cores"]):
        yield f"'{name}' gets {memory} bytes and {cores} cores, which is not what was described"


def _module_faults(
    written: _Written, name: str, node: str, told: Mapping[str, Any], kinds: tuple[str, ...]
) -> Iterator[str]:
    """Kernel and ramdisk of a domain lie where the script puts them, whole."""
    found = {n.partition("@")[0]: n for n in written.nodes(node) if n.startswith("module-")}
    for kind in kinds:
        module = found.get(f"module-{kind}")
        if module is None:
            yield f"'{name}' has no {kind}"
            continue
        words = [int(w, 16) for w in written.of_node(f"{node}/{module}", "reg", "x").split()]
        address, size = (words[0] << 32) + words[1], (words[2] << 32) + words[3]
        there = [n for n, a in written.addresses.items() if a == address]
        if not there or written.size(there[0]) != size:
            yield f"the {kind} of '{name}' is said to lie at {address:#x}, with {size} bytes"
        if kind == "kernel" and "kernel" in told and there != [f"vmlinuz-{told['kernel']}"]:
            yield f"'{name}' gets another kernel than {told['kernel']}"
        if kind == "kernel" and node:
            said = written.of_node(f"{node}/{module}", "bootargs", "s")
            yield from _arguments(name, said, told)
        if f"multiboot,{kind}" not in written.of_node(f"{node}/{module}", "compatible", "s"):
            yield f"the {kind} of '{name}' is none for Xen"


def _arguments(name: str, said: str, told: Mapping[str, Any]) -> Iterator[str]:
    if said.split() != (wanted := told.get("arguments", "")).split():
        yield f"'{name}' gets the arguments '{said}', described were '{wanted}'"


def _xl_faults(written: _Written, name: str, told: Mapping[str, Any]) -> Iterator[str]:
    """xl reads `name = value`: a text, a number or a list."""
    configuration = _of_guest(written, f"/etc/xen/{name}.cfg", "xl")
    path = configuration.relative_to(written.guests or written.folder).as_posix()
    if not configuration.is_file():
        yield f"'{name}' has no {path}"
        return
    lines = configuration.read_text(encoding="utf-8").splitlines()
    values = {key.strip(): json.loads(value) for key, _, value in (x.partition("=") for x in lines)}
    if values.get("name") != name:
        yield f"{path} is of another domain"
    for key in ("kernel", "ramdisk"):
        file = str(values.get(key, ""))
        place = _of_guest(written, file)
        if not file or not place.is_file() or not place.stat().st_size:
            yield f"{path} names the {key} '{file}', which is missing"
    yield from _arguments(name, str(values.get("extra", "")), told)
    wanted = [told["disk"]] if told.get("disk") else []
    if (disk := values.get("disk", [])) != wanted:
        yield f"'{name}' gets the disk {disk}, described was {wanted}"
    memory = int(values.get("memory", 0)) * _MIB
    yield from _given(written, name, told, memory, int(values.get("vcpus", 0)))


def _of_guest(written: _Written, path: str, folder: str = "") -> Path:
    """Where a file of the control domain lies here."""
    if written.guests is not None:
        return written.guests / path.lstrip("/")
    return written.folder / folder / path.rpartition("/")[2]


def image_faults(
    named: str, first: Path, root: Path, described: Mapping[str, Any], boot: Mapping[str, Any]
) -> list[str]:
    """Return what is wrong with an image whose first and root partitions lie in these folders.

    `named`: what Linux calls the root partition, as `UUID=...`.
    """
    faults = faults_of(first / "xen", described, boot, root)
    written = _Written(first / "xen")
    if "dom0" in described and not faults:
        said = written.of_node("", "xen,dom0-bootargs", "s").split()
        if f"root={named}" not in said:
            faults.append(f"the control domain's root is not the root partition: {' '.join(said)}")
    by_xl = [n for n, told in described["domains"].items() if told.get("start") == "xl"]
    if by_xl and not has_xl(root):
        faults.append(f"the control domain has no xl, which starts {', '.join(by_xl)}")
    return faults


def has_xl(root: Path) -> bool:
    """Return whether a root file system has the tool of the control domain."""
    return any([*root.glob("usr/sbin/xl"), *root.glob("usr/lib/xen-*/bin/xl")])


def _sum_faults(written: _Written, xen: Mapping[str, Any]) -> Iterator[str]:
    has = xen["memory_bytes"] - xen.get("reserved_bytes", 64 * _MIB)
    if written.memory > has or written.cores > xen["cores"]:
        text = f"{written.memory // _MIB} MiB and {written.cores} cores"
        yield f"the domains get {text}, the board has {has // _MIB} MiB and {xen['cores']} cores"
