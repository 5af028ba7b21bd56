# SPDX-License-Identifier: Apache-2.0
"""Domains that share a board under Xen: checked against the board, then what starts them.

FOLDER/xen.dts, xen.dtbo     nodes of /chosen (Xen, docs/misc/arm/device-tree/booting.txt)
FOLDER/boot.scr              U-Boot's script: loads all files, adds the same nodes, starts Xen
FOLDER/xl/NAME.cfg           guests that the control domain starts
FOLDER/xen, vmlinuz-KERNEL, initramfs.cpio.gz
"""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ligament.acceleration.images.bootfiles import INITRAMFS, quoted
from ligament.acceleration.images.layout import Layout
from ligament.errors import InputError, Location, Problem
from ligament.graph.source import Document

XEN, OVERLAY, SOURCE, SCRIPT_TEXT = "xen", "xen.dtbo", "xen.dts", "boot.source"
TREE, TREE_BYTES = "device-tree", 1 << 20
"""Where the board's device tree is moved to, and how large it may get there."""
_ALIGNMENT = 2 << 20
_MIB = 1 << 20


@dataclass(frozen=True)
class Domain:
    """One domain, `dom0` or a guest."""

    name: str
    kernel: str
    memory: int
    cores: int
    arguments: str
    start: str
    disk: str
    ramdisk: str = INITRAMFS

    @property
    def file(self) -> str:
        """Return its kernel's file."""
        return f"vmlinuz-{self.kernel}"


@dataclass(frozen=True)
class Placed:
    """A file that the boot loader puts into memory."""

    name: str
    address: int
    size: int


def domains_of(layout: Layout, document: Document) -> list[Domain]:
    """Return the domains of a schema-valid domains.yaml; raise InputError for what cannot be."""
    xen = _xen_of(layout)
    data, problems = document.data, list[Problem]()
    declared = {"dom0": data["dom0"]} if "dom0" in data else {}
    found = []
    for name, told in {**declared, **data["domains"]}.items():
        path = ("dom0",) if name == "dom0" else ("domains", name)
        start = "xen" if name == "dom0" else told.get("start", "xen")
        try:
            kernel, _ = layout.kernel(told.get("kernel"))
        except InputError as error:
            problems += [Problem(p.code, p.text, document.at(*path, "kernel"), p.expected, p.hint)
                         for p in error.problems]  # fmt: skip
            continue
        if start == "xl" and "dom0" not in data:
            text = f"'{name}' is to be started by xl, and there is no dom0 that runs it"
            problems.append(Problem("domain-start", text, document.at(*path), hint="start: xen"))
        words = told.get("arguments", "") + told.get("disk", "")
        problems += _words_problem(words, f"'{name}'", document.at(*path))
        found.append(Domain(name, kernel, told["memory_bytes"], told["cores"],
                            told.get("arguments", ""), start, told.get("disk", "")))  # fmt: skip
    problems += _too_much(found, xen, document)
    if problems:
        raise InputError(problems)
    return found


def _xen_of(layout: Layout) -> Mapping[str, Any]:
    found: Mapping[str, Any] | None = layout.boot.get("xen")
    if found is None:
        text = f"the platform '{layout.platform.name}' says nothing about a hypervisor"
        raise InputError(Problem("xen-missing", text, layout.platform.at("boot"), "boot.xen"))
    at = layout.platform.at("boot", "xen", "arguments")
    if problems := _words_problem(found.get("arguments", ""), "boot.xen.arguments", at):
        raise InputError(problems)
    return found


def _words_problem(words: str, what: str, at: Location | None) -> list[Problem]:
    """Words stand between quotes in device-tree source and xl's files: they must not end one."""
    if not any(c in "'\"\\" or ord(c) < 32 for c in words):
        return []
    text = f"{what} has a quote, backslash, line break or control character in its words"
    return [Problem("domain-words", text, at)]


def _too_much(
    domains: Iterable[Domain], xen: Mapping[str, Any], document: Document
) -> list[Problem]:
    """What is more than the board has, with the names of those who ask for it."""
    problems = []
    memory = xen["memory_bytes"] - xen.get("reserved_bytes", 64 << 20)
    for what, unit, has, of in (
        ("memory", "MiB", memory // _MIB, {d.name: d.memory // _MIB for d in domains}),
        ("cores", "cores", xen["cores"], {d.name: d.cores for d in domains}),
    ):
        asked = sum(of.values())
        if asked > has:
            parts = ", ".join(f"{name} {count}" for name, count in of.items())
            text = f"the domains ask for {asked} {unit}, and the board has {has} for them: {parts}"
            problems.append(Problem(f"domain-{what}", text, document.at("domains")))
    return problems


def plain(data: bytes) -> bytes:
    """Return Xen's image without compression: U-Boot and Xen's loader take it as it is."""
    return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data


def placed(files: Mapping[str, int], first: int) -> dict[str, Placed]:
    """Return where each file of a size is put: one behind the other, at multiples of 2 MiB."""
    found, here = {}, first
    for name, size in files.items():
        found[name] = Placed(name, here, size)
        here += -(-size // _ALIGNMENT) * _ALIGNMENT
    return found


def xen_arguments(told: str, domains: Iterable[Domain]) -> str:
    """Return Xen's command line: what the platform says, and the control domain's share."""
    shares = [f"dom0_mem={d.memory // _MIB}M dom0_max_vcpus={d.cores}"
              for d in domains if d.name == "dom0"]  # fmt: skip
    return " ".join([told, *shares])


Value = str | tuple[str, ...] | tuple[int, ...] | None
Nodes = dict[str, dict[str, Value]]
"""Properties by node below /chosen (`""`: its own): a text, texts, cells; None: a mere name."""


def nodes_of(domains: Iterable[Domain], files: Mapping[str, Placed], arguments: str) -> Nodes:
    """Return the device-tree nodes that tell Xen of its domains, parents first."""
    cells: dict[str, Value] = {"#address-cells": (2,), "#size-cells": (2,)}
    nodes: Nodes = {"": {**cells, "xen,xen-bootargs": arguments}}
    for domain in domains:
        if domain.start != "xen":
            continue
        if domain.name == "dom0":
            nodes[""]["xen,dom0-bootargs"] = domain.arguments
        else:
            memory = domain.memory // 1024  # Unit of Xen's property: KiB
            nodes[f"/domain-{domain.name}"] = {
                "compatible": "xen,domain", **cells, "memory": _two_cells(memory),
                "cpus": (domain.cores,), "vpl011": None,
            }  # fmt: skip
        nodes |= _module(files[domain.file], "kernel", domain)
        if domain.ramdisk in files:
            nodes |= _module(files[domain.ramdisk], "ramdisk", domain)
    return nodes


def _module(file: Placed, kind: str, domain: Domain) -> Nodes:
    parent = "" if domain.name == "dom0" else f"/domain-{domain.name}"
    told: dict[str, Value] = {
        "compatible": (f"multiboot,{kind}", "multiboot,module"),
        "reg": (*_two_cells(file.address), *_two_cells(file.size)),
    }
    if kind == "kernel" and parent:
        told["bootargs"] = domain.arguments
    return {f"{parent}/module-{kind}@{file.address:x}": told}


def _two_cells(number: int) -> tuple[int, int]:
    return number >> 32, number & 0xFFFFFFFF


def overlay(nodes: Nodes) -> str:
    """Return the nodes as an overlay's source."""
    return "\n".join(["/dts-v1/;", "/plugin/;", *_source(nodes, "", "&{/chosen} {"), ""])


def _source(nodes: Nodes, path: str, head: str) -> list[str]:
    lines = [head]
    for name, value in nodes[path].items():
        texts = (value,) if isinstance(value, str) else value or ()
        words = ", ".join(f'"{t}"' for t in texts if isinstance(t, str))
        cells = " ".join(f"{c:#x}" for c in texts if isinstance(c, int))
        lines.append(f"\t{name}{f' = {words}' if words else f' = <{cells}>' if cells else ''};")
    for child in nodes:
        parent, _, name = child.rpartition("/")
        if child and parent == path:
            lines += [f"\t{line}" for line in _source(nodes, child, f"{name} {{")]
    return [*lines, "};"]


def _commands(nodes: Nodes) -> list[str]:
    """Return the nodes as commands of U-Boot: not each has `fdt apply` for an overlay."""
    lines = []
    for path, properties in nodes.items():
        if path:
            parent, _, name = path.rpartition("/")
            lines.append(f"fdt mknode /chosen{parent} {name}")
        for name, value in properties.items():
            texts = (value,) if isinstance(value, str) else value or ()
            words = [quoted(t) for t in texts if isinstance(t, str)]
            cells = " ".join(f"{c:#x}" for c in texts if isinstance(c, int))
            words += [f"<{cells}>"] if cells else []
            lines.append(
                " ".join([f"fdt set /chosen{path} {name.replace('#', chr(92) + '#')}", *words])
            )
    return lines


def script(files: Mapping[str, Placed], folder: str, nodes: Nodes) -> str:
    """Return U-Boot's script, for files in a folder of the partition that it is loaded from."""
    load = "load ${devtype} ${devnum}:${distro_bootpart}"
    tree = files[TREE]
    return "\n".join([
        *(f"{load} {file.address:#x} {quoted(f'{folder}/{name}')}"
          for name, file in files.items() if name != TREE),
        "fdt addr ${fdtcontroladdr}",
        f"fdt move ${{fdtcontroladdr}} {tree.address:#x} {tree.size:#x}",
        *_commands(nodes),
        f"booti {files[XEN].address:#x} - {tree.address:#x}", "",
    ])  # fmt: skip


def xl_configuration(domain: Domain, has_initramfs: bool) -> str:
    """Return a guest's configuration for xl; its files lie in /boot/xen of the control domain."""
    lines = [f'name = "{domain.name}"', f'kernel = "/boot/xen/{domain.file}"']
    if has_initramfs:
        lines.append(f'ramdisk = "/boot/xen/{INITRAMFS}"')
    lines += [f"memory = {domain.memory // _MIB}", f"vcpus = {domain.cores}",
              f'extra = "{domain.arguments}"']  # fmt: skip
    if domain.disk:
        lines.append(f'disk = ["{domain.disk}"]')
    return "\n".join([*lines, ""])
