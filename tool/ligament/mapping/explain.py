# SPDX-License-Identifier: Apache-2.0
"""A mapping in words: each node and topic with its place, its reason and what it costs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ligament.mapping.model import Alternative, GraphMapping, MappedTopic


def explain(mapping: GraphMapping) -> list[str]:
    """Return the mapping in lines: each node and topic with its place and reason."""
    lines = [f"{mapping.graph}, variant {mapping.variant}, on {mapping.platform}"]
    for container, members in mapping.containers.items():
        lines.append(f"  container {container}")
        for name in members:
            node = mapping.nodes[name]
            replaced = f" (replaces {', '.join(node.replaces)})" if node.replaces else ""
            lines.append(f"    {name}  {node.type}{replaced}: {node.reason.text}")
            if node.pixels:
                lines.append(f"      {node.pixels.per_cycle} pixels per cycle: {node.pixels.text}")
    for device, figures in mapping.hardware.items():
        for side, clock in figures.get("clocks", {}).items():
            told = f"{clock['name']}, {clock['hz'] / 1e6:g} MHz: {clock['text']}"
            lines.append(f"  clock of {device}'s {side}  {told}")
        lines += [f"  {device} needs {line}" for line in _needs(figures)]
    for name, topic in mapping.topics.items():
        carried = f"{topic.message} over {', '.join(topic.transports)}"
        lines.append(f"  topic {name}  {carried}: {topic.reason.text}")
        lines += [f"    {line}" for line in (*predictions(topic), *_credit(topic))]
    return [*lines, *_boundary(mapping), *_optimised(mapping)]


def _needs(figures: Mapping[str, Any]) -> list[str]:
    """Return a line per resource: what the cells that are known take of the budget."""
    return [
        f"{need['cores'] + need['around']:g} of {figures['budgets'][resource]:g} {resource}: cores "
        f"{need['cores']:g}, around them {need['around']:g}"
        for resource, need in figures.get("needs", {}).items()
    ]


def predictions(topic: MappedTopic) -> list[str]:
    """Return a line per class that a topic could have, and those of its network in hardware."""
    lines = [_alternative(a) for a in topic.alternatives]
    if topic.stream is not None:
        lines.append(f"stream of {topic.stream.width_bits} bits: {topic.stream.text}")
        lines += [
            f"queue of {q.node}: {q.kind}, {q.depth_beats} beats: {q.text}"
            for q in topic.stream.queues
        ]
    return lines


def _alternative(alternative: Alternative) -> str:
    figures = []
    if alternative.cycles is not None:
        figures.append(f"{alternative.cycles} cycles")
    if alternative.memory_bytes is not None:
        figures.append(f"{alternative.memory_bytes} bytes over memory")
    figures += [f"{value:g} {name}" for name, value in alternative.area.items()]
    mark = "is" if alternative.chosen else "could be"
    told = f"{', '.join(figures)} predicted: " if figures else ""
    return f"{mark} {alternative.mapped}: {told}{alternative.text}"


def _credit(topic: MappedTopic) -> list[str]:
    """Return a line per hop of a topic in the pool, and one for what each publisher keeps."""
    if topic.credit is None:
        return []
    lines = [f"{h.publisher} -> {h.subscription}: {h.text}" for h in topic.credit.hops]
    for ring in topic.credit.rings:
        memory = "no bound_bytes declared, grows with the messages"
        if ring.memory_bytes is not None:
            memory = f"{ring.blocks} x {topic.bound_bytes} = {ring.memory_bytes} bytes"
        lines.append(f"{ring.node} keeps {ring.blocks} blocks: {memory}")
    return lines


def _optimised(mapping: GraphMapping) -> list[str]:
    """Return the mapping by the rules beside the proposed one, in lines."""
    found = mapping.optimised
    if found is None:
        return []
    rows = [
        ("longest way through the graph", found.before.chain_ns, found.after.chain_ns, "ns"),
        ("all nodes and topics together", found.before.total_ns, found.after.total_ns, "ns"),
        ("memory port", found.before.bytes_per_s, found.after.bytes_per_s, "bytes/s"),
    ]
    names = sorted({*found.before.area, *found.after.area, *found.budgets} - {"bytes_per_s"})
    rows += [(n, found.before.area.get(n, 0), found.after.area.get(n, 0), "") for n in names]
    budgets = {**found.budgets, "memory port": found.budgets.get("bytes_per_s")}
    lines = ["  optimised, predicted before -> after:"]
    for name, before, after, unit in rows:
        budget = budgets.get(name)
        limit = "" if budget is None else f" of {budget}"
        lines.append(f"    {name}: {before} -> {after}{limit} {unit}".rstrip())
    moved = ", ".join(f"{node} {way}" for node, way in found.moved.items())
    lines.append(f"    moved: {moved or 'nothing, the rules have the best already'}")
    return [*lines, *(f"    {remark}" for remark in found.remarks)]


def _boundary(mapping: GraphMapping) -> list[str]:
    found = mapping.communication
    steps = {
        "with all topics in software": found.boundary_all_software,
        "with topics in hardware": found.boundary_with_hardware_topics,
        "with gateways": found.boundary_with_gateways,
    }
    if not found.boundary_all_software.total:
        return []
    counted = " -> ".join(
        f"{e.total} ({e.publish} publish + {e.subscribe} subscribe) {how}"
        for how, e in steps.items()
    )
    return [f"  edges across the software-hardware boundary: {counted}"]
