# SPDX-License-Identifier: Apache-2.0
"""A draft as graph.yaml, with its picture beside it. What was written is read back and checked."""

from __future__ import annotations

import io
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from ligament.artefacts import write_text
from ligament.draw.svg import svg_picture
from ligament.errors import InputError, Problem
from ligament.graph import load_graph
from ligament.live.draft import Draft, Program, topic_entries
from ligament.mapping import load_platform, map_graph, planned

_LICENCE = "# SPDX-License-Identifier: Apache-2.0\n"
_ROLES = (("publishes", "publisher"), ("subscribes", "subscription"))


def require_new(path: Path) -> None:
    """Raise InputError where there is such a file: it may have been edited."""
    if path.exists():
        text = f"{path} is there already; what was seen would overwrite it"
        raise InputError(Problem("out-in-use", text, hint="name another file: --out FILE"))


def write_draft(draft: Draft, path: Path) -> Path:
    """Write the graph, and its picture; return the picture's path."""
    require_new(path)
    executables = {p.name: _executable(p, path.parent) for p in draft.programs}
    document: dict[str, Any] = {
        "schema": "ligament/graph/1",
        "name": draft.name,
        "description": draft.description,
        "nodes": {},
        "executables": executables,
    }
    if topics := topic_entries(draft):
        document["topics"] = topics
    left_out = "".join(f"# {gap}\n" for gap in draft.gaps)
    write_text(path, _LICENCE + left_out + _text(document))
    picture = path.with_suffix(".svg")
    mapping = map_graph(load_graph(path), load_platform("host"), None, planned())
    write_text(picture, svg_picture(mapping))
    return picture


def _executable(program: Program, folder: Path) -> dict[str, Any]:
    started = program.started
    entry: dict[str, Any] = {
        "executable": _beside(Path(started.executable), folder)
        if started.executable.startswith("/")
        else started.executable,
        "description": f"Nodes: {', '.join(program.nodes)}." if program.nodes else "",
        "arguments": started.words,
        "ros_arguments": dict(started.told),
    }
    if files := [_kept(p, program.name, folder) for p in started.parameter_files if p.is_file()]:
        entry["ros_arguments"]["parameter_files"] = files
    for key, role in _ROLES:
        found = {e.topic: e.message for e in program.ends if e.role == role}
        entry[key] = dict(sorted(found.items()))
    return {key: value for key, value in entry.items() if value}


def _beside(path: Path, folder: Path) -> str:
    """Return a path as it stands in the graph file: relative where it is below its folder."""
    relative = os.path.relpath(path, folder.absolute())
    return str(path) if relative.startswith("..") else f"./{relative}"


def _kept(file: Path, name: str, folder: Path) -> str:
    """Return a parameter file's path; a temporary one (of a launch file) is copied beside."""
    if not file.is_relative_to(tempfile.gettempdir()) or folder.absolute() in file.parents:
        return _beside(file, folder)
    copy = folder / f"{name}.parameters.yaml"
    number = 2
    while copy.exists():
        copy, number = folder / f"{name}.parameters_{number}.yaml", number + 1
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(file, copy)
    return copy.name


def _text(document: dict[str, Any]) -> str:
    yaml = YAML()
    yaml.default_flow_style = False
    yaml.width = 100
    text = io.StringIO()
    yaml.dump(document, text)
    return text.getvalue()
