# SPDX-License-Identifier: Apache-2.0
"""Messages between hosts, and what they tell of the hosts' clocks (spec/run/deploy.md)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import duckdb
import numpy as np

from ligament.trace.clock_fit import ClockMap, Facts, Ints

# One row per message that one host published and another one took: when, by their own clocks. What
# fits two publications is linked to none.
_MESSAGES = """
WITH publishers AS (
  SELECT publisher, any_value(topic) AS topic FROM events WHERE event = 'publisher_init'
  GROUP BY publisher),
subscriptions AS (
  SELECT subscription, any_value(topic) AS topic FROM events WHERE event = 'subscription_init'
  GROUP BY subscription),
published AS (
  SELECT p.topic, e.source_ns, any_value(e.host) AS host,
         min(CASE WHEN e.begin_ns > 0 THEN least(e.begin_ns, e.time_ns) ELSE e.time_ns END) AS at
  FROM events e JOIN publishers p ON p.publisher = e.publisher
  WHERE e.event = 'publish' AND e.source_ns <> 0
  GROUP BY p.topic, e.source_ns HAVING count(*) = 1),
came AS (
  SELECT s.topic, e.source_ns, e.host, min(e.time_ns) AS at
  FROM events e JOIN subscriptions s ON s.subscription = e.subscription
  WHERE e.event = 'relayed' GROUP BY ALL)
SELECT p.host AS source, c.host AS target, p.at AS published, c.at AS taken
FROM came c JOIN published p ON p.topic = c.topic AND p.source_ns = c.source_ns
WHERE p.host <> c.host ORDER BY c.at
"""

Hops = tuple[Ints, Ints]
"""When messages were published, and when taken, each by its own host's clock."""


def facts_of(other: ClockMap, into: Hops | None, out: Hops | None) -> Facts:
    """A message is not taken before it is published, by whatever clock."""
    nothing = np.empty(0, dtype=np.int64)
    lower_at = lower = upper_at = upper = nothing
    if into is not None:
        offset, bound = other.at(into[0])
        lower_at, lower = into[1], into[0] + offset - bound - into[1]
    if out is not None:
        offset, bound = other.at(out[1])
        upper_at, upper = out[0], out[1] + offset + bound - out[0]
    return Facts(lower_at, lower, upper_at, upper)


def messages_between(tables: Mapping[str, Path]) -> dict[tuple[str, str], Hops]:
    """Messages between hosts, by (publishing host, taking host)."""
    if len(tables) < 2:
        return {}
    connection = duckdb.connect(":memory:")
    each = " UNION ALL BY NAME ".join(
        f"SELECT {quoted(host)} AS host, event, publisher, subscription, topic, source_ns, "
        f"begin_ns, time_ns FROM read_parquet({quoted(table)})"
        for host, table in tables.items()
    )
    connection.execute(f"CREATE VIEW events AS {each}")
    rows = connection.execute(_MESSAGES).fetchnumpy()
    found: dict[tuple[str, str], Hops] = {}
    for pair in {*zip(rows["source"], rows["target"], strict=True)}:
        chosen = (rows["source"] == pair[0]) & (rows["target"] == pair[1])
        published = np.ma.getdata(rows["published"])[chosen].astype(np.int64)
        taken = np.ma.getdata(rows["taken"])[chosen].astype(np.int64)
        found[pair] = (published, taken)
    return found


def quoted(text: object) -> str:
    """A text as SQL has it."""
    return "'" + str(text).replace("'", "''") + "'"
