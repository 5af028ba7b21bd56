# SPDX-License-Identifier: Apache-2.0
"""From documents to the normalised graph: the first stage of the pipe.

    graph = resolve(read_project(Path("graph.yaml")))    # or load_graph("graph.yaml") for both

Pure: documents in, dataclasses out. Every problem is collected; if there is any, InputError holds
them all and no graph is returned.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ligament.errors import InputError, Location, Problem, lacks, no_such
from ligament.graph.consistency import inconsistencies
from ligament.graph.executable import Executable
from ligament.graph.executables import (
    build_executables,
    check_names,
    joined_by,
    published_by,
    unheard_by,
)
from ligament.graph.flatten import FlatNode, Scope, flatten
from ligament.graph.ineffective import ineffective
from ligament.graph.loader import Project, display, read_document, read_project
from ligament.graph.model import Check, End, Graph, Node, NodePort, NodeType, from_json
from ligament.graph.node_types import build_node_types
from ligament.graph.parameters import apply_file, apply_values
from ligament.graph.qos import merge
from ligament.graph.source import Document
from ligament.graph.topics import Declared, build_topics, contested, declared_topics, unheard
from ligament.graph.variants import Resolved, build_variants


def load_graph(path: str | Path, also: Collection[str] = ()) -> Graph:
    """Read, check and normalise a graph file; a normalised graph (`.json`) is checked too.

    `also`: node types that it is to have besides those of its nodes and variants.
    """
    path = Path(path)
    if path.suffix == ".json":
        document = read_document(path, "normalised-graph")
        graph = from_json(document.data)
        problems = list(inconsistencies(graph, document))
        if problems:
            raise InputError(problems)
        return graph
    return resolve(read_project(path), also)


def resolve(project: Project, also: Collection[str] = ()) -> Graph:
    """Return the normalised graph of what was read; raise InputError with all problems."""
    problems = list(project.problems)
    types = build_node_types(project.node_types, project.messages, problems)
    flat, scopes = flatten(project.root, problems)
    declared = declared_topics(scopes, problems)
    made = (_node(n, types, declared, project, problems) for n in sorted(flat, key=lambda n: n.id))
    nodes = {node.id: node for node in made if node}
    executables = build_executables(scopes, problems)
    beside = [topic for one in executables.values() for _, topic, _ in one.ends()]
    topics = build_topics(nodes, declared, project.messages, problems, beside)
    topics = joined_by(executables, topics, project.messages, scopes, problems)
    root = project.root.document
    keys = {"/".join((*n.scope.keys, n.key)): n.id for n in flat}
    resolved = Resolved(root, nodes, topics, types, keys, problems=problems)
    check = _check(root, resolved)
    resolved.sink = check.sink if check else None
    variants, default = build_variants(resolved)
    check_names(executables, nodes, variants, problems)
    _check_hosts(flat, executables, root, problems)
    if problems:
        raise InputError(_ordered(problems))
    used = {n.type for n in nodes.values()} | {f.type for v in variants.values() for f in v.fuse}
    used |= set(also) & set(types)
    optional = _optional_ports(nodes, types)
    found = [*unheard(topics, optional, _places(flat), published_by(executables))]
    found += unheard_by(executables, topics, declared, scopes)
    alone = {w.text: w for w in found}
    return Graph(
        name=root.data["name"],
        distro=root.data.get("distro", "jazzy"),
        description=root.data.get("description", ""),
        source=root.file,
        inputs=tuple(sorted({*project.inputs, *(project.node_types[t].file for t in used)})),
        message_packages={k: str(Path(v).resolve()) for k, v in project.messages.packages.items()},
        hosts=root.data.get("hosts", {}),
        types={t: types[t] for t in sorted(used)},
        nodes=nodes,
        topics=topics,
        executables=executables,
        variants=variants,
        default_variant=default,
        check=check,
        warnings=(*alone, *ineffective(topics), *contested(nodes)),
        places=alone,
    )


def _places(flat: list[FlatNode]) -> Callable[[End], Location]:
    """Return what says where the topic of a node's end is chosen."""
    at = {node.id: node for node in flat}
    return lambda end: at[end.node].port_at(end.port)


def _optional_ports(
    nodes: Mapping[str, Node], types: Mapping[str, NodeType]
) -> set[tuple[str, str]]:
    """Return the ports, each with its node, that need no other end."""
    return {
        (node.id, name)
        for node in nodes.values()
        for name, port in types[node.type].ports.items()
        if port.optional
    }


def _ordered(problems: list[Problem]) -> list[Problem]:
    unique = list(dict.fromkeys(problems))
    return sorted(unique, key=lambda p: (p.location is None, p.location, p.code, p.text))


def _node(
    flat: FlatNode,
    types: Mapping[str, NodeType],
    declared: Declared,
    project: Project,
    problems: list[Problem],
) -> Node | None:
    node_type = types.get(flat.data["type"])
    if node_type is None:
        if flat.data["type"] not in {*project.node_types, *project.broken_types}:
            name, at = flat.data["type"], flat.at("type")
            text = f"there is no node type '{name}'"
            problems.append(no_such("node-type-unknown", text, name, types, at, before="one of "))
        return None
    _check_port_names(flat, node_type, problems)
    files = tuple(
        str(Path(flat.scope.document.file).parent / f) for f in flat.data.get("parameter_files", ())
    )
    defaults, given = _parameters(flat, node_type, files, project, problems)
    return Node(
        id=flat.id,
        name=flat.name,
        namespace=flat.namespace,
        type=node_type.type,
        ports={
            name: _port(name, flat, project, node_type, declared, problems)
            for name in sorted(node_type.ports)
        },
        services={name: flat.topic(name) for name in sorted(node_type.services)},
        clients={name: flat.topic(name) for name in sorted(node_type.clients)},
        actions={name: flat.topic(name) for name in sorted(node_type.actions)},
        parameters={**defaults, **given},
        parameters_set=tuple(sorted(given)),
        parameter_files=tuple(display(Path(f)) for f in files),
        description=flat.data.get("description", node_type.description),
        device=flat.data.get("device"),
        device_at=flat.at("device"),
        implementation=flat.data.get("implementation"),
        host=flat.data.get("host"),
        on_failure=flat.data.get("on_failure", flat.scope.document.data.get("on_failure", "stop")),
        at=flat.key_at(),
    )


def _port(
    name: str,
    flat: FlatNode,
    project: Project,
    node_type: NodeType,
    declared: Declared,
    problems: list[Problem],
) -> NodePort:
    port = node_type.ports[name]
    topic = flat.topic(name)
    of_topic: Mapping[str, Any] = declared[topic][2].get("qos", {}) if topic in declared else {}
    of_node = flat.data.get("qos", {}).get(name, {})
    qos = merge(port.qos, of_topic, of_node)
    return NodePort(topic, port.direction, port.message, qos)


def _check_port_names(flat: FlatNode, node_type: NodeType, problems: list[Problem]) -> None:
    """Refuse remaps and QoS that no port, service, client or action would ever see."""
    offered = (*node_type.services, *node_type.actions)
    names = (*node_type.ports, *offered, *node_type.clients)
    known = {
        FlatNode.topic(replace(flat, rules={}, scope=_bare(flat.scope)), name) for name in names
    }
    for source in flat.data.get("remap", {}):
        full = FlatNode.topic(replace(flat, rules={}, scope=_bare(flat.scope)), source)
        # Names that start with __ are refused where rules are read.
        if full not in known and not source.startswith("__"):
            problems.append(
                lacks(
                    "port",
                    node_type.type,
                    source,
                    names,
                    flat.key_at("remap", source),
                )
            )
    for name in flat.data.get("qos", {}):
        if name not in node_type.ports:
            problems.append(
                lacks("port", node_type.type, name, node_type.ports, flat.key_at("qos", name))
            )


def _bare(scope: Scope) -> Scope:
    return replace(scope, outer=())


def _parameters(
    flat: FlatNode,
    node_type: NodeType,
    files: tuple[str, ...],
    project: Project,
    problems: list[Problem],
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the declared defaults, and what files and graph set on top of them."""
    given: dict[str, Any] = {}
    for file in files:
        document = project.parameter_files.get(file)
        if document:
            apply_file(node_type, flat.id, given, document, problems)
    if "parameters" in flat.data:
        apply_values(node_type, given, flat.scope.document, (*flat.path, "parameters"), problems)
    for document, path in flat.scope.overrides:
        override: Any = document.data
        for part in path:
            override = override[part]
        if flat.key in override:
            apply_values(node_type, given, document, (*path, flat.key), problems)
    defaults = {n: p.default for n, p in node_type.parameters.items() if p.default is not None}
    for name, parameter in node_type.parameters.items():
        named = name in flat.data.get("parameters", {})
        if parameter.default is None and name not in given and not named:
            problems.append(
                Problem(
                    "param-missing",
                    f"'{flat.id}' needs the parameter '{name}'",
                    flat.key_at(),
                    expected=f"{name}: {parameter.description}",
                )
            )
    return defaults, given


def _check(root: Document, resolved: Resolved) -> Check | None:
    data = root.data.get("check")
    if not data:
        return None
    sink = resolved.node_id(data["sink"], root.at("check", "sink"))
    return Check(
        sink or "", data.get("compare", "exact"), data.get("tolerance"), data.get("reason", "")
    )


def _check_hosts(
    flat: list[FlatNode],
    executables: Mapping[str, Executable],
    root: Document,
    problems: list[Problem],
) -> None:
    hosts = root.data.get("hosts", {})
    asked = [(node.data.get("host"), node.at("host")) for node in flat]
    asked += [(one.host, one.at) for one in executables.values() if one.at]
    for host, at in asked:
        if host is not None and host not in hosts:
            text = f"there is no host '{host}'"
            problems.append(no_such("host-unknown", text, host, hosts, at))
