# SPDX-License-Identifier: Apache-2.0
"""Makes a node of an ordinary rclpy class: with the graph's name, remaps, parameters and QoS.

A class calls `super().__init__("name")` and knows nothing of the graph. So while it is made,
rclpy's `Node.__init__` adds what the graph says, to the first node alone: one that the class makes
beside itself is its own affair.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from rclpy.exceptions import (
    InvalidParameterTypeException,
    InvalidParameterValueException,
    ParameterException,
)
from rclpy.node import Node
from rclpy.parameter import Parameter

from ligament.python_container.config import NodeConfig
from ligament.python_container.faults import ContainerError, Refused, described
from ligament.python_container.qos import profile_of
from ligament.python_container.rules import keep_rules

_PARAMETER_ERRORS = (
    InvalidParameterTypeException,
    InvalidParameterValueException,
    ParameterException,
)


def make_node(config: NodeConfig, found: Any, rings: Mapping[str, int]) -> Any:
    """The node; raises with what its constructor raised, or with what the graph has wrong."""
    with _given(config, rings):
        try:
            node = found()
        except _PARAMETER_ERRORS as error:
            raise Refused(described(error), node=config.id) from error
        except (Exception, SystemExit) as error:
            traceback.print_exception(error)
            text = f"its constructor raised {described(error)}"
            raise ContainerError(text, node=config.id) from error
    if node.get_fully_qualified_name() != config.id:
        raise Refused(
            f"'{config.class_name}' made the node {node.get_fully_qualified_name()}: it calls "
            "Node.__init__ more than once, or in another way than rclpy's classes do",
            node=config.id,
        )
    _check_parameters(config, node)
    try:
        keep_rules(node, config.parameter_rules)
    except ValueError as error:
        raise Refused(str(error), node=config.id) from error
    return node


def _check_parameters(config: NodeConfig, node: Any) -> None:
    for name, value in config.parameters.items():
        if not node.has_parameter(name):
            text = f"the node declares no parameter '{name}', which its node.yaml has"
            raise Refused(text, node=config.id)
        if value == [] and node.get_parameter(name).value:
            raise Refused(
                f"parameter '{name}' is to be an empty list, which rclpy cannot be given: it would "
                "not know of what; let it be empty in the class, or give it another value",
                node=config.id,
            )


@contextmanager
def _given(config: NodeConfig, rings: Mapping[str, int]) -> Iterator[None]:
    """Within it the next node gets what the graph says."""
    original = Node.__init__

    def init(self: Any, node_name: str, *words: Any, **named: Any) -> None:
        Node.__init__ = original
        _choose_qos(self, config, rings)
        named["cli_args"] = [*arguments_of(config), *(named.get("cli_args") or [])]
        own = named.get("parameter_overrides") or []
        named["parameter_overrides"] = [*own, *parameters_of(config)]
        original(self, node_name, *words, **named)

    Node.__init__ = init
    try:
        yield
    finally:
        Node.__init__ = original


def arguments_of(config: NodeConfig) -> list[str]:
    """Name, namespace and remaps as ROS arguments of this node; the first rule that fits wins."""
    rules = {"__node": config.name, "__ns": config.namespace, **config.remap}
    words = ["--ros-args"]
    for name, to in rules.items():
        words += ["-r", f"{name}:={to}"]
    return [*words, "--"]


def parameters_of(config: NodeConfig) -> list[Any]:
    """The graph's values, each in the type that the manifest declares; no empty lists."""
    types = config.parameter_types
    return [_parameter(n, v, types.get(n)) for n, v in config.parameters.items() if v != []]


def _parameter(name: str, value: Any, kind: str | None) -> Any:
    if kind is None:
        return Parameter(name, value=value)
    if kind == "double":
        value = float(value)
    elif kind == "double_array":
        value = [float(item) for item in value]
    elif kind == "byte_array":
        value = [bytes([item]) for item in value]
    return Parameter(name, getattr(Parameter.Type, kind.upper()), value)


def _choose_qos(node: Any, config: NodeConfig, rings: Mapping[str, int]) -> None:
    """Put the graph's QoS before the node's own, where the topic is a port of its manifest."""
    ports = {config.remap[port]: qos for port, qos in config.qos.items() if port in config.remap}

    def chosen(topic: str, asked: Any, *, publishes: bool) -> Any:
        name = node.resolve_topic_name(topic)
        wanted = ports.get(name)
        return profile_of(wanted, rings.get(name, 0) if publishes else 0) if wanted else asked

    publisher, subscription = node.create_publisher, node.create_subscription

    # The parameters have rclpy's names: callers may use them.
    def create_publisher(
        msg_type: Any, topic: str, qos_profile: Any, *words: Any, **named: Any
    ) -> Any:
        profile = chosen(topic, qos_profile, publishes=True)
        return publisher(msg_type, topic, profile, *words, **named)

    def create_subscription(
        msg_type: Any, topic: str, callback: Any, qos_profile: Any, *words: Any, **named: Any
    ) -> Any:
        profile = chosen(topic, qos_profile, publishes=False)
        return subscription(msg_type, topic, callback, profile, *words, **named)

    node.create_publisher, node.create_subscription = create_publisher, create_subscription
    node.ligament_qos = chosen  # for `ligament.views`, which makes its subscriptions itself
