# SPDX-License-Identifier: Apache-2.0
"""The executables that graph files name, and what their declared topics do to the graph's."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ligament.errors import Location, Problem, nearest
from ligament.graph import names
from ligament.graph.executable import Executable
from ligament.graph.flatten import Scope
from ligament.graph.loader import display
from ligament.graph.message_names import MessageCatalog
from ligament.graph.model import Node, Topic, Variant
from ligament.graph.node_types import message_problem
from ligament.graph.source import Document
from ligament.graph.topics import Declared, heard_of_nobody, published

_EDGE = "edge"
#: Topics that each node of ROS 2 publishes without being asked.
_OF_EVERY_NODE = ("/parameter_events", "/rosout")


def build_executables(scopes: list[Scope], problems: list[Problem]) -> dict[str, Executable]:
    """Return all executables by name; of a composed graph, its keys stand in front."""
    found: dict[str, Executable] = {}
    for scope in scopes:
        for key in scope.document.data.get("executables", {}):
            name = "-".join((*scope.keys, key))
            found[name] = _Reader(scope, key, problems).read()
    return dict(sorted(found.items()))


class _Reader:
    """One entry of a graph file."""

    def __init__(self, scope: Scope, key: str, problems: list[Problem]) -> None:
        self.scope = scope
        self.path = ("executables", key)
        self.data: Mapping[str, Any] = scope.document.data["executables"][key]
        self.told: Mapping[str, Any] = self.data.get("ros_arguments", {})
        self.problems = problems

    def read(self) -> Executable:
        data, told = self.data, self.told
        self._check_names()
        return Executable(
            executable=self._program(data["executable"]),
            description=data.get("description", ""),
            arguments=tuple(str(word) for word in data.get("arguments", ())),
            name=told.get("name", ""),
            namespace=self._namespace(),
            parameters=told.get("parameters", {}),
            parameter_files=tuple(self._parameter_files()),
            remap={source: self._target(to) for source, to in told.get("remap", {}).items()},
            log_level=told.get("log_level", ""),
            environment=data.get("environment", {}),
            publishes=self._topics("publishes"),
            subscribes=self._topics("subscribes"),
            host=data.get("host"),
            on_failure=data.get("on_failure", self.scope.document.data.get("on_failure", "stop")),
            at=self.scope.document.key_at(*self.path),
        )

    def _beside(self, written: str) -> str:
        """Return the absolute path of a file that stands relative to the graph's."""
        return os.path.abspath(Path(self.scope.document.file).parent / written)

    def _program(self, written: str) -> str:
        if written[0] not in "./":
            return written
        path = self._beside(written)
        if not Path(path).is_file():
            at = self.scope.document.at(*self.path, "executable")
            expected = "a file, relative to the graph file; or PACKAGE/NAME, without ./ in front"
            self.problems.append(_no_file(Path(path), at, expected))
        return path

    def _parameter_files(self) -> Iterator[str]:
        for i, written in enumerate(self.told.get("parameter_files", ())):
            path = self._beside(written)
            if not Path(path).is_file():
                at = self.scope.document.at(*self.path, "ros_arguments", "parameter_files", i)
                self.problems.append(_no_file(Path(path), at))
            yield path

    def _namespace(self) -> str:
        written = str(self.told.get("namespace", ""))
        full = names.join(self.scope.namespace, written)
        return "" if full == "/" and not written else full

    def _target(self, written: str) -> str:
        """Return what a name becomes: as written in the outermost graph, where ROS resolves it."""
        if not self.scope.keys or written.startswith("~"):
            return written
        return self.scope.topic(names.join(self._namespace() or "/", written))

    def _topics(self, key: str) -> dict[str, str]:
        return {
            self.scope.topic(names.join(self.scope.namespace, topic)): message
            for topic, message in self.data.get(key, {}).items()
            if not names.name_fault(topic)
        }

    def _check_names(self) -> None:
        document, told = self.scope.document, ("ros_arguments",)
        checked = [
            (topic, "topic name", document.key_at(*self.path, key, topic))
            for key in ("publishes", "subscribes")
            for topic in self.data.get(key, {})
        ]
        for source, target in self.told.get("remap", {}).items():
            checked.append((source, "name", document.key_at(*self.path, *told, "remap", source)))
            checked.append((target, "name", document.at(*self.path, *told, "remap", source)))
        if "namespace" in self.told:
            at = document.at(*self.path, *told, "namespace")
            checked.append((self.told["namespace"], "namespace", at))
        for name, what, at in checked:
            # rcl has prefixes (node:name), and replaces {node} and {ns}.
            plain = name.rpartition(":")[2].replace("{node}", "x").replace("{ns}", "x")
            if fault := names.name_fault(plain):
                hint = "use `name` and `namespace` of ros_arguments" if "__" in plain else ""
                text = f"'{name}' is no ROS 2 {what}: {fault}"
                self.problems.append(Problem("name-invalid", text, at, hint=hint))


def _no_file(path: Path, at: Location, expected: str = "") -> Problem:
    beside = [p.name for p in path.parent.iterdir()] if path.parent.is_dir() else []
    return Problem(
        "file-missing",
        f"there is no file '{display(path)}'",
        at,
        expected=expected,
        hint=nearest(path.name, beside),
    )


def published_by(executables: Mapping[str, Executable]) -> dict[str, str]:
    """Return the message types of the topics that executables publish."""
    return {topic: of for one in executables.values() for topic, of in one.publishes.items()}


def unheard_by(
    executables: Mapping[str, Executable],
    topics: Mapping[str, Topic],
    declared: Declared,
    scopes: list[Scope],
) -> Iterator[Problem]:
    """Yield a warning for each declared subscription that nobody publishes to."""
    offered = published(topics, published_by(executables))
    places = {end[:2]: document.key_at(*path) for end, document, path in _written(scopes)}
    for key, one in executables.items():
        for topic, message in sorted(one.subscribes.items()):
            outside = declared[topic][2].get("external", ()) if topic in declared else ()
            if topic not in {*offered, *_OF_EVERY_NODE} and "publisher" not in outside:
                at = places.get((key, topic), one.at)
                yield heard_of_nobody(topic, message, key, at, offered)


def _written(
    scopes: list[Scope],
) -> Iterator[tuple[tuple[str, str, str], Document, tuple[str, ...]]]:
    """Yield each declared topic (executable, topic, message type) and where it is written."""
    for scope in scopes:
        for key, data in scope.document.data.get("executables", {}).items():
            for role in ("publishes", "subscribes"):
                for written, message in data.get(role, {}).items():
                    if not names.name_fault(written):
                        topic = scope.topic(names.join(scope.namespace, written))
                        end = ("-".join((*scope.keys, key)), topic, message)
                        yield end, scope.document, ("executables", key, role, written)


def _unknown_types(
    scopes: list[Scope], topics: Mapping[str, Topic], messages: MessageCatalog
) -> Iterator[Problem]:
    """Yield types that do not exist, of packages that are known or where another end differs."""
    packages = {message.partition("/")[0] for message in messages.types}
    ends = list(_written(scopes))
    types = {name: {topic.message} for name, topic in topics.items()}
    for (_, name, message), _, _ in ends:
        types.setdefault(name, set()).add(message)
    for (_, name, message), document, path in ends:
        known_package = message.partition("/")[0] in packages
        if not messages.has(message) and (known_package or len(types[name]) > 1):
            yield message_problem(message, messages, document, path)


def joined_by(
    executables: Mapping[str, Executable],
    topics: Mapping[str, Topic],
    messages: MessageCatalog,
    scopes: list[Scope],
    problems: list[Problem],
) -> dict[str, Topic]:
    """Return the topics with what executables do with them; a different type is a problem."""
    problems += _unknown_types(scopes, topics, messages)
    joined = dict(topics)
    for key, one in executables.items():
        for role, name, message in one.ends():
            if name not in joined:
                continue
            topic = joined[name]
            if message != topic.message and messages.has(message):
                problems.append(_other_type(key, one, topic, message))
            joined[name] = _with(topic, role, one)
    _check_among(executables, topics, messages, problems)
    return joined


def _with(topic: Topic, role: str, one: Executable) -> Topic:
    """Return the topic with one end more; one on another host is reached as any outside end."""
    external = _and(topic.external, role) if one.host else topic.external
    return replace(topic, beside=_and(topic.beside, role), external=external)


def _and(roles: Iterable[str], role: str) -> tuple[str, ...]:
    return tuple(sorted({*roles, role}))


def _other_type(key: str, one: Executable, topic: Topic, message: str) -> Problem:
    return Problem(
        "topic-type-mismatch",
        f"the executable '{key}' has {message} on the topic '{topic.id}'",
        one.at,
        expected=f"{topic.message}, as the ports of nodes there",
    )


def _check_among(
    executables: Mapping[str, Executable],
    topics: Mapping[str, Topic],
    messages: MessageCatalog,
    problems: list[Problem],
) -> None:
    """Two executables on a topic without ports have one type, too."""
    first: dict[str, tuple[str, str]] = {}
    for key, one in executables.items():
        for _, name, message in one.ends():
            if name in topics or not messages.has(message):
                continue
            other, wanted = first.setdefault(name, (key, message))
            if message != wanted:
                text = f"the executable '{key}' has {message} on the topic '{name}'"
                expected = f"{wanted}, as the executable '{other}'"
                problems.append(Problem("topic-type-mismatch", text, one.at, expected))


def check_names(
    executables: Mapping[str, Executable],
    nodes: Mapping[str, Node],
    variants: Mapping[str, Variant],
    problems: list[Problem],
) -> None:
    """Refuse names that a container or the edge may have: logs and messages go by them."""
    taken = {_EDGE: "the edge", "main": "a container"}
    taken |= {_container(n): f"the container of the node '{n}'" for n in nodes}
    for variant in variants.values():
        if not isinstance(variant.containers, str):
            text = f"a container of the variant '{variant.name}'"
            taken |= dict.fromkeys(variant.containers, text)
        taken |= {_container(f.id): f"the fused node '{f.id}'" for f in variant.fuse}
    for name, one in executables.items():
        if name in taken:
            text = f"the executable '{name}' has the name of {taken[name]}"
            hint = "give the executable another key"
            problems.append(Problem("executable-name", text, one.at, hint=hint))


def _container(node: str) -> str:
    """Return the name of a node's own container (mapping/containers.py)."""
    return node.strip("/").replace("/", "-")
