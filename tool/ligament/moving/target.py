# SPDX-License-Identifier: Apache-2.0
"""From a running graph, a node and a device to the configuration that the new container gets.

The graph is mapped and built once more, as a variant that differs in this device alone; what is
built already is used again. Topics keep the transports that the running ends have.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ligament.artefacts import read_json, variant_folder, write_json
from ligament.build.ninja import Progress
from ligament.build.stage import build
from ligament.errors import InputError, Problem, listing, no_such
from ligament.generate.stage import generate
from ligament.graph import Graph, load_graph
from ligament.graph.model import Variant
from ligament.mapping import GraphMapping, load_mapping, load_platform
from ligament.mapping.elsewhere import map_or_tell

_MOVING = ("cpu", "fpga", "gpu")


@dataclass(frozen=True)
class Running:
    """What runs: the graph and the mapping that a run's folder belongs to."""

    folder: Path
    """The variant's: what was built for it."""
    graph: Graph
    mapping: GraphMapping

    @classmethod
    def of_run(cls, run: Path) -> Running:
        """Read them, from the folder of a run."""
        folder = run.resolve().parents[1]
        return cls(
            folder, load_graph(folder.parent / "graph.json"), load_mapping(folder / "mapping.json")
        )


@dataclass(frozen=True)
class Target:
    """A node as it shall be: its device, a container's configuration that has it, its state."""

    node: str
    device: str
    config: Mapping[str, Any]
    state: tuple[str, ...]
    shell: str = ""
    """Where the device is a slot: the FPGA that has it."""


def target_of(
    running: Running,
    node: str,
    device: str,
    platform: str | None = None,
    progress: Progress | None = None,
) -> Target:
    """Build what is missing; raise InputError if the node cannot be there."""
    name = node if node.startswith("/") else f"/{node}"
    nodes = running.mapping.nodes
    if name not in nodes:
        raise InputError(
            no_such("node-unknown", f"there is no node '{name}'", name, nodes, before="one of ")
        )
    if device in (nodes[name].device, nodes[name].kind):
        mapping, folder = running.mapping, running.folder
    else:
        mapping, folder = _mapped(running, name, device, platform or running.mapping.platform)
    _require_movable(mapping, name)
    if folder != running.folder:
        write_json(folder / "mapping.json", mapping.to_json())
        build(generate(running.graph, mapping, folder).manifest, None, progress)
    place = mapping.nodes[name]
    state = running.graph.types[place.type].state
    names = () if isinstance(state, str) else tuple(str(one["name"]) for one in state)
    is_slot = bool(mapping.hardware.get(place.device, {}).get("slots"))
    shell = place.device.partition(".")[0] if is_slot else ""
    return Target(name, place.device, _config(folder, place.container), names, shell)


def _variant_of(running: Running, node: str, device: str) -> Variant:
    """The running variant, but for the device of this node."""
    variants, name = running.graph.variants, running.mapping.variant
    if name not in variants:
        raise InputError(
            no_such("variant-unknown", f"the graph has no variant '{name}'", name, variants)
        )
    used = {port.topic for port in running.mapping.nodes[node].ports.values()}
    kept = {
        topic: mapped.transports
        for topic, mapped in running.mapping.topics.items()
        if topic in used and "shm" in mapped.transports
    }
    variant = variants[name]
    # Who was in that slot when the run began may have left it: the run knows, this mapping not.
    gone = {n: "cpu" for n, one in running.mapping.nodes.items() if one.device == device}
    away = gone if "." in device else {}
    return replace(
        variant,
        name=f"{name}.{node.strip('/').replace('/', '-')}.{device}",
        devices={**variant.devices, **away, node: device},
        transports={**kept, **variant.transports},
    )


def _mapped(running: Running, node: str, device: str, platform: str) -> tuple[GraphMapping, Path]:
    variant = _variant_of(running, node, device)
    graph = replace(running.graph, variants={**running.graph.variants, variant.name: variant})
    mapping = map_or_tell(graph, load_platform(platform), variant.name)
    out = running.folder.parents[1]
    return mapping, variant_folder(graph.name, variant.name, out)


def _require_movable(mapping: GraphMapping, node: str) -> None:
    place = mapping.nodes[node]
    if place.implementation not in _MOVING:
        raise InputError(
            Problem(
                "move-kind",
                f"'{node}' is implemented for {place.implementation}, which cannot move",
                expected=f"a node for one of {listing(_MOVING)}",
            )
        )
    beside = [n for n, other in mapping.nodes.items() if other.device == place.device and n != node]
    if place.kind == "fpga" and beside:
        raise InputError(
            Problem(
                "move-design",
                f"'{node}' would be in one design with {listing(sorted(beside))} on "
                f"{place.device}, and a design that runs is not made anew",
                expected="an FPGA on which no other node of the graph is",
            )
        )


def _config(folder: Path, container: str) -> dict[str, Any]:
    """The container's configuration, with paths that hold anywhere."""
    config = read_json(folder / "gen" / "containers" / f"{container}.json", "run `ligament build`")
    for node in config["nodes"]:
        if node["library"]:
            node["library"] = str((folder / node["library"]).resolve())
    return config
