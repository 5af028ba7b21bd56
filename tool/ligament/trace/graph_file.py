# SPDX-License-Identifier: Apache-2.0
"""A graph.yaml, and a node.yaml per node, from what a recording tells: where mapping can start.

What a recording tells: nodes, their topics with directions and depths, message types where a
callback's name holds them, and which nodes shared a process. What it does not tell stays open and
is returned, a sentence each: it is for a person to fill in, never guessed.
"""

from __future__ import annotations

import io
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb
from ruamel.yaml import YAML

from ligament.artefacts import write_text
from ligament.errors import InputError, Problem
from ligament.messages.cpp_names import header_path
from ligament.report.database import open_events
from ligament.report.names import HOUSEKEEPING

LICENCE = "# SPDX-License-Identifier: Apache-2.0\n"
PORTS = """
SELECT e.node_name, e.topic_name, e.message, e.direction, max(e.depth) FROM (
  SELECT node_name, topic_name, message, 'out' AS direction, depth FROM publishers
  UNION ALL SELECT node_name, topic_name, message, 'in', depth FROM subscriptions) e
WHERE e.node_name IS NOT NULL AND e.topic_name IS NOT NULL GROUP BY ALL ORDER BY ALL
"""
PROCESSES = """
SELECT DISTINCT n.name, e.host || ' ' || e.pid FROM events e JOIN nodes n ON n.node = e.node
WHERE e.event = 'node_init' AND n.name IS NOT NULL ORDER BY ALL
"""


@dataclass
class _Node:
    """A node as it will stand in the files."""

    id: str
    key: str
    ports: dict[str, dict[str, Any]] = field(default_factory=dict)
    remap: dict[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.id.rpartition("/")[2]

    @property
    def namespace(self) -> str:
        return self.id.rpartition("/")[0] or "/"

    @property
    def class_name(self) -> str:
        return self.name.title().replace("_", "")


def write_graph(table: Path, path: Path, graph: str) -> list[str]:
    """Write the graph file and its node types; returns what is to be filled in."""
    if path.exists():
        raise InputError(
            Problem(
                "out-in-use",
                f"{path} is there already; a derived graph would overwrite it",
                hint="name another file: --graph FILE",
            )
        )
    database = open_events(table)
    gaps: list[str] = []
    nodes = _nodes(database, gaps)
    if not nodes:
        raise InputError(
            Problem(
                "recording-nodes",
                "no graph can be derived: the recording tells no node",
                hint="start the session before the system, so that its start-up is recorded",
            )
        )
    package = _identifier(graph)
    for node in nodes:
        folder = path.parent / package / node.key.lower()
        _write(folder / "node.yaml", _manifest(package, node))
        write_text(folder / f"{node.key.lower()}.cpp", _source(package, node))
    _write(path, _graph(package, nodes, _containers(database, nodes)))
    services = database.execute("SELECT count(*) FROM services").fetchone()
    if services and services[0]:
        gaps.append(f"{services[0]} services were seen; services are no ports of a graph file yet")
    gaps.append(
        "each node's parameters, and its work: the .cpp beside node.yaml has only the ports"
    )
    return gaps


def _identifier(text: str) -> str:
    name = re.sub(r"[^a-z0-9_]+", "_", text.lower()).strip("_")
    return name if name[:1].isalpha() else f"graph_{name}"


def _nodes(database: duckdb.DuckDBPyConnection, gaps: list[str]) -> list[_Node]:
    names = [row[0] for row in database.execute("SELECT name FROM nodes ORDER BY name").fetchall()]
    nodes: dict[str, _Node] = {}
    keys: set[str] = set()
    for name in filter(None, names):
        key = name.rpartition("/")[2]
        if key in keys:
            key = _identifier(name)
        keys.add(key)
        nodes[name] = _Node(name, key)
    for node, topic, message, direction, depth in database.execute(PORTS).fetchall():
        if topic in HOUSEKEEPING or node not in nodes:
            continue
        if message is None:
            gaps.append(f"{node}: the type of {topic} ({direction}) is not in the recording")
            continue
        _add_port(nodes[node], topic, message, direction, depth)
    return list(nodes.values())


def _add_port(node: _Node, topic: str, message: str, direction: str, depth: int | None) -> None:
    below = node.namespace.rstrip("/") + "/"
    port = topic.removeprefix(below) if topic.startswith(below) else topic.lstrip("/")
    if port in node.ports:  # a node that publishes what it subscribes to
        port = f"{port}/{direction}"
    if below + port != topic:
        node.remap[port] = topic
    entry: dict[str, Any] = {"direction": direction, "message": message}
    if depth:
        entry["qos"] = {"history": "keep_last", "depth": int(depth)}
    node.ports[port] = entry


def _containers(database: duckdb.DuckDBPyConnection, nodes: list[_Node]) -> Any:
    """Nodes by the process that they were in."""
    keys = {node.id: node.key for node in nodes}
    groups: dict[str, list[str]] = {}
    for name, process in database.execute(PROCESSES).fetchall():
        groups.setdefault(process, []).append(keys[name])
    if len(groups) == 1:
        return "one"
    if all(len(group) == 1 for group in groups.values()):
        return "separate"
    return {f"process_{number}": group for number, group in enumerate(groups.values(), 1)}


def _manifest(package: str, node: _Node) -> dict[str, Any]:
    return {
        "schema": "ligament/node/1",
        "type": f"{package}/{node.key.lower()}",
        "description": f"Derived from a recording of {node.id}.",
        "ports": node.ports,
        "implementations": {
            "cpu": {
                "sources": [f"{node.key.lower()}.cpp"],
                "class": f"{package}::{node.class_name}",
            }
        },
    }


def _source(package: str, node: _Node) -> str:
    """A component with the node's ports and nothing behind them."""
    messages = sorted({port["message"] for port in node.ports.values()})
    lines = ["#include <ligament/ligament.hpp>"]
    lines += [f"#include <{header_path(message)}>" for message in messages]
    lines += ["", f"namespace {package} {{", "", "// Derived from a recording: the ports of",
              f"// {node.id}. What it does with them is to be written.",
              f"class {node.class_name} : public ligament::Node {{", " public:",
              f"  explicit {node.class_name}(const ligament::NodeOptions& options) "
              f': Node("{node.name}", options) {{']  # fmt: skip
    members = []
    for number, (port, entry) in enumerate(node.ports.items()):
        kind = f"ligament::{entry['message'].replace('/', '::')}"
        depth = entry.get("qos", {}).get("depth", 10)
        if entry["direction"] == "out":
            lines.append(f'    port_{number}_ = create_publisher<{kind}>("{port}", {depth});')
            members.append(f"  ligament::Publisher<{kind}>::SharedPtr port_{number}_;")
        else:
            lines.append(f'    port_{number}_ = create_subscription<{kind}>("{port}", {depth}, '
                         f"[](ligament::Sample<{kind}>) {{}});")  # fmt: skip
            members.append(f"  ligament::Subscription<{kind}>::SharedPtr port_{number}_;")
    lines += ["  }", "", " private:", *members, "};", "", f"}}  // namespace {package}", "",
              f"LIGAMENT_REGISTER_NODE({package}::{node.class_name})", ""]  # fmt: skip
    return LICENCE.replace("#", "//") + "\n".join(lines)


def _graph(package: str, nodes: list[_Node], containers: Any) -> dict[str, Any]:
    entries = {}
    for node in nodes:
        entry: dict[str, Any] = {"type": f"{package}/{node.key.lower()}"}
        if node.key != node.name:
            entry["name"] = node.name
        if node.namespace != "/":
            entry["namespace"] = node.namespace
        if node.remap:
            entry["remap"] = node.remap
        entries[node.key] = entry
    return {
        "schema": "ligament/graph/1",
        "name": package,
        "description": "Derived from a recording: nodes, topics and processes as they were seen.",
        "packages": ["."],
        "nodes": entries,
        "variants": {
            "recorded": {"description": "Processes as recorded.", "containers": containers}
        },
        "default_variant": "recorded",
    }


def _write(path: Path, document: dict[str, Any]) -> None:
    yaml = YAML()
    yaml.default_flow_style = False
    yaml.width = 120
    text = io.StringIO()
    yaml.dump(document, text)
    write_text(path, LICENCE + text.getvalue())
