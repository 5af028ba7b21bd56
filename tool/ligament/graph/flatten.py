# SPDX-License-Identifier: Apache-2.0
"""Composition unfolded: every node of every graph file, with its namespace.

A composed graph moves into its namespace; its topics may be renamed from outside; the outer graph
may set parameters of its nodes. Variants, checks and waits of a composed graph are its own: they
count only where that file is the graph that is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ligament.errors import Location, Problem, no_such
from ligament.graph import names
from ligament.graph.loader import GraphFile
from ligament.graph.source import Document
from ligament.graph.source import Path as DocumentPath


@dataclass(frozen=True)
class Scope:
    """Where a graph file stands: namespace, the keys that lead to it, and the renamings above."""

    document: Document
    namespace: str
    keys: tuple[str, ...] = ()
    outer: tuple[Mapping[str, str], ...] = ()
    overrides: tuple[tuple[Document, DocumentPath], ...] = ()

    def topic(self, name: str) -> str:
        """Return the final name of a topic whose full name in this scope is `name`."""
        for rules in self.outer:
            name = names.remapped(name, rules)
        return name


@dataclass(frozen=True)
class FlatNode:
    """A node as a graph file writes it, with its full name and its scope."""

    key: str
    id: str
    name: str
    namespace: str
    data: Mapping[str, Any]
    path: DocumentPath
    scope: Scope
    rules: Mapping[str, str] = field(default_factory=dict)

    def at(self, *path: str | int) -> Location:
        """Return where something of this node stands."""
        return self.scope.document.at(*self.path, *path)

    def key_at(self, *path: str | int) -> Location:
        """Return where a key of this node stands."""
        return self.scope.document.key_at(*self.path, *path)

    def port_at(self, port: str) -> Location:
        """Return where a port's topic is chosen: in the node's `remap`, else where the node is."""
        full = names.resolve(port, self.namespace, self.name)
        for written in self.data.get("remap", {}):
            if names.resolve(written, self.namespace, self.name) == full:
                return self.at("remap", written)
        return self.key_at()

    def topic(self, port: str) -> str:
        """Return the final name of the topic that a port is connected to."""
        full = names.resolve(port, self.namespace, self.name)
        return self.scope.topic(names.remapped(full, self.rules))


def flatten(root: GraphFile, problems: list[Problem]) -> tuple[list[FlatNode], list[Scope]]:
    """Return all nodes (in file order, outer first) and all scopes."""
    nodes: list[FlatNode] = []
    scopes: list[Scope] = []
    for scope in _scopes(root, Scope(root.document, "/"), problems):
        scopes.append(scope)
        for key, data in scope.document.data.get("nodes", {}).items():
            node = _node(key, data, scope, problems)
            nodes += [node] if node else []
    return _without_twins(nodes, problems), scopes


def _scopes(graph: GraphFile, scope: Scope, problems: list[Problem]) -> Iterator[Scope]:
    yield scope
    for key, part in graph.parts.items():
        entry = graph.document.data["graphs"][key]
        at = graph.document.at("graphs", key, "namespace")
        written = str(entry.get("namespace", key))
        if not _named_well(written, "namespace", at, problems):
            continue
        if part.document.data.get("distro", "jazzy") != graph.document.data.get("distro", "jazzy"):
            problems.append(
                Problem(
                    "graph-distro",
                    f"'{key}' uses another ROS 2 distribution than this graph",
                    at,
                    expected="one distribution for all composed graphs",
                )
            )
        namespace = names.join(scope.namespace, written)
        rules = _rules(graph.document, ("graphs", key), namespace, scope.namespace, problems)
        overrides = _overrides(graph, key, part, problems)
        inner = Scope(
            part.document, namespace, (*scope.keys, key), (rules, *scope.outer), overrides
        )
        yield from _scopes(part, inner, problems)


def _overrides(
    graph: GraphFile, key: str, part: GraphFile, problems: list[Problem]
) -> tuple[tuple[Document, DocumentPath], ...]:
    entry = graph.document.data["graphs"][key].get("parameters", {})
    inner = part.document.data.get("nodes", {})
    for node in entry:
        if node not in inner:
            problems.append(
                no_such(
                    "node-unknown",
                    f"the graph '{key}' has no node '{node}'",
                    node,
                    inner,
                    graph.document.key_at("graphs", key, "parameters", node),
                )
            )
    return ((graph.document, ("graphs", key, "parameters")),) if entry else ()


def _node(
    key: str, data: Mapping[str, Any], scope: Scope, problems: list[Problem]
) -> FlatNode | None:
    document, path = scope.document, ("nodes", key)
    name = data.get("name", key)
    at_name = document.at(*path, "name") if "name" in data else document.key_at(*path)
    written = data.get("namespace", "")
    good = _named_well(name, "node name", at_name, problems)
    if written:
        good = _named_well(written, "namespace", document.at(*path, "namespace"), problems) and good
    if not good:
        return None
    namespace = names.join(scope.namespace, written)
    rules = _node_rules(document, path, data, namespace, name, problems)
    return FlatNode(key, names.join(namespace, name), name, namespace, data, path, scope, rules)


def _node_rules(
    document: Document,
    path: DocumentPath,
    data: Mapping[str, Any],
    namespace: str,
    name: str,
    problems: list[Problem],
) -> dict[str, str]:
    rules: dict[str, str] = {}
    for source, target in data.get("remap", {}).items():
        if _check_rule(document, (*path, "remap", source), source, target, problems):
            rules[names.resolve(source, namespace, name)] = names.resolve(target, namespace, name)
    return rules


def _rules(
    document: Document, path: DocumentPath, inner: str, outer: str, problems: list[Problem]
) -> dict[str, str]:
    entry: Any = document.data
    for part in path:
        entry = entry[part]
    rules: dict[str, str] = {}
    for source, target in entry.get("remap", {}).items():
        if _check_rule(document, (*path, "remap", source), source, target, problems):
            rules[names.join(inner, source)] = names.join(outer, target)
    return rules


def _check_rule(
    document: Document, path: DocumentPath, source: str, target: str, problems: list[Problem]
) -> bool:
    if source in ("__node", "__name", "__ns"):
        problems.append(
            Problem(
                "name-invalid",
                f"'{source}' is not remapped here",
                document.key_at(*path),
                hint="use the node's `name` and `namespace` fields",
            )
        )
        return False
    good = _named_well(source, "topic name", document.key_at(*path), problems)
    return _named_well(target, "topic name", document.at(*path), problems) and good


def _named_well(name: str, what: str, at: Location, problems: list[Problem]) -> bool:
    plain = name
    for key in ("{node}", "{ns}", "{namespace}"):
        plain = plain.replace(key, "x")
    fault = names.name_fault(plain)
    if fault:
        problems.append(Problem("name-invalid", f"'{name}' is no ROS 2 {what}: {fault}", at))
    return not fault


def _without_twins(nodes: list[FlatNode], problems: list[Problem]) -> list[FlatNode]:
    first: dict[str, FlatNode] = {}
    for node in nodes:
        twin = first.setdefault(node.id, node)
        if twin is not node:
            problems.append(
                Problem(
                    "node-duplicate-id",
                    f"two nodes have the id '{node.id}'",
                    node.key_at(),
                    notes=(("the other one is here", twin.key_at()),),
                    hint="give one of them another name or namespace",
                )
            )
    return list(first.values())
