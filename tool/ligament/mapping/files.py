# SPDX-License-Identifier: Apache-2.0
"""Reads platforms and mappings: the only module of this room that touches files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ligament.errors import InputError, Problem, listing, nearest
from ligament.graph.loader import read_document
from ligament.mapping.consistency import inconsistencies
from ligament.mapping.costs import Costs, from_variant, merged
from ligament.mapping.costs import from_json as costs_from_json
from ligament.mapping.memory_map import MemoryMap, memory_map_of, memory_problems
from ligament.mapping.model import GraphMapping, from_json
from ligament.mapping.platform import Platform, build_platform
from ligament.resources import firmware_dir, platforms_dir

REPORT = "ligament/report/"
WORKSPACE = Path("acceleration", "firmware")
"""Where a workspace has platforms of its own (spec/platform/packages.md)."""


def load_platform(name: str) -> Platform:
    """Return a platform by name, or by the path of its file or folder.

    A name is that of a folder in acceleration/firmware/ of the workspace in which the process
    runs, else in platforms/: as `ligament acceleration list` shows them.
    """
    path = Path(name)
    own = WORKSPACE / name / "platform.yaml"
    if path.name == name and own.is_file():
        path = own
    elif path.name != name and (path / "platform.yaml").is_file():
        path /= "platform.yaml"
    if path.suffix not in (".yaml", ".yml", ".json"):
        path = platforms_dir() / name / "platform.yaml"
        if not path.is_file():
            known = [*platform_names(), *(p.parent.name for p in WORKSPACE.glob("*/platform.yaml"))]
            raise InputError(
                Problem(
                    "platform-unknown",
                    f"there is no platform '{name}'",
                    expected=f"one of {listing(known)}, or a path of a platform.yaml",
                    hint=nearest(name, known),
                )
            )
    return build_platform(read_document(path, "platform"), board_memory)


def board_memory(board: str) -> MemoryMap:
    """Return the memory map of a board that firmware is built for."""
    return load_memory_map(firmware_dir() / "board" / board / "memory.json")


def load_memory_map(path: Path) -> MemoryMap:
    """Return the memory map of a file; raise InputError for one that cannot be."""
    document = read_document(path, "memory")
    memory = memory_map_of(document.data)
    problems = list(memory_problems(memory, document.at, f"'{path.name}'"))
    if problems:
        raise InputError(problems)
    return memory


def platform_names(chosen: str | None = None) -> list[str]:
    """Return all known platforms, this computer's first, boards last; or the chosen one alone."""
    if chosen:
        return [chosen]
    found = platforms_dir().glob("*/platform.yaml")
    on_boards = {path.parent.name: "board" in (read_document(path).data or {}) for path in found}
    return sorted(on_boards, key=lambda name: (name != "host", on_boards[name], name))


def load_mapping(path: str | Path) -> GraphMapping:
    """Return a mapping from its file, written by `ligament map` or by hand."""
    document = read_document(Path(path), "mapping")
    mapping = from_json(document.data)
    problems = list(inconsistencies(mapping, document))
    if problems:
        raise InputError(problems)
    return mapping


def load_costs(paths: Iterable[Path]) -> Costs:
    """Return the costs of files together; each is a costs.json or a report.json.

    A report's variants tell what their nodes took where they ran, which the mapping.json beside
    each run says. What a later file says goes before.
    """
    return merged(part for path in paths for part in _costs_of(path))


def _costs_of(path: Path) -> list[Costs]:
    found = read_document(path).data
    is_report = isinstance(found, Mapping) and str(found.get("schema")).startswith(REPORT)
    data = read_document(path, "report" if is_report else "costs").data
    if not is_report:
        return [costs_from_json(data)]
    return [
        from_variant(data["graph"], variant, _kinds(path, variant)) for variant in data["variants"]
    ]


def _kinds(report: Path, variant: Mapping[str, Any]) -> dict[str, str]:
    """Return on which kind of device each node of a report's variant ran."""
    mapping = Path(variant["run_dir"]).parent.parent / "mapping.json"
    if not mapping.is_file():
        raise InputError(
            Problem(
                "report-mapping",
                f"the run of variant '{variant['name']}' in '{report}' has no mapping.json",
                expected=f"{mapping}, as `ligament run` leaves it",
                hint="name the report from the folder that it was made in",
            )
        )
    # What a core takes natively says nothing about the hardware.
    return {
        name: node.kind
        for name, node in load_mapping(mapping).nodes.items()
        if node.implementation != "hls"
    }
