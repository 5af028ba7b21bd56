# SPDX-License-Identifier: Apache-2.0
"""The topics that nodes' ports make, and whether their ends fit each other."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any

from ligament.errors import Location, Problem, listing, nearest, no_such
from ligament.graph import names
from ligament.graph.flatten import Scope
from ligament.graph.message_names import MessageCatalog
from ligament.graph.model import End, Node, Topic
from ligament.graph.node_types import message_problem
from ligament.graph.qos import incompatibility
from ligament.graph.source import Document

# The pool's layout has 64 rows per topic (spec/wire/pool.md).
MAX_ENDS = 64

Declared = dict[str, tuple[Document, str, Mapping[str, Any]]]


def declared_topics(scopes: list[Scope], problems: list[Problem]) -> Declared:
    """Return what the graph files say about topics, by final name; the outermost file wins."""
    found: Declared = {}
    for scope in scopes:
        for written, entry in scope.document.data.get("topics", {}).items():
            fault = names.name_fault(written) or (
                "it must not be private" if written[0] == "~" else ""
            )
            if fault:
                at = scope.document.key_at("topics", written)
                problems.append(
                    Problem("name-invalid", f"'{written}' is no ROS 2 topic name: {fault}", at)
                )
                continue
            topic = scope.topic(names.join(scope.namespace, written))
            found.setdefault(topic, (scope.document, written, entry))
    return found


def build_topics(
    nodes: Mapping[str, Node],
    declared: Declared,
    messages: MessageCatalog,
    problems: list[Problem],
    beside: Iterable[str] = (),
) -> dict[str, Topic]:
    """Return all topics with their ends, sorted by id; add what does not fit to `problems`.

    `beside`: topics that executables use, which may be declared without a port at them.
    """
    ends: dict[str, list[End]] = {}
    for node in nodes.values():
        for name, port in node.ports.items():
            ends.setdefault(port.topic, []).append(End(node.id, name, port.direction, port.qos))
    _unknown_topics(declared, {*ends, *beside}, problems)
    topics: dict[str, Topic] = {}
    for name in sorted(ends):
        topics[name] = _topic(name, ends[name], nodes, declared, messages, problems)
    return topics


def _topic(
    name: str,
    ends: list[End],
    nodes: Mapping[str, Node],
    declared: Declared,
    messages: MessageCatalog,
    problems: list[Problem],
) -> Topic:
    ordered = tuple(sorted(ends, key=lambda e: (e.direction != "out", e.node, e.port)))
    message = nodes[ordered[0].node].ports[ordered[0].port].message
    entry: Mapping[str, Any] = {}
    at = wish_at = nodes[ordered[0].node].at
    if name in declared:
        document, written, entry = declared[name]
        at = document.key_at("topics", written)
        wish_at = document.at("topics", written, "transports")
        _check_declared(name, message, declared[name], messages, problems)
    topic = Topic(
        id=name,
        hash=f"0x{names.name_hash(name):016x}",
        message=message,
        qos=ordered[0].qos,
        qos_declared=entry.get("qos", {}),
        ends=ordered,
        bound_bytes=entry.get("bound_bytes"),
        bounds=entry.get("bounds", {}),
        rate_hz=entry.get("rate_hz"),
        transports=tuple(entry["transports"]) if "transports" in entry else None,
        mode=entry.get("mode", "shared"),
        external=tuple(entry.get("external", ())),
        description=entry.get("description", ""),
        at=at,
        transports_at=wish_at,
    )
    _check_messages(topic, nodes, problems)
    _check_qos(topic, nodes, problems)
    return topic


def _unknown_topics(declared: Declared, ends: Collection[str], problems: list[Problem]) -> None:
    for name, (document, written, _) in declared.items():
        if name not in ends:
            problems.append(
                no_such(
                    "topic-unknown",
                    f"no port is connected to the topic '{name}'",
                    name,
                    ends,
                    document.key_at("topics", written),
                )
            )


def _check_declared(
    name: str,
    message: str,
    declared: tuple[Document, str, Mapping[str, Any]],
    messages: MessageCatalog,
    problems: list[Problem],
) -> None:
    document, written, entry = declared
    wanted = entry.get("message")
    if wanted and not messages.has(wanted):
        problems.append(message_problem(wanted, messages, document, ("topics", written, "message")))
    elif wanted and wanted != message:
        problems.append(
            Problem(
                "topic-type-mismatch",
                f"the ports of '{name}' carry {message}",
                document.at("topics", written, "message"),
                expected=wanted,
            )
        )
    for path in entry.get("bounds", {}):
        kind = messages.field_kind(message, path)
        if kind != "unbounded":
            known = messages.unbounded(message)
            text = (
                f"{message} has no field '{path}'"
                if not kind
                else f"the field '{path}' of {message} has its bound already"
            )
            problems.append(
                no_such(
                    "bound-field",
                    text,
                    path,
                    known,
                    document.key_at("topics", written, "bounds", path),
                    before="an unbounded field: ",
                )
            )


def _check_messages(topic: Topic, nodes: Mapping[str, Node], problems: list[Problem]) -> None:
    first = topic.ends[0]
    for end in topic.ends[1:]:
        message = nodes[end.node].ports[end.port].message
        if message != topic.message:
            problems.append(
                Problem(
                    "topic-type-mismatch",
                    f"port '{end.port}' of '{end.node}' carries {message} "
                    f"on the topic '{topic.id}'",
                    nodes[end.node].at,
                    expected=f"{topic.message}, as the other ends",
                    notes=(
                        (f"port '{first.port}' of '{first.node}' is here", nodes[first.node].at),
                    ),
                )
            )
    if len(topic.ends) > MAX_ENDS:
        problems.append(
            Problem(
                "topic-ends",
                f"the topic '{topic.id}' has {len(topic.ends)} ends",
                topic.at,
                expected=f"at most {MAX_ENDS}",
            )
        )


def _check_qos(topic: Topic, nodes: Mapping[str, Node], problems: list[Problem]) -> None:
    for publisher in topic.publishers:
        for subscription in topic.subscriptions:
            reason = incompatibility(publisher.qos, subscription.qos)
            if reason:
                where = _note(publisher, nodes)
                problems.append(
                    Problem(
                        "topic-qos-mismatch",
                        f"'{subscription.node}' cannot get '{topic.id}' "
                        f"from '{publisher.node}': {reason}",
                        nodes[subscription.node].at,
                        notes=(where,),
                        hint="set `qos` of the node's port or of the topic",
                    )
                )


def _note(end: End, nodes: Mapping[str, Node]) -> tuple[str, Location | None]:
    return f"the publisher's port '{end.port}' is here", nodes[end.node].at


def unheard(
    topics: Mapping[str, Topic],
    optional: set[tuple[str, str]],
    place: Callable[[End], Location],
    beside: Mapping[str, str],
) -> Iterator[Problem]:
    """Yield a warning for each subscription that nobody in the graph or outside publishes to.

    What is meant instead, if it is a slip, is a topic that somebody publishes, of the same type.
    `beside`: message types of the topics that executables publish.
    """
    offered = published(topics, beside)
    for topic in topics.values():
        if topic.id in offered:
            continue
        for end in topic.subscriptions:
            if (end.node, end.port) not in optional:
                yield heard_of_nobody(topic.id, topic.message, end.node, place(end), offered)


def published(topics: Mapping[str, Topic], beside: Mapping[str, str]) -> dict[str, str]:
    """Return the message types of all topics that somebody publishes."""
    own = {t.id: t.message for t in topics.values() if t.publishers or "publisher" in t.outside}
    return {**beside, **own}


def heard_of_nobody(
    topic: str, message: str, who: str, at: Location | None, offered: Mapping[str, str]
) -> Problem:
    """Return the warning of a subscription, with the published topic that may be meant."""
    return Problem(
        "topic-unheard",
        f"nobody publishes '{topic}', which '{who}' subscribes to; say "
        "`external: [publisher]` for the topic if it comes from outside",
        at,
        hint=nearest(topic, [name for name, of in offered.items() if of == message]),
    )


def contested(nodes: Mapping[str, Node]) -> list[str]:
    """Return a warning for each service and action that several nodes offer."""
    offering: dict[str, list[str]] = {}
    for node in nodes.values():
        for what, offered in (("action", node.actions), ("service", node.services)):
            for name in offered.values():
                offering.setdefault(f"{what} '{name}'", []).append(node.id)
    return [
        f"{listing(ids)} all offer the {offer}: each gets every request, and the first "
        "response is taken"
        for offer, ids in sorted(offering.items())
        if len(ids) > 1
    ]
