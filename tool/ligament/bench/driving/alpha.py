# SPDX-License-Identifier: Apache-2.0
"""Chain alpha of the published driving graphs: from the take of Image Compensation until Lane
Control's command is published; from the event table of a traced run.

It begins and ends inside of the chain that a report shows, which goes from the camera's publish
call to Lane Control's take: so one more hop, the command's, is followed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import duckdb
import numpy as np

from ligament.bench.measuring import Row, make_row
from ligament.errors import FailureError, listing
from ligament.report.breakdown import Timeline
from ligament.report.chains import Chain, Hop, find_chains, instances
from ligament.report.coverage import Times
from ligament.report.options import WARM_UP_FRAMES
from ligament.report.statistics import percentile, rate_hz, summarise

NODES = (
    "/image_compensation",
    "/gaussian_blur",
    "/image_projection",
    "/lane_following",
    "/lane_control",
)
COMMANDS = "/cmd_vel"


@dataclass(frozen=True)
class Alpha:
    """Per message, in the order of publication; without those that warmed up. All nanoseconds."""

    total: Times
    #: What each node computed itself: its spans.
    compute: dict[str, Times]
    #: What lies between a node's spans and those before it: sending, waking, waiting, taking.
    between: dict[str, Times]
    rate_hz: float | None
    #: Images that were sent before the command to the one before them.
    overlaps: int = 0

    @property
    def passing(self) -> Times:
        """Message passing: all that no node computed."""
        return np.asarray(self.total - sum(self.compute.values()), dtype=np.int64)


def alpha_of(database: duckdb.DuckDBPyConnection, warm_up: int = WARM_UP_FRAMES) -> Alpha:
    """Follow the chain; FailureError where the run has none."""
    chain = _chain(database)
    found = instances(database, chain)
    if found.complete <= warm_up:
        raise FailureError(f"chain alpha: {found.complete} whole messages, none after the warm-up")
    hops = Timeline(database).break_down(found).hops
    last = len(chain.hops) - 1
    kept = slice(warm_up, None)
    table = found.columns
    end, begin = table[f"pub_end_{last}"], table["take_0"]
    compute = {node: hop.node["compute"][kept] for node, hop in zip(NODES, hops[:-1], strict=True)}
    between = {
        name: (np.sum(list(parts.values()), axis=0))[kept]
        for name, parts in zip(NODES[1:], [hop.between for hop in hops[1:-1]], strict=True)
    }
    overlaps = int(np.sum(table["pub_begin_0"][1:][kept] < end[:-1][kept]))
    return Alpha((end - begin)[kept], compute, between, rate_hz(end[kept]), overlaps)


def _chain(database: duckdb.DuckDBPyConnection) -> Chain:
    """From who sends the images to who takes the commands."""
    for chain in find_chains(database):
        way = [hop.target for hop in chain.hops]
        if tuple(way) == NODES:
            return Chain((*chain.hops, _command_hop(database)))
    seen = database.execute("SELECT DISTINCT node_name FROM subscriptions ORDER BY 1").fetchall()
    raise FailureError(
        f"no message passed {', '.join(NODES)} one after the other",
        hint=f"nodes that take messages in this run: {listing(str(name) for (name,) in seen)}",
    )


def _command_hop(database: duckdb.DuckDBPyConnection) -> Hop:
    row = database.execute(
        "SELECT h.publisher, h.subscription, p.topic_name, p.node_name, s.node_name FROM hops h "
        "JOIN publishers p ON p.publisher = h.publisher "
        "JOIN subscriptions s ON s.subscription = h.subscription "
        "WHERE p.node_name = ? AND p.topic_name = ? ORDER BY h.messages DESC",
        [NODES[-1], COMMANDS],
    ).fetchone()
    if row is None:
        raise FailureError(f"nobody took what {NODES[-1]} publishes on {COMMANDS}")
    return Hop(*row)


def rows_of(alphas: Sequence[Alpha], params: dict[str, object]) -> list[Row]:
    """Rows of one variant, of all its passes together."""
    total = np.concatenate([one.total for one in alphas])
    steps = np.concatenate([np.abs(np.diff(one.total)) for one in alphas])
    rows = [
        _row(params, "chain", total),
        _row(params, "chain_p95", [percentile(np.sort(total), 0.95)]),
        _row(params, "jitter", [float(steps.mean()) if steps.size else 0.0]),
        _row(params, "message_passing", np.concatenate([one.passing for one in alphas])),
        make_row(
            "driving", params, "passing_share", "1",
            summarise(np.concatenate([one.passing / one.total for one in alphas])),
        ),
    ]  # fmt: skip
    for node in NODES:
        values = np.concatenate([one.compute[node] for one in alphas])
        rows.append(_row({**params, "node": node}, "compute", values))
    for before, node in pairwise(NODES):
        values = np.concatenate([one.between[node] for one in alphas])
        rows.append(_row({**params, "hop": f"{before} -> {node}"}, "between", values))
    return rows


def _row(params: dict[str, object], metric: str, values: object) -> Row:
    return make_row("driving", params, metric, "ns", summarise(values))
