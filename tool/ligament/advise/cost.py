# SPDX-License-Identifier: Apache-2.0
"""What a change costs besides time: cells of an FPGA, memory, processes, cores."""

from __future__ import annotations

from typing import Any

from ligament.advise.case import Case
from ligament.advise.changes import Change
from ligament.graph.model import Graph
from ligament.mapping import GraphMapping


def cost_of(case: Case, change: Change, graph: Graph) -> dict[str, Any]:
    """`cells` by kind, `pool_bytes`, `processes` (both as differences), and a sentence."""
    mapping = change.mapping
    assert mapping is not None, "what cannot be mapped has no cost"
    cells = _cells(mapping, graph)
    memory = _memory(mapping, case.mapping)
    processes = len(mapping.containers) - len(case.mapping.containers)
    words = []
    if cells:
        words.append(" and ".join(f"{count:,.0f} {name}" for name, count in cells.items()))
    if processes:
        words.append(f"{abs(processes)} process{'es' * (abs(processes) > 1)} "
                     f"{'more' if processes > 0 else 'less'}")  # fmt: skip
    if memory:
        words.append(f"{abs(memory) / 1e6:.3g} MB {'more' if memory > 0 else 'less'} in the pool")
    if mapping.wait.strategy == "poll" and case.mapping.wait.strategy != "poll":
        words.append("a core per process, always busy")
    more = sum(mapping.threads.values()) - sum(case.mapping.threads.values())
    if more > 0:
        words.append("a thread more")
    if change.priority:
        words.append("the right to use real-time priorities; other programs wait")
    return {
        "cells": cells,
        "pool_bytes": memory,
        "processes": processes,
        "text": ", ".join(words) or "nothing",
    }


def _cells(mapping: GraphMapping, graph: Graph) -> dict[str, float]:
    """Of the nodes in hardware, as their manifests tell them, and of their topics' networks."""
    areas: list[Any] = [
        one.area for topic in mapping.topics.values() for one in topic.alternatives if one.chosen
    ]
    for node in mapping.nodes.values():
        if node.kind == "fpga":
            family = mapping.hardware.get(node.device, {}).get("family", "")
            declared = graph.types[node.type].implementations["fpga"].get("area", {})
            areas.append(declared.get(family, {}))
    cells: dict[str, float] = {}
    for area in areas:
        for name, count in area.items():
            cells[name] = cells.get(name, 0.0) + count
    return {name: count for name, count in cells.items() if count}


def _memory(one: GraphMapping, other: GraphMapping) -> int | None:
    """Difference of what publishers keep in the pool, where all of it is bounded."""
    sides = [_pool_bytes(mapping) for mapping in (one, other)]
    if sides[0] is None or sides[1] is None:
        return None
    return sides[0] - sides[1]


def _pool_bytes(mapping: GraphMapping) -> int | None:
    total = 0
    for topic in mapping.topics.values():
        for ring in topic.credit.rings if topic.credit else ():
            if ring.memory_bytes is None:
                return None
            total += ring.memory_bytes
    return total
