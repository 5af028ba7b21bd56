# SPDX-License-Identifier: Apache-2.0
"""Writes a template under a name of its user's."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from ligament.artefacts import write_text
from ligament.errors import InputError, Problem, nearest

_FOLDER = Path(__file__).resolve().parent / "templates"


@dataclass(frozen=True)
class Template:
    """What a template's folder holds; `name` is the one that the user's takes the place of."""

    kind: str
    text: str
    name: str
    #: Other nodes of it.
    taken: tuple[str, ...]
    #: How what it becomes is run.
    command: str


TEMPLATES: tuple[Template, ...] = (
    Template(
        "graph",
        "a graph of nodes that ship with Ligament, and its test",
        "snapshot",
        ("camera", "resize", "threshold", "sink"),
        "ligament run {folder}",
    ),
    Template(
        "mcu-node",
        "a C99 node for a microcontroller, and a C++ node that talks with it",
        "thermometer",
        ("watch",),
        "ligament run {folder} --platform mcu_sim",
    ),
    Template(
        "node",
        "a node in C++, a graph that uses it, and its test",
        "negative",
        ("camera", "first", "second", "sink", "twice"),
        "ligament run {folder}",
    ),
    Template(
        "package",
        "a ROS 2 package with a node for processors, GPUs and FPGAs, its graph and its test",
        "binarise",
        ("camera", "sink", "node", "demo"),
        "ligament run {folder} --platform fpga_sim --variant hardware",
    ),
    Template(
        "platform",
        "a platform with processors and an FPGA, a graph that it takes, and its test",
        "roverboard",
        ("camera", "threshold", "sink"),
        "ligament run {folder} --platform {folder}/platform.yaml --variant hardware",
    ),
)


def write_new(kind: str, folder: Path) -> tuple[Template, list[Path]]:
    """Write a template into a new folder, whose name it gets; return it, and the files."""
    template = next((t for t in TEMPLATES if t.kind == kind), None)
    if template is None:
        kinds = [t.kind for t in TEMPLATES]
        raise InputError(
            Problem(
                "template-unknown",
                f"there is no template '{kind}'",
                expected="; ".join(f"{t.kind}: {t.text}" for t in TEMPLATES),
                hint=nearest(kind, kinds),
            )
        )
    name = folder.absolute().name
    _check_name(name, template)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        text = f"{folder} is there already, and not an empty folder"
        raise InputError(Problem("out-in-use", text, expected="a folder that is new, or empty"))
    source = _FOLDER / kind
    written = []
    for path in sorted(p for p in source.rglob("*") if p.is_file()):
        target = folder / str(path.relative_to(source)).replace(template.name, name)
        write_text(target, _renamed(path.read_text(encoding="utf-8"), template.name, name))
        written.append(target)
    return template, written


def _renamed(text: str, old: str, new: str) -> str:
    return text.replace(old, new).replace(old.upper(), new.upper())


def _check_name(name: str, template: Template) -> None:
    """It becomes a graph, a node and a part of names in C: what all of them allow."""
    fault = ""
    if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", name) or len(name) > 40:
        fault = "no name for a node"
    elif name in template.taken:
        fault = "the name of another node of it"
    if fault:
        raise InputError(
            Problem(
                "name-invalid",
                f"'{name}' is {fault}; the folder's name becomes that of what is in it",
                expected="lower-case letters, digits and single _, such as wheel_speed",
            )
        )
