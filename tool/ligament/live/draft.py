# SPDX-License-Identifier: Apache-2.0
"""What was seen as a graph: an executable per process, topics with types and QoS.

What cannot be started from here (other computers, other users' processes, parts of Ligament graphs)
is no executable: topics that such ends share with executables are `external`, and a sentence says
who was left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ligament.live.command_line import Started, started_by
from ligament.live.processes import Process, ThisHost
from ligament.live.seen import End, Seen

_RESERVED = ("edge", "main")


@dataclass
class Program:
    """A process that becomes an executable."""

    name: str
    started: Started
    nodes: list[str]
    ends: list[End]


@dataclass
class Draft:
    """A graph to be written, and what it lacks, a sentence each."""

    name: str
    programs: list[Program]
    outside: list[End] = field(default_factory=list)
    gaps: list[str] = field(default_factory=list)
    description: str = ""


def draft_graph(name: str, seen: Seen, here: ThisHost, only: Set[int] | None = None) -> Draft:
    """Return the graph of what was seen; `only`: of these processes."""
    by_pid, others = _by_process(seen, here)
    draft = Draft(name, [])
    taken = set(_RESERVED)
    pool_nodes = {e.node for e in seen.ends if e.in_pool}
    for pid, ends in sorted(by_pid.items()):
        process = here.process(pid)
        told = sorted({e.node for e in ends if e.node})
        if only is not None and pid not in only:
            draft.outside += [e for e in ends if not process or not process.is_ligament]
        elif process is None:
            others.setdefault("of processes that may not be read", []).extend(ends)
        elif process.is_ligament:
            foreign = [e for e in ends if e.node not in pool_nodes or e.in_pool]
            others.setdefault("of Ligament graphs that run", []).extend(foreign)
        else:
            started = started_by(process)
            if started.executable.startswith("/") and not Path(started.executable).is_file():
                others.setdefault("of a program that is not there any more", []).extend(ends)
                continue
            key = _key(told, process, taken)
            draft.programs.append(Program(key, started, told, [e for e in ends if e.message]))
            draft.gaps += _gaps_of(key, started)
    if only is None:
        for why, ends in others.items():
            nodes = sorted({e.node for e in ends if e.node})
            draft.gaps += [f"{', '.join(nodes)} {why}: left out"] if nodes else []
    draft.outside += [e for ends in others.values() for e in ends]
    return draft


def _by_process(seen: Seen, here: ThisHost) -> tuple[dict[int, list[End]], dict[str, list[End]]]:
    """Return the ends of each process of this computer, and the others by why they are."""
    by_pid: dict[int, list[End]] = {}
    others: dict[str, list[End]] = {}
    for end in seen.ends:
        if end.pid is not None and here.is_here(end.host):
            by_pid.setdefault(end.pid, []).append(end)
        elif here.is_here(end.host):
            others.setdefault("of processes that do not tell who they are", []).append(end)
        else:
            others.setdefault(f"on the computer {end.host}", []).append(end)
    return by_pid, others


def _key(nodes: list[str], process: Process, taken: set[str]) -> str:
    """Return a name for it: that of its first node, else its program's; unique."""
    raw = nodes[0].rpartition("/")[2] if nodes else Path(process.words[0]).stem
    base = re.sub(r"[^A-Za-z0-9_-]", "_", raw).lstrip("_-0123456789") or "program"
    name, number = base, 2
    while name in taken:
        name, number = f"{base}_{number}", number + 1
    taken.add(name)
    return name


def _gaps_of(key: str, started: Started) -> Iterable[str]:
    if started.executable.startswith("/"):
        yield f"{key}: {started.executable} is a path of this computer"
    for path in started.parameter_files:
        if not path.is_file():
            yield f"{key}: its parameter file {path} is not there any more: left out"


def topic_entries(draft: Draft) -> dict[str, dict[str, Any]]:
    """Return `topics` of graph.yaml: of those that executables use."""
    used: dict[str, dict[str, Any]] = {}
    for program in draft.programs:
        for end in program.ends:
            entry = used.setdefault(end.topic, {"message": end.message, "qos": {}})
            # Of several ends the publisher's says what there is.
            if end.role == "publisher" or not entry["qos"]:
                entry["qos"] = _qos(end.qos)
    for end in draft.outside:
        if end.topic in used and end.message:
            roles = {*used[end.topic].get("external", ()), end.role}
            used[end.topic]["external"] = sorted(roles)
    return {t: {k: v for k, v in entry.items() if v} for t, entry in sorted(used.items())}


def _qos(seen: Mapping[str, Any]) -> dict[str, Any]:
    """Return what differs from ROS 2's defaults."""
    usual = {"reliability": "reliable", "durability": "volatile", "depth": 10}
    found = {k: v for k, v in seen.items() if usual.get(k) != v}
    for key in ("deadline_ns", "lifespan_ns"):
        if key in found:
            found[f"{key.removesuffix('_ns')}_ms"] = round(found.pop(key) / 1e6, 6)
    return found
