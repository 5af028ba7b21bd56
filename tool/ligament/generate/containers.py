# SPDX-License-Identifier: Apache-2.0
"""Container configurations: which nodes a process holds, with their names, parameters and topics.

What belongs to one run (its id, the trace, absolute paths of libraries) is filled in by
`ligament run`; see spec/run/container.schema.json.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ligament.artefacts import json_text
from ligament.generate.files import Component, GeneratedFile
from ligament.graph.model import plain
from ligament.mapping.credit import SIMULATED_PATIENCE_MS, deepest
from ligament.mapping.device_models import AUTOMATIC
from ligament.mapping.device_topics import ON_HOST
from ligament.mapping.model import GraphMapping, MappedNode, MappedTopic

_ACTION_PARTS = ("send_goal", "cancel_goal", "get_result", "feedback", "status")
# From the strictest wish to the mildest.
_FAILURE_ORDER = ("stop", "restart", "continue")


def container_file(
    mapping: GraphMapping,
    container: str,
    components: Mapping[tuple[str, str], Component],
    own: Mapping[str, Component] | None = None,
) -> GeneratedFile:
    """The configuration of one container.

    `components` says how a node type is loaded in each implementation, `own` of which nodes it is
    otherwise.
    """
    members = {n: mapping.nodes[n] for n in mapping.containers[container]}
    used = sorted({port.topic for node in members.values() for port in node.ports.values()})
    data = {
        "schema": "ligament/container/1",
        "graph": mapping.graph,
        "run_id": "",
        "variant": mapping.variant,
        "container": container,
        "domain": mapping.graph,
        "trace": None,
        "log_level": "info",
        "wait": plain(mapping.wait),
        "executor_threads": mapping.threads.get(container, 1),
        "nodes": [
            _node(name, node, (own or {}).get(name) or components[node.implementation, node.type])
            for name, node in members.items()
        ],
        "topics": {topic: _topic(mapping, topic) for topic in used},
    }
    if served := _called_in_hardware(mapping):
        # In every container: a client is not declared.
        data["services"] = {name: {"patience_ms": SIMULATED_PATIENCE_MS} for name in served}
    return GeneratedFile(f"gen/containers/{container}.json", json_text(data), container)


def _node(name: str, node: MappedNode, component: Component) -> dict[str, Any]:
    data = {
        "id": name,
        "name": node.name,
        "namespace": node.namespace,
        "type": node.type,
        "library": component.library,
        "class": component.class_name,
        "remap": {
            **{port: node.ports[port].topic for port in sorted(node.ports)},
            **dict(sorted({**node.services, **node.clients}.items())),
            **_remapped_actions(node),
        },
        "qos": {port: plain(node.ports[port].qos) for port in sorted(node.ports)},
        "parameters": plain(node.parameters),
        "parameter_files": [],
    }
    if component.parameter_types:
        data["parameter_types"] = plain(component.parameter_types)
    if component.parameter_rules:
        data["parameter_rules"] = plain(component.parameter_rules)
    if node.device_model and node.device_model.model != AUTOMATIC:
        data["device_model"] = node.device_model.model
    if node.device_model and node.device_model.topics:
        data["topic_models"] = {t: one.model for t, one in node.device_model.topics.items()}
    return data


def _remapped_actions(node: MappedNode) -> dict[str, str]:
    """Actions by the names that nodes use; rcl remaps the parts of an action, each for itself."""
    actions = {action: node.actions[action] for action in sorted(node.actions)}
    if node.implementation != "python":
        return actions
    return {
        f"{name}/_action/{part}": f"{to}/_action/{part}"
        for name, to in actions.items()
        for part in _ACTION_PARTS
    }


def _topic(mapping: GraphMapping, name: str) -> dict[str, Any]:
    topic = mapping.topics[name]
    data = {
        "message": topic.message,
        "qos": plain(topic.qos_declared),
        "bound_bytes": topic.bound_bytes,
    }
    if topic.mode != "shared":
        data["mode"] = topic.mode
    if {"shm", "queue"} & set(topic.transports):
        data |= _memory(mapping, topic)
    if "queue" in topic.transports:
        data["queue"] = True
        if len({mapping.nodes[end.node].container for end in topic.ends}) > 1:
            data["queue_crosses"] = True
    return data


def _memory(mapping: GraphMapping, topic: MappedTopic) -> dict[str, Any]:
    """A ring where a subscription is deeper than a publisher, and whether a device takes part."""
    found: dict[str, Any] = {}
    ring = deepest(topic.ends)
    if any(end.direction == "out" and end.qos.depth < ring for end in topic.ends):
        found["ring"] = ring
    if any(mapping.nodes[end.node].kind not in ON_HOST for end in topic.ends):
        found["device"] = True
    if topic.gateway and topic.gateway.subscription:
        found["patience_ms"] = SIMULATED_PATIENCE_MS
    return found


def _called_in_hardware(mapping: GraphMapping) -> list[str]:
    """Services with a side in hardware: a slow simulator is not to count as standing still."""
    nodes = (node for node in mapping.nodes.values() if node.kind == "fpga")
    return sorted({name for n in nodes for name in (*n.services.values(), *n.clients.values())})


def in_python(mapping: GraphMapping, container: str) -> bool:
    """Whether a container is one of Python's."""
    return all(mapping.nodes[n].implementation == "python" for n in mapping.containers[container])


def failure_policy(mapping: GraphMapping, container: str) -> str:
    """What happens when a container ends too early: the strictest wish of its nodes."""
    wishes = {mapping.nodes[n].on_failure for n in mapping.containers[container]}
    return min(wishes, key=_FAILURE_ORDER.index)
