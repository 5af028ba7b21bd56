# SPDX-License-Identifier: Apache-2.0
"""A trace as jobs: every callback with its time, what called it, and what it published when.

    work = read_work(database)
    work.jobs[3].trigger      # the message that it was called with, or None: a timer, a source

A *server* is a process (container) with its threads; `waits` are what each message needed between
its publish call and the job, once thread, node and core were free for it. Where a device was
simulated, a job took as long as the device would have.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

import duckdb
import numpy as np

from ligament.report.coverage import Coverage
from ligament.report.database import columns

Message = tuple[int, int]
"""Publisher and sequence number."""


@dataclass
class Output:
    """A publish call within a job: the time before it, since the last one, and its own."""

    message: Message
    gap_ns: int
    call_ns: int


@dataclass
class Job:
    """One callback, from its take to its end."""

    node: str
    server: int
    thread: int
    begin_ns: int
    end_ns: int
    trigger: Message | None
    handle: int
    compute_ns: int = 0
    outputs: list[Output] = field(default_factory=list)
    left_ns: int = 0
    """When its thread was really done with it: later, where a device was simulated meanwhile."""

    @property
    def took_ns(self) -> int:
        """Its whole time."""
        return self.end_ns - self.begin_ns

    @property
    def needed_until_ns(self) -> int:
        """When it has sent all that it sends: what is left then keeps nobody waiting for a core."""
        return self.end_ns - max(0, self.tail_ns) if self.outputs else self.end_ns

    @property
    def tail_ns(self) -> int:
        """What is left after the last publish call."""
        return self.took_ns - sum(out.gap_ns + out.call_ns for out in self.outputs)


@dataclass(frozen=True)
class Sent:
    """Where a message came from: `node` published it on `topic`, in `job` (an index)."""

    topic: str
    node: str
    job: int
    end_ns: int
    bytes: int


@dataclass
class Work:
    """All jobs of a run, in order of their begin, and the messages between them."""

    jobs: list[Job]
    sent: dict[Message, Sent]
    takers: dict[Message, list[int]]
    threads: dict[int, int]
    """How many threads each server has."""
    awaited: dict[int, list[tuple[int, int]]] = field(default_factory=dict)
    """Jobs that sources wait for: their next jobs, how many ns after its end (`loops.awaited`). One
    that is named by several jobs waits for all of them."""

    def server_of(self) -> dict[str, int]:
        """The server of each node."""
        return {job.node: job.server for job in self.jobs}


_JOBS = """
SELECT thread_of(c.host, c.tid) AS thread, c.handle, c.begin_ns, c.end_ns, c.begin_row, c.end_row,
       coalesce(c.publisher, 0) AS publisher, coalesce(c.seq, 0) AS seq,
       coalesce(t.take_ns, c.begin_ns) AS take_ns
FROM callbacks c LEFT JOIN takes t
  ON t.subscription = c.handle AND t.publisher = c.publisher AND t.seq = c.seq
 AND t.host = c.host AND t.tid = c.tid
ORDER BY c.begin_row
"""
_SENT = """
SELECT p.publisher, p.seq, thread_of(p.host, p.tid) AS thread, p.begin_ns, p.end_ns,
       coalesce(p.bytes, 0) AS bytes, p.row,
       CASE WHEN p.row <= c.end_row THEN c.begin_row ELSE -1 END AS inside
FROM publications p ASOF LEFT JOIN callbacks c
  ON p.host = c.host AND p.tid = c.tid AND p.row >= c.begin_row
ORDER BY p.row
"""


def read_work(database: duckdb.DuckDBPyConnection) -> Work:
    """The jobs of an opened event table (`report.database.open_events`)."""
    names = _names(database)
    servers = _servers(database)
    table = columns(database, _JOBS)
    simulated = _Simulated(database)
    compute = _compute(database, table, simulated)
    jobs: list[Job] = []
    place: dict[int, int] = {}
    for i in range(len(table["handle"])):
        handle, thread = int(table["handle"][i]), int(table["thread"][i])
        called = (int(table["publisher"][i]), int(table["seq"][i]))
        place[int(table["begin_row"][i])] = len(jobs)
        jobs.append(
            Job(
                node=names["handles"].get(handle, f"callback 0x{handle:x}"),
                server=servers.get(thread, thread),
                thread=thread,
                begin_ns=int(min(table["take_ns"][i], table["begin_ns"][i])),
                end_ns=int(table["end_ns"][i]),
                left_ns=int(table["end_ns"][i]),
                trigger=called if called[0] else None,
                handle=handle,
                compute_ns=int(compute[i]),
            )
        )
    sent = _publications(database, names, jobs, place, simulated)
    return _in_order(jobs, sent)


class _Simulated:
    """Time of threads that they simulated devices in, and how much of it was too much."""

    def __init__(self, database: duckdb.DuckDBPyConnection) -> None:
        found = columns(
            database,
            "SELECT thread_of(host, tid) AS thread, begin_ns, end_ns, "
            "  1 - modelled_ns / (end_ns - begin_ns) AS weight FROM simulations",
        )
        times = (found["thread"], found["begin_ns"], found["end_ns"])
        self._all = Coverage(*times)
        self._excess = Coverage(*times, found["weight"].astype(np.float64))

    def modelled(self, thread: Any, begin: Any, end: Any) -> Any:
        """What devices would have worked in stretches of threads."""
        return self._all.inside(thread, begin, end) - self._excess.inside(thread, begin, end)

    def excess(self, thread: int, begin: int, end: int) -> int:
        """Simulators' time in a stretch of a thread, less the devices' own."""
        if not self._excess:
            return 0
        return int(self._excess.inside(*(np.array([v]) for v in (thread, begin, end)))[0])


def _names(database: duckdb.DuckDBPyConnection) -> dict[str, Any]:
    """Nodes of callbacks and publishers, topics of publishers."""
    handles = database.execute(
        "SELECT subscription, node_name FROM subscriptions WHERE node_name IS NOT NULL "
        "UNION SELECT handle, node_name FROM timers WHERE node_name IS NOT NULL "
        "UNION SELECT handle, node_name FROM services WHERE node_name IS NOT NULL"
    ).fetchall()
    ends = database.execute(
        "SELECT publisher, coalesce(node_name, ''), coalesce(topic_name, '') FROM publishers"
    ).fetchall()
    return {"handles": dict(handles), "publishers": {row[0]: row[1:] for row in ends}}


def _servers(database: duckdb.DuckDBPyConnection) -> dict[int, int]:
    """The process of each thread, as a number that no two processes of any hosts share."""
    rows = database.execute(
        "SELECT DISTINCT thread_of(host, tid), thread_of(host, pid) FROM events "
        "WHERE tid IS NOT NULL AND pid IS NOT NULL"
    ).fetchall()
    return dict(rows)


def _compute(
    database: duckdb.DuckDBPyConnection, jobs: dict[str, Any], simulated: _Simulated
) -> Any:
    """Time of each job inside compute spans of its thread, and of simulated devices."""
    found = columns(
        database,
        "SELECT thread_of(host, tid) AS thread, begin_ns, end_ns FROM spans "
        "WHERE outermost AND category = 'compute'",
    )
    spans = Coverage(found["thread"], found["begin_ns"], found["end_ns"])
    if len(jobs["thread"]) == 0:
        return np.zeros(0, dtype=np.int64)
    stretches = (jobs["thread"].astype(np.int64), jobs["begin_ns"], jobs["end_ns"])
    return spans.inside(*stretches) + simulated.modelled(*stretches)


def _publications(
    database: duckdb.DuckDBPyConnection,
    names: dict[str, Any],
    jobs: list[Job],
    place: dict[int, int],
    simulated: _Simulated,
) -> dict[Message, Sent]:
    """Give each publication to its job; one outside any callback is a job of its own."""
    table = columns(database, _SENT)
    sent: dict[Message, Sent] = {}
    marks: dict[int, int] = {}
    for i in range(len(table["publisher"])):
        message = (int(table["publisher"][i]), int(table["seq"][i]))
        node, topic = names["publishers"].get(message[0], ("", ""))
        begin, end = int(table["begin_ns"][i]), int(table["end_ns"][i])
        thread = int(table["thread"][i])
        job = place.get(int(table["inside"][i]), -1)
        if job < 0:
            job = len(jobs)
            # A thread of its own: nobody waits for it, and it waits for nobody.
            jobs.append(Job(node, -thread - 1, -thread - 1, begin, end, None, 0))
        last = marks.get(job, jobs[job].begin_ns)
        begin = min(max(begin, last), end)
        gap = begin - last - simulated.excess(thread, last, begin)
        jobs[job].outputs.append(Output(message, gap, end - begin))
        marks[job] = end
        jobs[job].left_ns = jobs[job].end_ns = max(jobs[job].end_ns, end)
        sent[message] = Sent(topic, node, job, end, int(table["bytes"][i]))
    for one in jobs:
        one.end_ns -= simulated.excess(one.thread, one.begin_ns, one.left_ns)
    return sent


def _in_order(jobs: list[Job], sent: dict[Message, Sent]) -> Work:
    order = sorted(range(len(jobs)), key=lambda i: (jobs[i].begin_ns, i))
    new = {old: at for at, old in enumerate(order)}
    ordered = [jobs[old] for old in order]
    takers: dict[Message, list[int]] = defaultdict(list)
    threads: dict[int, set[int]] = defaultdict(set)
    for at, job in enumerate(ordered):
        threads[job.server].add(job.thread)
        if job.trigger is not None:
            takers[job.trigger].append(at)
    moved = {
        message: Sent(one.topic, one.node, new[one.job], one.end_ns, one.bytes)
        for message, one in sent.items()
    }
    return Work(ordered, moved, dict(takers), {s: len(found) for s, found in threads.items()})
