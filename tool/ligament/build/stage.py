# SPDX-License-Identifier: Apache-2.0
"""The build stage: from a variant's manifest to libraries and build.json."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import ligament
from ligament.artefacts import read_json, write_json
from ligament.build.components import build_components, default_jobs
from ligament.build.images import build_mcu
from ligament.build.launch_file import write_launch_file
from ligament.build.ninja import Progress
from ligament.build.python_files import copy_python
from ligament.build.start_script import write_start_script
from ligament.build.synthesis import known
from ligament.build.target import Target

BUILD = "build.json"

Builder = Callable[[Path, Mapping[str, Any], int, Progress | None, Target | None], bool]

# One builder per kind of implementation: (variant's folder, manifest entry, jobs, progress, another
# architecture) -> was anything compiled?
BUILDERS: dict[str, Builder] = {
    "cpu": build_components,
    "fpga": build_components,
    "gpu": build_components,
    "hls": build_components,
    "mcu": build_mcu,
    "python": copy_python,
}


@dataclass(frozen=True)
class Built:
    """What the stage made, and whether anything had to be compiled."""

    build: Path
    compiled: bool


def build(
    manifest: Path,
    jobs: int | None = None,
    progress: Progress | None = None,
    target: Target | None = None,
) -> Built:
    """Build everything that the manifest lists; quick and quiet when nothing changed.

    With a target it is compiled for that, and a script that starts it there is written, too.
    """
    data = read_json(manifest, "run `ligament generate`")
    folder = manifest.parent
    compiled = False
    libraries: dict[str, Any] = {}
    boards: dict[str, Any] = {}
    for kind, entry in data["backends"].items():
        compiled |= BUILDERS[kind](folder, entry, jobs or default_jobs(), progress, target)
        for node_type, library in entry["libraries"].items():
            if found := _board(folder, library.get("board"), target):
                boards[library["board"]["device"]] = found
            name = node_type if kind == "cpu" else f"{node_type}@{kind}"
            libraries[name] = _library(folder, library["library"])
    record = {
        "schema": "ligament/build/1",
        "graph": data["graph"],
        "source": data["source"],
        "variant": data["variant"],
        "containers": data["containers"],
        "libraries": dict(sorted(libraries.items())),
        "topics": data["topics"],
        "check": data["check"],
        "versions": _versions(),
    }
    if boards:
        record["boards"] = dict(sorted(boards.items()))
    for name in ("executables", "servers", "lifecycle"):
        if data.get(name):
            record[name] = data[name]
    if synthesis := known(folder):
        record["synthesis"] = synthesis
    if target is not None:
        record["target"] = target.recorded()
        write_start_script(folder, record)
    path = folder / BUILD
    write_json(path, record)
    write_launch_file(folder, record)
    return Built(path, compiled)


def _board(
    folder: Path, board: Mapping[str, Any] | None, target: Target | None
) -> dict[str, Any] | None:
    """Compile what stands for a board, on this machine; None where nothing does."""
    if board is None or not board["stand_in"] or target is not None:
        return None
    from ligament.export.boards import build_stand_in, memory_of  # noqa: PLC0415 - only boards

    program = build_stand_in(folder / board["folder"])
    return {
        "design": f"{board['folder']}/export.json",
        "stand_in": os.path.relpath(program, folder.resolve()),
        "memory_bytes": memory_of(folder / board["folder"]),
    }


def _library(folder: Path, library: str) -> dict[str, Any]:
    content = (folder / library).read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    return {"path": library, "size_bytes": len(content), "sha256": digest}


@cache
def _versions() -> dict[str, str]:
    return {
        "ligament": ligament.__version__,
        "cxx": _first_version("c++", "-dumpfullversion"),
        "cmake": _first_version("cmake", "--version"),
        "ninja": _first_version("ninja", "--version"),
    }


def _first_version(*command: str) -> str:
    try:
        result = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return "unknown"
    match = re.search(r"\d+(\.\d+)+", result.stdout)
    return match.group(0) if match else "unknown"
