# SPDX-License-Identifier: Apache-2.0
"""What devices did for the messages of a chain, and how long simulations of devices really are.

A device's work belongs to a message by identity, not by thread: several messages may be in flight.
Where it was simulated, the time that the simulator took says nothing: `excess` is what has to be
taken out of a stretch of a thread so that it is as long as the modelled work in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import duckdb
import numpy as np
from numpy.typing import NDArray

from ligament.report.coverage import Coverage, Times
from ligament.report.database import columns

KINDS = ("compute", "copy", "serialise")
"""Where two kinds of work of one message overlap, the earlier one counts."""


@dataclass(frozen=True)
class Visit:
    """The messages of a hop while the next node has them: from their take until they leave it."""

    publisher: int
    subscription: int
    seq: Times
    thread: Times
    """That publishes."""
    begin: Times
    end: Times
    own_end: Times
    """Until when the thread worked on them; only a device may do so later."""


@dataclass(frozen=True)
class Worked:
    """Time of devices within visits: for the message by kind, for others, and in all too much."""

    parts: dict[str, Times]
    others: Times
    excess: Times
    bound_ns: Times
    """How wrong the message's own times may be."""
    base: str


class Devices:
    """All device spans of a trace."""

    def __init__(self, database: duckdb.DuckDBPyConnection, host: Coverage) -> None:
        """`host`: the threads' own outermost spans, which go before a device's."""
        self._database = database
        self._host = host
        found = database.execute("SELECT count(*) FROM device_spans").fetchone()
        self.any = bool(found and found[0])
        self._simulated = self._simulations("true")
        self._of: dict[int, Coverage] = {}

    def excess(self, threads: Times, begin: Times, end: Times) -> Times:
        """Simulators' time in windows of threads, less the modelled time in them."""
        return self._simulated.inside(threads, begin, end)

    def excess_of(self, handle: int, threads: Times, begin: Times, end: Times) -> Times:
        """The same of one subscription's callbacks alone."""
        if not self._simulated:
            return np.zeros(len(begin), dtype=np.int64)
        if handle not in self._of:
            self._of[handle] = self._simulations(f"handle = {handle}")
        return self._of[handle].inside(threads, begin, end)

    def done(self, publisher: int, subscription: int, seq: Times) -> Times:
        """When the devices of the subscription's node were done with each message; 0: no work."""
        rows = columns(
            self._database,
            "SELECT d.seq::BIGINT AS seq, d.end_ns FROM device_spans d JOIN subscriptions s "
            f"  ON s.node = d.node WHERE s.subscription = {subscription} "
            f"  AND d.publisher = {publisher} AND d.time_base <> 'modelled' ORDER BY d.seq",
        )
        return _largest(seq, rows["seq"], rows["end_ns"])

    def worked(self, visit: Visit) -> Worked:
        """What the node's devices did while it had the messages."""
        rows = self._rows(visit)
        modelled = rows["modelled"].astype(bool)
        placed = {name: values[~modelled] for name, values in rows.items()}
        own = self._own(visit, placed, True)
        mine_at_all = self._union(visit, placed, True)[0]
        if modelled.any():
            simulated = self._own(
                visit, {name: values[modelled] for name, values in rows.items()}, False
            )
            own = {kind: own[kind] + simulated[kind] for kind in KINDS}
            mine_at_all = mine_at_all + sum(simulated.values())
        mine = np.isin(rows["seq"], visit.seq)
        return Worked(
            own,
            self._busy(visit, rows, modelled) - mine_at_all,
            self.excess(visit.thread, visit.begin, visit.end),
            _largest(visit.seq, rows["seq"], rows["bound_ns"]),
            "host" if not mine.any() else "modelled" if modelled[mine].any() else "device",
        )

    def _simulations(self, condition: str) -> Coverage:
        found = columns(
            self._database,
            "SELECT thread_of(host, tid) AS thread, begin_ns, end_ns, "
            "  1 - modelled_ns / (end_ns - begin_ns) AS weight "
            f"FROM simulations WHERE {condition}",
        )
        return Coverage(
            found["thread"], found["begin_ns"], found["end_ns"], found["weight"].astype(np.float64)
        )

    def _rows(self, visit: Visit) -> dict[str, Any]:
        """Device spans of the node, by message; of other publishers' messages `seq` is -1.

        With those of other nodes that were told in its callbacks: nodes of one FPGA design.
        """
        return columns(
            self._database,
            f"SELECT CASE WHEN d.publisher = {visit.publisher} THEN d.seq::BIGINT ELSE -1 END "
            "  AS seq, d.begin_ns, d.end_ns, coalesce(d.bound_ns, 0) AS bound_ns, "
            "  d.category::VARCHAR AS category, d.time_base = 'modelled' AS modelled "
            "FROM device_spans d JOIN subscriptions s "
            "  ON s.node = d.node OR s.subscription = d.handle "
            f"WHERE s.subscription = {visit.subscription} ORDER BY seq, d.begin_ns, d.end_ns",
        )

    def _own(self, visit: Visit, rows: dict[str, Any], passed: bool) -> dict[str, Times]:
        """Time of each kind for each message; `passed`: on the host's clock, so it has a place."""
        found: dict[str, Times] = {}
        before = np.zeros(len(visit.seq), dtype=np.int64)
        for count, kind in enumerate(KINDS, 1):
            chosen = np.isin(rows["category"].astype(str), KINDS[:count])
            spent, of_host = self._union(
                visit, {name: values[chosen] for name, values in rows.items()}, passed
            )
            total = spent - of_host
            found[kind], before = total - before, total
        return found

    def _union(self, visit: Visit, rows: dict[str, Any], passed: bool) -> tuple[Times, Times]:
        """Per message, the time in which at least one of these spans of it ran; and how much of it
        its thread spent in spans of its own."""
        first = np.searchsorted(rows["seq"], visit.seq, side="left")
        counts = np.searchsorted(rows["seq"], visit.seq, side="right") - first
        spent, of_host = (np.zeros(len(visit.seq), dtype=np.int64) for _ in range(2))
        until = visit.begin.copy() if passed else np.full_like(visit.begin, np.iinfo(np.int64).min)
        for k in range(int(counts.max(initial=0))):
            has = np.flatnonzero(counts > k)
            span = first[has] + k
            begin = np.maximum(rows["begin_ns"][span], until[has])
            end = rows["end_ns"][span]
            if passed:
                end = np.minimum(end, visit.end[has])
            end = np.maximum(begin, end)
            until[has] = end
            spent[has] += end - begin
            if passed:
                own_end = np.clip(visit.own_end[has], begin, end)
                of_host[has] += self._host.inside(visit.thread[has], begin, own_end)
        return spent, of_host

    def _busy(self, visit: Visit, rows: dict[str, Any], modelled: NDArray[np.bool_]) -> Times:
        """Time of the visits in which the node's devices worked, for whichever message."""
        begins, ends = _merged(rows["begin_ns"][~modelled], rows["end_ns"][~modelled])
        one = np.zeros(len(begins), dtype=np.int64)
        busy = Coverage(one, begins, ends).inside(
            np.zeros(len(visit.seq), dtype=np.int64), visit.begin, visit.end
        )
        if modelled.any():
            busy = busy + self._wall(visit) - self.excess(visit.thread, visit.begin, visit.end)
        return busy

    def _wall(self, visit: Visit) -> Times:
        """Time of the visits that the publishing threads spent simulating."""
        found = columns(
            self._database,
            "SELECT thread_of(host, tid) AS thread, begin_ns, end_ns FROM simulations",
        )
        wall = Coverage(found["thread"], found["begin_ns"], found["end_ns"])
        return wall.inside(visit.thread, visit.begin, visit.end)


def _largest(wanted: Times, seq: Times, values: Times) -> Times:
    """The largest value of each wanted number's rows, which are in order of `seq`; 0: none."""
    if len(seq) == 0:
        return np.zeros(len(wanted), dtype=np.int64)
    numbers, starts = np.unique(seq, return_index=True)
    most = np.maximum.reduceat(values, starts)
    place = np.minimum(np.searchsorted(numbers, wanted), len(numbers) - 1)
    return np.where(numbers[place] == wanted, most[place], 0)


def _merged(begins: Times, ends: Times) -> tuple[Times, Times]:
    """Intervals in order of time, those that touch as one."""
    order = np.argsort(begins, kind="stable")
    begins, ends = begins[order], np.maximum.accumulate(ends[order]) if len(ends) else ends
    starts = np.ones(len(begins), dtype=bool)
    starts[1:] = begins[1:] > ends[:-1]
    last = np.append(np.flatnonzero(starts)[1:] - 1, len(begins) - 1) if len(begins) else starts
    return begins[starts], ends[last]
