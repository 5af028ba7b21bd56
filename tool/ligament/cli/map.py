# SPDX-License-Identifier: Apache-2.0
"""`ligament map`: the second stage."""

from __future__ import annotations

from typing import Annotated

import typer

from ligament.artefacts import DEFAULT_OUT, graph_folder, variant_folder, write_json
from ligament.cli.common import (
    GraphArgument,
    JsonOption,
    OutOption,
    PlatformOption,
    VariantOption,
    graph_path,
    print_json,
    warn,
)
from ligament.graph import load_graph
from ligament.mapping import GraphMapping, installed, load_platform, map_graph, planned
from ligament.mapping.model import MappedTopic

All = Annotated[bool, typer.Option("--all", help="Map every variant of the graph.")]
Plan = Annotated[
    bool, typer.Option("--plan", help="Map on paper: also with back-ends that are not installed.")
]


def map_(
    graph: GraphArgument = ".",
    variant: VariantOption = None,
    platform: PlatformOption = "host",
    all_variants: All = False,
    plan: Plan = False,
    out: OutOption = DEFAULT_OUT,
    json: JsonOption = False,
) -> None:
    """Map nodes to devices and topics to transports; every choice says why.

    Writes graph.json and mapping.json. A mapping.json written by hand enters at `generate`.

    Examples:

    `ligament map examples/perception --variant one_process`

    `ligament map graph.yaml --platform platforms/kv260/platform.yaml --plan`
    """
    checked = load_graph(graph_path(graph))
    target = load_platform(platform)
    backends = planned() if plan else installed()
    names = sorted(checked.variants) if all_variants else [variant]
    write_json(graph_folder(checked.name, out) / "graph.json", checked.to_json())
    warn(checked.warnings)
    for name in names:
        mapping = map_graph(checked, target, name, backends)
        warn(tuple(w for w in mapping.warnings if w not in checked.warnings))
        write_json(
            variant_folder(checked.name, mapping.variant, out) / "mapping.json", mapping.to_json()
        )
        if json:
            print_json(mapping.to_json())
        else:
            print("\n".join(explain(mapping)))


def explain(mapping: GraphMapping) -> list[str]:
    """Return the mapping in lines: each node and topic with its place and reason."""
    lines = [f"{mapping.graph}, variant {mapping.variant}, on {mapping.platform}"]
    for container, members in mapping.containers.items():
        lines.append(f"  container {container}")
        for name in members:
            node = mapping.nodes[name]
            replaced = f" (replaces {', '.join(node.replaces)})" if node.replaces else ""
            lines.append(f"    {name}  {node.type}{replaced}: {node.reason.text}")
    for name, topic in mapping.topics.items():
        carried = f"{topic.message} over {', '.join(topic.transports)}"
        lines.append(f"  topic {name}  {carried}: {topic.reason.text}")
        lines += _credit(topic)
    edges = mapping.communication.boundary_all_software
    if edges.total:
        steps = (
            edges,
            mapping.communication.boundary_with_hardware_topics,
            mapping.communication.boundary_with_gateways,
        )
        counted = " -> ".join(
            f"{e.total} ({e.publish} publish + {e.subscribe} subscribe)" for e in steps
        )
        lines.append(f"  edges across the software-hardware boundary: {counted}")
    return lines


def _credit(topic: MappedTopic) -> list[str]:
    """Return a line per hop of a topic in the pool, and one for what each publisher keeps."""
    if topic.credit is None:
        return []
    lines = [f"    {h.publisher} -> {h.subscription}: {h.text}" for h in topic.credit.hops]
    for ring in topic.credit.rings:
        memory = "no bound declared, grows with the messages"
        if ring.memory_bytes is not None:
            memory = f"{ring.blocks} x {topic.bound_bytes} = {ring.memory_bytes} bytes"
        lines.append(f"    {ring.node} keeps {ring.blocks} blocks: {memory}")
    return lines
