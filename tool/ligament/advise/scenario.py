# SPDX-License-Identifier: Apache-2.0
"""A change applied to a run's jobs: the work and the setting that are replayed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from ligament.advise.case import Case, off_core_ns
from ligament.advise.changes import Change
from ligament.advise.jobs import Job, Work
from ligament.advise.known import Costs, NodeTime
from ligament.advise.setting import Setting
from ligament.advise.transform import Time, fused, retimed, uninterrupted
from ligament.mapping import GraphMapping


class UnknownNodeError(Exception):
    """Nothing is known of the time of a node type on a kind of device."""


@dataclass(frozen=True)
class Scenario:
    """What is replayed, and what it was made from."""

    work: Work
    setting: Setting
    basis: tuple[str, ...] = ()
    cycles: float | None = None
    """Of all designs in hardware, for a message."""


def scenario_of(case: Case, change: Change, costs: Costs, rng: np.random.Generator) -> Scenario:
    """The jobs and their setting after a change; raises where something is not known."""
    mapping = change.mapping
    assert mapping is not None, "a change that cannot be mapped is not predicted"
    found = Scenario(case.work, case.setting)
    if change.priority:
        lost = off_core_ns(case)
        text = f"callbacks lost {sum(lost.values()) / 1e6:.1f} ms of the run to other threads"
        found = replace(found, work=uninterrupted(found.work, lost), basis=(text,))
    for name, node in mapping.nodes.items():
        if node.replaces and node.kind != "fpga":
            found = _with_fused(found, mapping, name, costs, rng)
    found = _on_devices(case, found, mapping, costs, rng)
    return replace(found, setting=_setting(case, found, change))


def _with_fused(
    found: Scenario, mapping: GraphMapping, name: str, costs: Costs, rng: np.random.Generator
) -> Scenario:
    node = mapping.nodes[name]
    work, gone = fused(found.work, set(node.replaces), name)
    known = costs.nodes.get((node.type, node.kind))
    text = f"{name} takes what {' and '.join(node.replaces)} took together"
    if known is not None:
        work = _whole(work, name, known, rng)
        text = known.basis
    setting = replace(found.setting, gone=found.setting.gone | gone)
    return replace(found, work=work, setting=setting, basis=(*found.basis, text))


def _whole(work: Work, node: str, known: NodeTime, rng: np.random.Generator) -> Work:
    """The node's jobs with measured times from their take to their first message."""
    samples = known.samples_ns
    assert samples is not None
    jobs = list(work.jobs)
    for at, job in enumerate(jobs):
        if job.node == node and job.outputs and job.compute_ns > 0:
            gap = round(float(samples[rng.integers(0, len(samples))]))
            change = gap - job.outputs[0].gap_ns
            outputs = [replace(job.outputs[0], gap_ns=gap), *job.outputs[1:]]
            jobs[at] = replace(job, outputs=outputs, end_ns=job.end_ns + change)
    return replace(work, jobs=jobs)


def _on_devices(
    case: Case, found: Scenario, mapping: GraphMapping, costs: Costs, rng: np.random.Generator
) -> Scenario:
    """Nodes that moved to another kind of device."""
    for group in _groups(mapping):
        before = next((g for g in _groups(case.mapping) if group[0] in g), group)
        same = set(before) == set(group) and not _gateways(case, mapping, group)
        if same and all(_is_where_it_was(case, mapping, member) for member in group):
            continue
        if mapping.nodes[group[0]].kind == "fpga":
            found = _in_hardware(case, found, mapping, group, costs)
            continue
        node = mapping.nodes[group[0]]
        known = costs.nodes.get((node.type, node.kind))
        if known is None or known.samples_ns is None:
            raise UnknownNodeError(f"what {node.type} takes on a {node.kind.upper()}")
        work = _whole(found.work, group[0], known, rng)
        found = replace(found, work=work, basis=(*found.basis, known.basis))
    return found


def _is_where_it_was(case: Case, mapping: GraphMapping, node: str) -> bool:
    """Whether a node, or all that it replaces, ran on that kind of device."""
    before = case.mapping.nodes
    parts = [node] if node in before else mapping.nodes[node].replaces
    return all(part in before and before[part].kind == mapping.nodes[node].kind for part in parts)


def _groups(mapping: GraphMapping) -> Iterator[list[str]]:
    """Nodes one by one; those that hardware topics connect, together, from first to last."""
    left = dict(mapping.nodes)
    for topic in mapping.topics.values():
        if topic.mapped != "hardware":
            continue
        ends = sorted(topic.ends, key=lambda end: end.direction != "out")
        group = list(dict.fromkeys(end.node for end in ends if end.node in left))
        for member in group:
            del left[member]
        if group:
            yield group
    yield from ([name] for name in left)


def _in_hardware(
    case: Case, found: Scenario, mapping: GraphMapping, group: list[str], costs: Costs
) -> Scenario:
    """A design: its nodes work on a message at once where a stream is between them."""
    node = mapping.nodes[group[0]]
    clock = mapping.hardware.get(node.device, {}).get("clock_hz")
    if clock is None:
        raise UnknownNodeError(f"the clock of {node.device}")
    sizes = _sizes(case.work, group)
    known = {m: costs.node(mapping.nodes[m].type, "fpga", sizes[m]) for m in group}
    lacking = [mapping.nodes[m].type for m, time in known.items() if time is None]
    if lacking:
        raise UnknownNodeError(f"how many cycles {lacking[0]} takes")
    times = [time for time in known.values() if time is not None]
    cycles = max(time.cycles or 0 for time in times) + _gateways(case, mapping, group)
    around = max(time.around_ns for time in times)
    work, gone = found.work, found.setting.gone
    name = group[0]
    members = set(group) | set(node.replaces)
    if len(members) > 1:
        name = "+".join(group)
        work, more = fused(work, members, name)
        gone = gone | more
    total = round(cycles / clock * 1e9 + around)
    work = retimed(work, name, _constant(total))
    text = "; ".join(dict.fromkeys(time.basis for time in times))
    return replace(
        found,
        work=work,
        setting=replace(found.setting, gone=gone),
        basis=(*found.basis, f"{text}; {clock / 1e6:g} MHz"),
        cycles=(found.cycles or 0) + cycles,
    )


def _gateways(case: Case, mapping: GraphMapping, group: list[str]) -> float:
    """Cycles that a group's messages need more or less where their topics' classes change."""
    changed = 0.0
    for name, topic in mapping.topics.items():
        before = case.mapping.topics.get(name)
        was = before.mapped if before and before.alternatives else "software"
        if topic.mapped == was or "gateway" not in (topic.mapped, was):
            continue
        if any(end.node in group for end in topic.ends):
            cycles = {one.mapped: one.cycles for one in topic.alternatives}
            now, then = cycles.get(topic.mapped), cycles.get(was)
            changed += now - then if now is not None and then is not None else 0
    return changed


def _constant(total: int) -> Time:
    def time(_: Job) -> int:
        return total

    return time


def _sizes(work: Work, group: list[str]) -> dict[str, int]:
    """The largest message that each node takes; of a fused node in hardware, what goes in."""
    sizes = dict.fromkeys(group, 0)
    largest = 0
    for job in work.jobs:
        sent = work.sent.get(job.trigger) if job.trigger else None
        if sent is not None:
            largest = max(largest, sent.bytes)
            if job.node in sizes:
                sizes[job.node] = max(sizes[job.node], sent.bytes)
    return {node: size or largest for node, size in sizes.items()}


def _setting(case: Case, found: Scenario, change: Change) -> Setting:
    """Where nodes are and how many cores there are."""
    mapping = change.mapping
    assert mapping is not None
    numbers = {name: number for number, name in enumerate(sorted(mapping.containers), 1)}
    server_of = {
        node: numbers[container]
        for container, nodes in mapping.containers.items()
        for node in nodes
    }
    for name in {job.node for job in found.work.jobs} - set(server_of):
        first = name.split("+")[0]
        if first in server_of:
            server_of[name] = server_of[first]
    cores = case.setting.cores
    if change.one_core is not None:
        cores = 1 if change.one_core else case.cpus
    return replace(
        found.setting,
        server_of=server_of,
        threads={numbers[c]: n for c, n in mapping.threads.items() if c in numbers},
        cores=cores,
        dds=mapping.edge.wanted and mapping.edge.per == "container",
        awake=mapping.wait.strategy == "poll",
    )
