# SPDX-License-Identifier: Apache-2.0
"""Causal chains, found from message identity alone: which messages led from a source to a sink.

A publisher that also publishes without a cause (from a timer, or before anything arrived) is a
source. From there: message -> whoever takes it -> what that node publishes because of it, and so
on. A chain visits no node twice, so feedback (a sink that tells its camera "next") ends it.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import duckdb

from ligament.report.database import Column, columns
from ligament.report.names import HOUSEKEEPING

Onward = dict[int, set[tuple[int, int | None]]]
"""Which publishers' messages a publisher's cause, each with the callback it was in."""
MOST_CHAINS = 2000
"""Graphs with many joins have more ways than anybody reads; the search ends here."""


@dataclass(frozen=True)
class Hop:
    """One topic between two nodes of a chain."""

    publisher: int
    subscription: int
    topic: str
    source: str
    target: str
    is_queue: bool = False
    """Whether its payloads stay on a device: then messages are sent before they are written."""


@dataclass(frozen=True)
class Chain:
    """A path through the graph, from the first publisher to the last subscription."""

    hops: tuple[Hop, ...]

    @property
    def nodes(self) -> list[str]:
        """The nodes on the way; where a design of several passes a message on, in and out."""
        found = [self.hops[0].source]
        for hop in self.hops:
            found += [hop.source] if hop.source != found[-1] else []
            found.append(hop.target)
        return found

    @property
    def id(self) -> str:
        """`/camera -> /rectify -> /sink [/image_raw, /image_rect]`: the same in every run."""
        return f"{' -> '.join(self.nodes)} [{', '.join(hop.topic for hop in self.hops)}]"


@dataclass(frozen=True)
class Instances:
    """Every message that started on a chain's source, and how far it came.

    Columns for hop k = 0...; one row per message that reached the end, in order of publication:
    `seq_k`, `pub_begin_k`, `pub_end_k`, `pub_thread_k`, `take_k`, `take_thread_k`; of imports also
    `pub_rcl_k`, `pub_callback_end_k`, `take_ready_k`, `take_execute_k`, `take_rcl_k` (0: not known)
    and `take_intra_k`.
    """

    chain: Chain
    columns: dict[str, Column]
    started: int
    lost_after: tuple[int, ...]
    """Messages that were seen last at hop k: published, but never taken there or passed on."""

    @property
    def complete(self) -> int:
        """Rows: ways from source to sink."""
        return len(self.columns["seq"])

    @property
    def incomplete(self) -> int:
        """Messages of the source that never reached the sink."""
        return sum(self.lost_after)


def find_chains(database: duckdb.DuckDBPyConnection) -> list[Chain]:
    """All maximal chains, longest first, then by id; at most MOST_CHAINS."""
    ends = _taken_by(database)
    onward: Onward = defaultdict(set)
    for cause, handle, publisher in database.execute(
        "SELECT cause_publisher, callback_handle, publisher FROM causes"
    ).fetchall():
        onward[cause].add((publisher, handle))
    found: list[Chain] = []
    sources = database.execute("SELECT publisher FROM sources").fetchall()
    for (publisher,) in sources:
        _extend([], publisher, ends, onward, found)
    unique = {chain.id: chain for chain in found}
    return sorted(unique.values(), key=lambda chain: (-len(chain.hops), chain.id))


def _taken_by(database: duckdb.DuckDBPyConnection) -> dict[int, list[Hop]]:
    rows = database.execute(
        "SELECT h.publisher, h.subscription, "
        "  coalesce(p.topic_name, s.topic_name, printf('0x%x', h.publisher)), "
        "  coalesce(p.node_name, printf('publisher 0x%x', h.publisher)), "
        "  coalesce(s.node_name, printf('subscription 0x%x', h.subscription)), "
        "  coalesce(ends_with(p.message, '@device'), false) "
        "FROM hops h LEFT JOIN publishers p ON p.publisher = h.publisher "
        "LEFT JOIN subscriptions s ON s.subscription = h.subscription ORDER BY ALL"
    ).fetchall()
    ends: dict[int, list[Hop]] = defaultdict(list)
    for row in rows:
        if row[2] not in HOUSEKEEPING:
            ends[row[0]].append(Hop(*row))
    return ends


def _extend(
    way: list[Hop],
    publisher: int,
    ends: dict[int, list[Hop]],
    onward: Onward,
    found: list[Chain],
) -> None:
    """Follow a publisher to all its takers; a way that cannot go on is a chain."""
    visited = {way[0].source, *(hop.target for hop in way)} if way else set()
    for hop in ends.get(publisher, []):
        is_new = hop.target not in visited or _is_response(way, hop)
        if not is_new or hop.target == hop.source or len(found) >= MOST_CHAINS:
            continue
        longer = [*way, hop]
        before = len(found)
        # What was caused by this message, as far as this node published it, or another one did in
        # a callback of this one, of whichever input came last (nodes of one FPGA design).
        here = {
            end.subscription for all_ in ends.values() for end in all_ if end.target == hop.target
        }
        following = {
            one
            for one, handle in onward.get(publisher, ())
            if handle in here or any(end.source == hop.target for end in ends.get(one, []))
        }
        for one in sorted(following):
            _extend(longer, one, ends, onward, found)
        if len(found) == before:
            found.append(Chain(tuple(longer)))


def _is_response(way: list[Hop], hop: Hop) -> bool:
    """Whether a hop goes back to a node because that has called this service, for the first time.

    The names of the two topics are spec/wire/service.md's.
    """
    if not hop.topic.startswith("rr/") or not hop.topic.endswith("Reply"):
        return False
    request = f"rq/{hop.topic.removeprefix('rr/').removesuffix('Reply')}Request"
    calls = [(one.topic, one.source, one.target) for one in way]
    asked = (request, hop.target, hop.source) in calls
    return asked and all(one.topic != hop.topic for one in way)


def instances(
    database: duckdb.DuckDBPyConnection, chain: Chain, *, imported: bool = False
) -> Instances:
    """Follow every message of the source along the chain. `imported`: with the layers' times."""
    _make_instance_table(database, chain, imported)
    last = len(chain.hops) - 1
    # A message that several publications continue counts as complete if one of them arrived.
    reached = ", ".join(
        f"count(*) FILTER (best = {2 * hop} OR best = {2 * hop + 1})" for hop in range(last + 1)
    )
    steps = " + ".join(
        f"(take_{hop} IS NOT NULL)::INT"
        + (f" + (pub_begin_{hop} IS NOT NULL)::INT" if hop > 0 else "")
        for hop in range(last + 1)
    )
    counts = database.execute(
        f"SELECT count(*), {reached} FROM "
        f"(SELECT seq, max({steps}) AS best FROM instances GROUP BY seq)"
    ).fetchone()
    assert counts is not None
    # Steps: 0 published, 1 taken at hop 0, 2 published at hop 1, 3 taken there, ...; the last take
    # is step 2 * last + 1, which is completion and not a loss.
    complete = database.execute(
        f"SELECT count(DISTINCT seq) FROM instances WHERE take_{last} IS NOT NULL"
    ).fetchone()
    assert complete is not None
    # In order of time, those of one first message too: jitter compares neighbours.
    edges = ", ".join(f"pub_end_{hop}, take_{hop}" for hop in range(last + 1))
    lost = [*counts[1:]]
    lost[last] -= complete[0]
    return Instances(
        chain,
        columns(
            database,
            f"SELECT * FROM instances WHERE take_{last} IS NOT NULL ORDER BY row, {edges}",
        ),
        counts[0],
        tuple(lost),
    )


IMPORTED = {
    "pub_rcl": "p{k}.rcl_ns",
    "pub_callback_end": "p{k}.callback_end_ns",
    "take_ready": "t{k}.ready_ns",
    "take_execute": "t{k}.execute_ns",
    "take_rcl": "c{k}.rcl_ns",
    "take_intra": "t{k}.intra",
}


def _make_instance_table(database: duckdb.DuckDBPyConnection, chain: Chain, imported: bool) -> None:
    select = ["p0.row", "p0.seq"]
    joins = ["FROM publications p0"]
    for k, hop in enumerate(chain.hops):
        if k > 0:
            joins.append(
                f"LEFT JOIN publications p{k} ON p{k}.publisher = {hop.publisher} "
                f"AND p{k}.cause_publisher = {chain.hops[k - 1].publisher} "
                f"AND p{k}.cause_seq = p{k - 1}.seq AND t{k - 1}.take_ns IS NOT NULL"
            )
        joins.append(
            f"LEFT JOIN takes t{k} ON t{k}.subscription = {hop.subscription} "
            f"AND t{k}.publisher = {hop.publisher} AND t{k}.seq = p{k}.seq"
        )
        select += [
            f"p{k}.seq::BIGINT AS seq_{k}",
            f"p{k}.begin_ns AS pub_begin_{k}",
            f"p{k}.end_ns AS pub_end_{k}",
            f"thread_of(p{k}.host, p{k}.tid) AS pub_thread_{k}",
            f"t{k}.take_ns AS take_{k}",
            f"thread_of(t{k}.host, t{k}.tid) AS take_thread_{k}",
        ]
        if imported:
            joins.append(
                f"LEFT JOIN callbacks c{k} ON c{k}.handle = {hop.subscription} "
                f"AND c{k}.publisher = {hop.publisher} AND c{k}.seq = t{k}.seq"
            )
            select += [
                f"coalesce({value.format(k=k)}, 0) AS {name}_{k}"
                for name, value in IMPORTED.items()
            ]
    database.execute(
        f"CREATE OR REPLACE TEMP TABLE instances AS SELECT {', '.join(select)} {' '.join(joins)} "
        f"WHERE p0.publisher = {chain.hops[0].publisher}"
    )
