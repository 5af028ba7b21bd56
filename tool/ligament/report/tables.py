# SPDX-License-Identifier: Apache-2.0
"""Per topic and per node what the containers counted: the tables beside a variant's figures.

Counts are added over all lives of a container. A rate is that of the last life, between its first
and its last status line; with one line only there is none. A recording of another system has no
counts: then the trace tells who publishes and takes what, and how often.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import duckdb

from ligament.report.counters import status_events

LEAST_SPAN_NS = 1_000_000_000
"""A few messages at start-up, all within a moment, have no rate."""

_FROM_TRACE = """
WITH ends AS (
  SELECT topic_name AS topic, node_name AS node, publisher AS id, 'publish' AS event FROM publishers
  UNION ALL
  SELECT topic_name, node_name, subscription, 'take' FROM subscriptions),
counted AS (
  SELECT CASE event WHEN 'publish' THEN publisher ELSE subscription END AS id,
         event::VARCHAR AS event, count(*) AS messages, max(time_ns) - min(time_ns) AS span_ns
  FROM events WHERE event IN ('publish', 'take') GROUP BY 1, 2)
SELECT e.topic, e.node, e.event, coalesce(c.messages, 0), coalesce(c.span_ns, 0)
FROM ends e LEFT JOIN counted c ON c.id = e.id AND c.event = e.event
WHERE e.topic IS NOT NULL ORDER BY ALL
"""


def tables_of(status: Path, database: duckdb.DuckDBPyConnection) -> dict[str, Any]:
    """`topics` and `nodes` of a run: as counted, else `topics` as traced."""
    counted = count_tables(status)
    return counted if counted["nodes"] else {"topics": _traced_topics(database), "nodes": []}


def _traced_topics(database: duckdb.DuckDBPyConnection) -> list[dict[str, Any]]:
    topics: dict[str, dict[str, Any]] = {}
    for topic, node, event, messages, span_ns in database.execute(_FROM_TRACE).fetchall():
        row = _topic(topics, topic)
        row |= dict.fromkeys(("bytes", "dropped", "copies", "bytes_copied", "deadline_missed"))
        if node is not None:
            _end(row["from" if event == "publish" else "to"], node)
        row["published" if event == "publish" else "taken"] += messages
        if event == "publish" and messages > 1 and span_ns >= LEAST_SPAN_NS:
            row["rate_hz"] = (row["rate_hz"] or 0.0) + (messages - 1) * 1e9 / span_ns
    return list(topics.values())


@dataclass
class Life:
    """One life of a container: its first status line and its last."""

    container: str
    first: dict[str, Any] = field(default_factory=dict)
    last: dict[str, Any] = field(default_factory=dict)

    @property
    def elapsed_ns(self) -> int:
        """Time between the two lines."""
        return count_of(self.last, "t_ns") - count_of(self.first, "t_ns")


def count_tables(status: Path) -> dict[str, list[dict[str, Any]]]:
    """`topics` and `nodes` of a run from its status.jsonl; both empty where there is none."""
    topics: dict[str, dict[str, Any]] = {}
    nodes: dict[str, dict[str, Any]] = {}
    lives = list(lives_of(status))
    latest = {life.container: life for life in lives}
    for life in lives:
        before = _published(life.first) if latest[life.container] is life else {}
        for node in entries_of(life.last, "nodes"):
            _add_node(nodes, node, life.container)
            _add_topics(topics, node, before, life.elapsed_ns)
    return {
        "topics": [topics[name] for name in sorted(topics)],
        "nodes": [nodes[name] for name in sorted(nodes)],
    }


def lives_of(path: Path) -> Iterator[Life]:
    """Lives in order of their ends; a line that cannot be read, or is cut, is passed over."""
    running: dict[str, Life] = {}
    for event in status_events(path):
        container = str(event.get("container", ""))
        if event.get("event") == "ready" and container in running:
            yield running.pop(container)
        if event.get("event") == "status":
            life = running.setdefault(container, Life(container, first=event))
            life.last = event
    yield from running.values()


def entries_of(entry: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    """The objects of a list in a status line; what is anything else is passed over."""
    found = entry.get(name)
    return [e for e in found if isinstance(e, dict)] if isinstance(found, list) else []


def count_of(entry: Mapping[str, Any], name: str) -> int:
    """A count in a status line; what is none is 0."""
    value = entry.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def _published(line: dict[str, Any]) -> dict[tuple[str, str], int]:
    """Messages sent up to a line, by node and topic."""
    return {
        (str(node.get("id")), str(publisher.get("topic"))): count_of(publisher, "published")
        for node in entries_of(line, "nodes")
        for publisher in entries_of(node, "publishers")
    }


def _add_node(nodes: dict[str, dict[str, Any]], node: dict[str, Any], container: str) -> None:
    name = str(node.get("id"))
    publishers, subscriptions = entries_of(node, "publishers"), entries_of(node, "subscriptions")
    row = nodes.setdefault(
        name,
        {
            "node": name,
            "container": container,
            "published": 0,
            "taken": 0,
            "dropped": 0,
            "copies": 0,
            "cpu_ns": 0,
            "heap_allocs": 0,
        },
    )
    row["published"] += sum(count_of(p, "published") for p in publishers)
    row["taken"] += sum(count_of(s, "taken") for s in subscriptions)
    row["dropped"] += _dropped(publishers, subscriptions)
    row["copies"] += sum(count_of(s, "copies") for s in subscriptions)
    row["cpu_ns"] += count_of(node, "cpu_ns")
    row["heap_allocs"] += count_of(node, "heap_allocs")


def _dropped(publishers: list[dict[str, Any]], subscriptions: list[dict[str, Any]]) -> int:
    """Messages that never reached a callback: not sent, overwritten, expired, not well formed."""
    missed = sum(
        count_of(s, what) for s in subscriptions for what in ("lost", "expired", "invalid")
    )
    return missed + sum(count_of(p, "loans_failed") for p in publishers)


def _add_topics(
    topics: dict[str, dict[str, Any]],
    node: dict[str, Any],
    before: dict[tuple[str, str], int],
    elapsed_ns: int,
) -> None:
    name = str(node.get("id"))
    for publisher in _ends(node, "publishers"):
        row = _topic(topics, publisher["topic"])
        _end(row["from"], name)
        row["published"] += count_of(publisher, "published")
        row["bytes"] += count_of(publisher, "bytes")
        row["dropped"] += _dropped([publisher], [])
        row["deadline_missed"] += count_of(publisher, "deadline_missed")
        since = before.get((name, row["topic"]))
        if since is not None and elapsed_ns > 0:
            sent = max(0, count_of(publisher, "published") - since)
            row["rate_hz"] = (row["rate_hz"] or 0.0) + sent * 1e9 / elapsed_ns
    for subscription in _ends(node, "subscriptions"):
        row = _topic(topics, subscription["topic"])
        _end(row["to"], name)
        row["dropped"] += _dropped([], [subscription])
        for what in ("taken", "copies", "bytes_copied", "deadline_missed"):
            row[what] += count_of(subscription, what)


def _ends(node: dict[str, Any], side: str) -> list[dict[str, Any]]:
    """A node's ends whose topic is told."""
    return [end for end in entries_of(node, side) if isinstance(end.get("topic"), str)]


def _end(names: list[str], node: str) -> None:
    if node not in names:
        names.append(node)


def _topic(topics: dict[str, dict[str, Any]], name: str) -> dict[str, Any]:
    return topics.setdefault(
        name,
        {
            "topic": name,
            "from": [],
            "to": [],
            "published": 0,
            "bytes": 0,
            "rate_hz": None,
            "taken": 0,
            "dropped": 0,
            "copies": 0,
            "bytes_copied": 0,
            "deadline_missed": 0,
        },
    )
