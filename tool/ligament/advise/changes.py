# SPDX-License-Identifier: Apache-2.0
"""What could be changed in a variant, one thing at a time, each as a variant of its own.

A change is a mapping like any other, so that it can be written, built and run. Where the graph
declares a variant with the same mapping, that one's name is used; declared variants that are none
of these changes are looked at, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ligament.advise.blockers import NOTICEABLE, in_the_way, waits_for_others
from ligament.advise.case import Case, interrupted_share
from ligament.errors import InputError
from ligament.graph.fusion import check_fusion, fusion_members
from ligament.graph.model import Edge, Fusion, Graph, NodeType, Variant, Wait
from ligament.graph.names import join
from ligament.mapping import GraphMapping, load_platform, map_graph

HOST, SIMULATED = "host", "fpga_sim"
UNSEEN_BYTES = 65_536
"""Bound of a device's topic of which the run had no message."""


@dataclass(frozen=True)
class Change:
    """One thing that could be done."""

    name: str
    text: str
    """As an order: "run all nodes in one process"."""
    variant: Variant
    mapping: GraphMapping | None
    platform: str = HOST
    declared: bool = False
    """Whether the graph has this variant."""
    one_core: bool | None = None
    """Whether it is to run on one core; None: as it was."""
    priority: bool = False
    refused: str = ""
    """Why it cannot be mapped."""


def find_changes(case: Case, graph: Graph) -> list[Change]:
    """All changes, in the order in which they are found; none twice."""
    base = _base_variant(case, graph)
    wanted = [*_containers(case, base), *_fusions(graph, base), *_devices(case, graph, base)]
    wanted += [*_ways(case, base), *_threads(case, base), *_classes(case, base)]
    found: list[Change] = []
    for name, text, variant, platform in wanted:
        found.append(_mapped(graph, name, text, variant, platform or _home(case, variant)))
    found = [_named(change, graph, case) for change in found]
    seen = {change.variant.name for change in found} | {case.mapping.variant}
    for name, variant in graph.variants.items():
        if name not in seen and not variant.hosts:
            platform = _home(case, variant)
            text = f"use the variant {name}"
            found.append(replace(_mapped(graph, name, text, variant, platform), declared=True))
    found += _by_options(case, base)
    return [change for change in found if not _is_same(change, case)]


Wanted = tuple[str, str, Variant, str]


def _base_variant(case: Case, graph: Graph) -> Variant:
    """The variant as the graph has it; of one that is not there any more, its containers."""
    name = case.mapping.variant
    if name in graph.variants:
        return graph.variants[name]
    groups = {c: tuple(nodes) for c, nodes in case.mapping.containers.items()}
    return Variant(name, containers=groups, wait=case.mapping.wait, edge=case.mapping.edge)


def _containers(case: Case, base: Variant) -> Iterator[Wanted]:
    groups = case.mapping.containers
    if len(groups) > 1:
        whole = replace(base, containers="one")
        yield "one_process", "run all nodes in one process", whole, ""
        hops = _crossing(case)
        if len(groups) > 2 and hops:
            hop = max(hops, key=lambda one: case.share_ns(one, "between_ns"))
            pair = (hop["from"], hop["to"])
            text = f"run {pair[0]} and {pair[1]} in one process"
            left = {c: tuple(n for n in ns if n not in pair) for c, ns in groups.items()}
            both = {"together": pair, **{c: ns for c, ns in left.items() if ns}}
            yield _word("together", *pair), text, replace(base, containers=both), ""
    for container, nodes in groups.items():
        for node in in_the_way(case, nodes) if len(nodes) > 2 else ():
            rest = tuple(n for n in nodes if n != node)
            split: dict[str, Any] = {**groups, container: rest, _word("own", node): (node,)}
            text = f"give {node} a process of its own"
            yield _word("own", node), text, replace(base, containers=split), ""
    if len(groups) < len(case.mapping.nodes):
        text = "run each node in a process of its own"
        yield "processes", text, replace(base, containers="separate"), ""


def _crossing(case: Case) -> list[dict[str, Any]]:
    """Hops of the chain between two containers."""
    nodes = case.mapping.nodes
    return [
        hop
        for hop in case.entry["hops"]
        if hop["from"] in nodes
        and hop["to"] in nodes
        and nodes[hop["from"]].container != nodes[hop["to"]].container
    ]


def _fusions(graph: Graph, base: Variant) -> Iterator[Wanted]:
    """Each hand-fused node type that replaces nodes of the graph."""
    gone = {node for fusion in base.fuse for node in fusion.nodes}
    for node_type in graph.types.values():
        fusion = _fusion_of(graph, node_type)
        if fusion and not gone & set(fusion.nodes):
            text = f"fuse {' and '.join(fusion.nodes)} into one node ({fusion.type})"
            fuse = (*base.fuse, fusion)
            containers = base.containers
            if not isinstance(containers, str):
                containers = _without(containers, fusion)
            yield (
                _word("fuse", *fusion.nodes),
                text,
                replace(base, fuse=fuse, containers=containers),
                "",
            )


def _without(groups: Mapping[str, tuple[str, ...]], fusion: Fusion) -> dict[str, tuple[str, ...]]:
    left = {c: tuple(n for n in ns if n not in fusion.nodes) for c, ns in groups.items()}
    return {c: ns for c, ns in left.items() if ns}


def _fusion_of(graph: Graph, node_type: NodeType) -> Fusion | None:
    """The fusion that replaces one chain of neighbours of the graph; None where there is none."""
    if node_type.fuses is None:
        return None
    wanted = list(node_type.fuses.nodes.values())
    nodes = [next((n for n in graph.nodes.values() if n.type == t), None) for t in wanted]
    if any(node is None for node in nodes):
        return None
    found = [node for node in nodes if node is not None]
    members, fault = fusion_members(node_type, found)
    ids = tuple(node.id for node in found)
    if fault or len(set(ids)) < len(ids) or (graph.check and graph.check.sink in ids):
        return None
    name = join(found[0].namespace, node_type.type.rsplit("/", 1)[-1])
    fusion = Fusion(ids, node_type.type, name, members)
    return None if any(check_fusion(fusion, node_type, graph.nodes, graph.topics)) else fusion


def _devices(case: Case, graph: Graph, base: Variant) -> Iterator[Wanted]:
    """Each node of the chain on each other kind of device that it has an implementation for."""
    for node in dict.fromkeys(case.chain):
        mapped = case.mapping.nodes.get(node)
        node_type = graph.types.get(mapped.type) if mapped else None
        if mapped is None or node_type is None:
            continue
        for kind in node_type.implementations:
            if kind in ("cpu", "gpu", "fpga") and kind != mapped.kind:
                devices = {**base.devices, node: kind}
                bounds = {**_bounds(case, node), **base.bound_bytes}
                variant = replace(base, devices=devices, bound_bytes=bounds)
                text = f"put {node} on the {kind.upper()}"
                yield _word(kind, node), text, variant, ""


def _bounds(case: Case, node: str) -> dict[str, int]:
    """Bounds of a node's topics by what was seen: a device registers its memory by them."""
    topics = {port.topic for port in case.mapping.nodes[node].ports.values()}
    seen: dict[str, int] = {}
    for sent in case.work.sent.values():
        if sent.topic in topics:
            seen[sent.topic] = max(seen.get(sent.topic, 0), sent.bytes)
    return {topic: seen.get(topic, UNSEEN_BYTES) + 1024 for topic in topics}


def _ways(case: Case, base: Variant) -> Iterator[Wanted]:
    if case.setting.dds:
        yield (
            "shm",
            "let processes meet in shared memory, not in DDS",
            replace(base, edge=Edge()),
            "",
        )
    containers = len(case.mapping.containers)
    wakes = any(kind.asleep for kind in case.measured.samples)
    if wakes and case.mapping.wait.strategy == "sleep" and containers < case.cpus:
        text = "let readers look for messages all the time (wait: poll)"
        yield "poll", text, replace(base, wait=Wait("poll")), ""


def _classes(case: Case, base: Variant) -> Iterator[Wanted]:
    """Other classes of topics with ends in hardware: the mapping's own choice, or a gateway."""
    for name, topic in case.mapping.topics.items():
        known = {one.mapped: one.cycles for one in topic.alternatives}
        if not known:
            continue
        wish = {t: way for t, way in base.transports.items() if t != name}
        if name in base.transports:
            text = f"let the mapping choose the transport of {name}"
            yield _word("free", name), text, replace(base, transports=wish), ""
        now, through = known.get(topic.mapped), known.get("gateway")
        if topic.mapped == "software" and through is not None and now is not None and through < now:
            text = f"make {name} a gateway: {through:,} cycles for a message, not {now:,}"
            ways = {**wish, name: ("gateway",)}
            yield _word("gateway", name), text, replace(base, transports=ways), ""


def _threads(case: Case, base: Variant) -> Iterator[Wanted]:
    """A second thread, where messages of the chain wait for another node's callback."""
    for container, nodes in case.mapping.containers.items():
        if len(nodes) > 1 and any(waits_for_others(case, node) for node in nodes):
            text = f"give the process '{container}' two threads"
            yield _word("threads", container), text, replace(base, threads={container: 2}), ""


def _by_options(case: Case, base: Variant) -> list[Change]:
    """What is no mapping, but a way to run."""
    same = Change("", "", base, case.mapping, declared=True)
    found = []
    if case.pinned and case.cpus > 1:
        text = "let it run on any core"
        found.append(replace(same, name="any_core", text=text, one_core=False))
    elif not case.pinned:
        text = "run all processes on one core"
        found.append(replace(same, name="one_core", text=text, one_core=True))
    if interrupted_share(case) > NOTICEABLE:
        text = "raise its priority above other programs of the computer"
        found.append(replace(same, name="priority", text=text, priority=True))
    return found


def _mapped(graph: Graph, name: str, text: str, variant: Variant, platform: str) -> Change:
    """Map a variant on a platform that has its devices."""
    named = replace(variant, name=name)
    changed = replace(graph, variants={**graph.variants, name: named})
    try:
        mapping = map_graph(changed, load_platform(platform), name)
    except InputError as error:
        return Change(name, text, named, None, platform, refused=error.problems[0].text)
    return Change(name, text, named, mapping, platform)


def _home(case: Case, variant: Variant) -> str:
    """A platform with a variant's devices: that of the run, if it has an FPGA."""
    if not any(device.startswith("fpga") for device in variant.devices.values()):
        return HOST
    has_fpga = any(node.kind == "fpga" for node in case.mapping.nodes.values())
    return case.mapping.platform if has_fpga else SIMULATED


def _named(change: Change, graph: Graph, case: Case) -> Change:
    """With the name of the graph's variant that is mapped in the same way, if there is one."""
    for name, variant in graph.variants.items():
        if change.mapping is None or name == case.mapping.variant:
            continue
        if variant.hosts or set(variant.devices) != set(change.variant.devices):
            continue
        declared = _mapped(graph, name, change.text, variant, change.platform)
        if declared.mapping and _essence(declared.mapping) == _essence(change.mapping):
            return replace(change, variant=variant, mapping=declared.mapping, declared=True)
    return change


def _is_same(change: Change, case: Case) -> bool:
    """Whether nothing would change."""
    if change.mapping is None or change.one_core is not None or change.priority:
        return False
    return bool(_essence(change.mapping) == _essence(case.mapping))


def _essence(mapping: GraphMapping) -> str:
    """What a mapping decides: not its names, nor its reasons."""
    nodes = {
        name: (node.type, node.kind, node.implementation, node.host, tuple(node.parameters.items()))
        for name, node in mapping.nodes.items()
    }
    topics = {name: (one.transports, one.mapped, one.mode) for name, one in mapping.topics.items()}
    groups = sorted(tuple(sorted(nodes)) for nodes in mapping.containers.values())
    threads = sorted(mapping.threads.values())
    return repr((sorted(nodes.items()), sorted(topics.items()), groups, threads, mapping.wait,
                 mapping.edge))  # fmt: skip


def _word(*parts: str) -> str:
    return re.sub(r"[^A-Za-z0-9_]+", "_", "_".join(part.strip("/") for part in parts)).strip("_")
