# SPDX-License-Identifier: Apache-2.0
"""The export of one design of a variant: planned as `generate` does, written into its folder."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ligament.artefacts import json_text, read_json_object, variant_folder, write_text
from ligament.disk import replacing
from ligament.errors import FailureError, InputError, Problem, listing, no_such
from ligament.export.board import Board, board_of, common_files, described
from ligament.export.targets import find_target
from ligament.generate.fpga.backend import designs_in, longest_in
from ligament.generate.fpga.plan import Design
from ligament.generate.stage import generate
from ligament.graph.model import Graph
from ligament.mapping.model import GraphMapping
from ligament.pipeline import Request, mapped

EXPORT = "export.json"


@dataclass(frozen=True)
class Asked:
    """What is exported, and where it goes."""

    #: Required; None is refused with what there is.
    target: str | None
    #: Needed where a variant has designs on several devices.
    device: str | None = None
    #: Default: `export/TARGET` in the variant's folder.
    folder: Path | None = None


@dataclass(frozen=True)
class Exported:
    """The folder, and what changed in it."""

    folder: Path
    data: Mapping[str, Any]
    changed: list[str]


def export(request: Request, asked: Asked) -> Exported:
    """Check, map, generate, and write the folder of a target."""
    target = find_target(asked.target)
    if asked.folder is not None:
        _require_folder(asked.folder)
    graph, mapping = mapped(request)
    chosen = chosen_in(mapping, graph, asked.device)
    variant = variant_folder(graph.name, mapping.variant, request.out)
    generate(graph, mapping, variant)
    generated = variant.parent / "gen" / f"fpga-{mapping.platform}"
    names = (mapping.graph, mapping.variant, mapping.platform)
    board = board_of(
        chosen.design,
        names,
        parameters_of(mapping, chosen),
        generated,
        target.bus_width,
        longest_in(graph, mapping, chosen.design),
    )
    files = {**common_files(board), **target.files(board)}
    folder = asked.folder or variant / "export" / target.name
    return write_folder(folder, board, target.name, files)


def _require_folder(folder: Path) -> None:
    """Refuse a file in the folder's place, before anything is generated."""
    for place in (folder, *folder.parents):
        if place.exists() and not place.is_dir():
            raise InputError(
                Problem(
                    "export-folder",
                    f"{place} is a file",
                    expected="an empty folder, a new one, or one of an earlier export",
                    hint="choose another one with --folder",
                )
            )


@dataclass(frozen=True)
class Chosen:
    """A design, and the nodes that are in it."""

    design: Design
    nodes: tuple[str, ...]


def chosen_in(mapping: GraphMapping, graph: Graph, device: str | None) -> Chosen:
    """Return the design of the device, or of the only one."""
    nodes: dict[str, list[str]] = {}
    designs: dict[str, Design] = {}
    for node, design in designs_in(graph, mapping).items():
        designs[design.device.name] = design
        nodes.setdefault(design.device.name, []).append(node)
    if not designs:
        raise InputError(_nothing(mapping, graph))
    if device is None and len(designs) > 1:
        raise InputError(
            Problem(
                "export-device",
                f"the variant '{mapping.variant}' has designs on {len(designs)} devices",
                expected=f"--device with one of {listing(designs)}",
            )
        )
    name = device or next(iter(designs))
    if name not in designs:
        text = f"the variant '{mapping.variant}' has no design on '{name}'"
        raise InputError(
            no_such("export-device", text, name, designs, before="--device with one of ")
        )
    return Chosen(designs[name], tuple(sorted(nodes[name])))


def _nothing(mapping: GraphMapping, graph: Graph) -> Problem:
    able = [
        node
        for node in graph.nodes.values()
        if node.type in graph.types and "fpga" in graph.types[node.type].implementations
    ]
    others = [
        name
        for name, variant in graph.variants.items()
        if name != mapping.variant and any(n.id in variant.devices for n in able)
    ]
    where = f"the variant '{mapping.variant}' has no nodes on an FPGA"
    return Problem(
        "export-nothing",
        f"{where}, on platform '{mapping.platform}'",
        expected="a variant and a platform with nodes in hardware: --variant, --platform",
        hint=f"nodes with a core: {listing(node.id for node in able)}; "
        f"other variants that place them: {listing(others) or 'none'}",
    )


def parameters_of(mapping: GraphMapping, chosen: Chosen) -> dict[int, Mapping[str, Any]]:
    """Return the parameters that the graph gives the members, by their place."""
    # A design of one node alone does not name it.
    return {
        member.place: mapping.nodes[member.id or chosen.nodes[0]].parameters
        for member in chosen.design.members
    }


def write_folder(
    folder: Path, board: Board, target: str, files: Mapping[str, str | bytes]
) -> Exported:
    """Write what differs, and remove what an earlier export wrote and this one does not."""
    before = read_json_object(folder / EXPORT)
    if folder.is_dir() and any(folder.iterdir()) and before.get("schema") != "ligament/export/1":
        raise InputError(
            Problem(
                "export-folder",
                f"{folder} has files that no export wrote",
                expected="an empty folder, a new one, or one of an earlier export",
                hint="choose another one with --folder",
            )
        )
    contents = {place: _bytes(content) for place, content in sorted(files.items())}
    hashes = {place: hashlib.sha256(content).hexdigest() for place, content in contents.items()}
    data = {**described(board, target), "files": hashes}
    changed = [p for p, content in contents.items() if _put(folder / p, content)]
    changed += [p for p in _left(before, contents) if _remove(folder, p)]
    write_text(folder / EXPORT, json_text(data))
    return Exported(folder, data, changed)


def _left(before: Mapping[str, Any], now: Mapping[str, bytes]) -> list[str]:
    """Return the files of the earlier export that are not of this one."""
    files = before.get("files")
    return sorted(set(files) - set(now)) if isinstance(files, dict) else []


def _bytes(content: str | bytes) -> bytes:
    return content.encode() if isinstance(content, str) else content


def _put(path: Path, content: bytes) -> bool:
    try:
        if path.is_file() and path.read_bytes() == content:
            return False
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path, len(content)) as partial:
            partial.write_bytes(content)
        if content.startswith(b"#!"):
            path.chmod(0o755)
    except OSError as error:
        raise FailureError(
            f"cannot write {path}: {error.strerror}", hint="choose another folder with --folder"
        ) from error
    return True


def _remove(folder: Path, place: str) -> bool:
    """Remove a file of an earlier export; never one outside of the folder."""
    path = folder / place
    if not path.is_file() or folder.resolve() not in path.resolve().parents:
        return False
    path.unlink()
    return True
