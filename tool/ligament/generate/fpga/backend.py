# SPDX-License-Identifier: Apache-2.0
"""FPGA nodes: per device a top level with its cores and networks, and the nodes that drive it.

Each core is between `lig_unpack` and `lig_pack` of its messages, in a wrapper of its node type. The
project compiles a design with Verilator into a library of components; its list of sources (`.f`) is
what a vendor's tool takes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ligament.cores.manifest import Core, core_of
from ligament.generate.files import Component, GeneratedFile, Output
from ligament.generate.fpga.plan import (
    Design,
    hardware_of,
    joined_design,
    pixels_of,
    single_design,
    slug,
    streamed_topics,
)
from ligament.generate.fpga.slot_texts import slot_files
from ligament.generate.fpga.slots import SlotCore, slot_cores
from ligament.generate.fpga.texts import (
    Place,
    board_folder,
    class_of,
    design_files,
    driver_among,
    parts_of,
    project_files,
    translated_file,
    wrapper_file,
)
from ligament.graph.model import Graph, NodeType
from ligament.mapping.designs import designs_of
from ligament.mapping.model import GraphMapping, MappedNode
from ligament.messages.hdl import Bounds, layout_of, read_bounds, render_all, render_vhdl
from ligament.messages.store import load_store


class FpgaBackend:
    """Generates for devices of kind `fpga`."""

    def generate(self, graph: Graph, mapping: GraphMapping) -> Output:
        """Return tops, components, their project, and the libraries the variant needs."""
        suffix = f"fpga-{mapping.platform}"
        place = Place(f"../gen/{suffix}", f"../work/{suffix}", f"../lib/{suffix}")
        types = _types(graph, mapping)
        bounds = read_bounds(
            Path(node_type.folder) / file
            for node_type, core in types.values()
            for file in core.bounds
        )
        made = _designs(mapping, types)
        designs = {design.name: design for design in made.values()}
        placed = slot_cores(mapping, types)
        cores = {core.name: core for core, _ in placed.values()}
        messages = _Messages(graph, [*designs.values(), *cores.values()], bounds)
        files = messages.files(place)
        files += [wrapper_file(place, node_type, core) for node_type, core in types.values()]
        files += [
            translated_file(place, node_type, core, messages.in_vhdl())
            for node_type, core in types.values()
            if core.is_vhdl
        ]
        drawn = {name: design_files(place, d, messages.longest) for name, d in designs.items()}
        files += [file for of_design in drawn.values() for file in of_design]
        slotted = slot_files(place, cores.values(), messages.longest)
        files += slotted.files
        drivers = [(designs[name], driver_among(files)) for name, files in drawn.items()]
        files += project_files(place, graph, drivers, slotted.project)
        entry = {
            "project": place.project,
            "work": place.work,
            "libraries": {n: _entry(place, design) for n, design in sorted(designs.items())}
            | {n: _slot_entry(place, core) for n, core in sorted(cores.items())},
        }
        components = {
            node: Component(_library_of(place, design), _class_in(design, node))
            for node, design in made.items()
        } | {
            node: Component(_library_of(place, core), core.full_class_in(slot))
            for node, (core, slot) in placed.items()
        }
        # Devices with the same hardware have the same top.
        unique = {file.path: file for file in files}
        return Output(list(unique.values()), {}, entry, components)


def _entry(place: Place, design: Design) -> dict[str, Any]:
    """A design in the manifest."""
    return {
        "target": f"{design.name}-fpga",
        "library": _library_of(place, design),
        "folder": design.members[0].type.folder,
        "folders": [member.type.folder for member in design.types],
        "parts": parts_of(design),
        **_board_entry(place, design),
    }


def _board_entry(place: Place, design: Design) -> dict[str, Any]:
    """What is made beside the library of a design on a board."""
    device = design.device
    if not device.is_board:
        return {}
    folder = f"{place.libraries}/{board_folder(design)}"
    return {"board": {"device": device.name, "folder": folder, "stand_in": device.is_emulated}}


def designs_in(graph: Graph, mapping: GraphMapping) -> dict[str, Design]:
    """Return the design of each node in hardware."""
    return _designs(mapping, _types(graph, mapping))


def longest_in(graph: Graph, mapping: GraphMapping, design: Design) -> dict[str, int]:
    """Return the bytes of each message type of a design at most."""
    types = _types(graph, mapping).values()
    files = (Path(node_type.folder) / file for node_type, core in types for file in core.bounds)
    return _Messages(graph, [design], read_bounds(files)).longest


def _types(graph: Graph, mapping: GraphMapping) -> dict[str, tuple[NodeType, Core]]:
    """Return the node types of cores, and the cores."""
    used = sorted({node.type for node in mapping.nodes.values() if _is_ours(node)})
    return {name: (graph.types[name], core_of(graph.types[name], "fpga")) for name in used}


def _is_ours(node: MappedNode) -> bool:
    return node.implementation == "fpga"


def _designs(
    mapping: GraphMapping, types: Mapping[str, tuple[NodeType, Core]]
) -> dict[str, Design]:
    """Return the design of each node in hardware."""
    made: dict[str, Design] = {}
    counts = Counter[str]()
    cores = {
        name: node
        for name, node in mapping.nodes.items()
        if _is_ours(node) and not mapping.hardware.get(node.device, {}).get("slots")
    }
    hosts = {name: node.host or "" for name, node in cores.items()}
    for group in designs_of({name: node.device for name, node in cores.items()}, hosts):
        device = hardware_of(mapping, group.device)
        counts[device.name] += 1
        is_alone = len(group.nodes) == 1 and not streamed_topics(mapping, group.nodes)
        if is_alone and not device.is_board:  # a board has the parameters of one variant
            node = cores[group.nodes[0]]
            design = single_design(*types[node.type], device, pixels_of(node))
        else:
            number = counts[device.name]
            name = f"{slug(mapping.variant)}-{slug(device.name)}"
            name += f"-{number}" if number > 1 else ""
            name += "-waves" if device.waveforms else ""
            design = joined_design(mapping, group.nodes, types, device, name)
        made.update(dict.fromkeys(group.nodes, design))
    return {node: made[node] for node in sorted(made)}


def _class_in(design: Design, node: str) -> str:
    member = next(m for m in design.members if m.id in (node, ""))
    return f"ligament::generated::{class_of(member)}"


def _library_of(place: Place, design: Design | SlotCore) -> str:
    return f"{place.libraries}/lib{design.name}-fpga.so"


def _slot_entry(place: Place, core: SlotCore) -> dict[str, Any]:
    """A slot's core in the manifest. Its shell is built with it."""
    return {
        "target": f"{core.name}-fpga",
        "library": _library_of(place, core),
        "folder": core.type.folder,
        "folders": [core.type.folder],
        "parts": {},
    }


class _Messages:
    """The message types of all designs, within their bounds."""

    def __init__(self, graph: Graph, designs: list[Design | SlotCore], bounds: Bounds) -> None:
        self.store = load_store(graph.distro, [Path(p) for p in graph.message_packages.values()])
        self.names = sorted({name for design in designs for name in design.messages})
        self.bounds = bounds
        self.longest = {
            name: layout_of(self.store, self.store.message(name), bounds).longest
            for name in self.names
        }

    def files(self, place: Place) -> list[GeneratedFile]:
        messages = [self.store.message(name) for name in self.names]
        return [
            GeneratedFile(f"{place.project}/{name}", text, ", ".join(self.names), "messages")
            for name, text in render_all(self.store, messages, self.bounds).items()
        ]

    def in_vhdl(self) -> dict[str, str]:
        """Packages for cores in VHDL."""
        messages = [self.store.message(name) for name in self.names]
        return render_vhdl(self.store, messages, self.bounds)
