# SPDX-License-Identifier: Apache-2.0
"""The files of shells and of the cores in their slots, and what the project builds of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ligament import resources
from ligament.generate.files import GeneratedFile, render
from ligament.generate.fpga.slots import Shell, SlotCore
from ligament.generate.fpga.texts import AROUND_CORES, Place, core_sources


@dataclass(frozen=True)
class Slotted:
    """What is generated for nodes in slots: files, and what the project's template needs."""

    files: list[GeneratedFile]
    project: dict[str, Any]


def slot_files(place: Place, cores: Iterable[SlotCore], longest: Mapping[str, int]) -> Slotted:
    """Return the files of cores and of their shells; the project builds them together."""
    cores = list(cores)
    shells = {core.shell.name: core.shell for core in cores}.values()
    files = [file for shell in shells for file in shell_files(place, shell)]
    files += [file for core in cores for file in core_files(place, core, longest)]
    project = {
        "shells": [shell_library(shell) for shell in shells],
        "slot_cores": [core_library(core) for core in cores],
    }
    return Slotted(files, project)


def shell_files(place: Place, shell: Shell) -> Iterator[GeneratedFile]:
    """Yield a shell's top level, and what drives it."""
    identity = shell.identity()
    text = shell.text(identity)
    yield GeneratedFile(f"{place.project}/{shell.top}.sv", text, shell.source, "fpga/shell.sv.j2")
    values = shell.values() | {"identity": identity}
    text = render("fpga", "shell.cpp.j2", shell.source, values)
    path = f"{place.project}/{shell.name}-fpga.cpp"
    yield GeneratedFile(path, text, shell.source, "fpga/shell.cpp.j2")


def core_files(place: Place, core: SlotCore, longest: Mapping[str, int]) -> Iterator[GeneratedFile]:
    """Yield the top level of a core in a slot, and its node."""
    source = str(Path(core.type.folder) / "node.yaml")
    values = core.values(core.shell.identity(), longest)
    for path, template in (
        (f"{core.top}.sv", "slot.sv.j2"),
        (f"{core.name}-fpga.cpp", "slot.cpp.j2"),
    ):
        text = render("fpga", template, source, values)
        yield GeneratedFile(f"{place.project}/{path}", text, source, f"fpga/{template}")


def shell_library(shell: Shell) -> dict[str, Any]:
    """Return a shell as the project's template has it."""
    return {
        "target": f"{shell.name}-fpga",
        "top": shell.top,
        "classes": [],
        "sources": [*shell.sources, f"{shell.top}.sv"],
    }


def core_library(core: SlotCore) -> dict[str, Any]:
    """Return a slot's core as the project's template has it."""
    names = (*AROUND_CORES, *(("lig_width.sv",) if core.adapts else ()))
    around = [str(resources.hdl_dir() / name) for name in names]
    return {
        "target": f"{core.name}-fpga",
        "top": core.top,
        "shell": f"{core.shell.name}-fpga",
        "classes": [core.full_class_in(n) for n in core.slots],
        "sources": [*around, *core_sources([core.member]), f"{core.top}.sv"],
    }
