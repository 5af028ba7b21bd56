# SPDX-License-Identifier: Apache-2.0
"""How payloads reach a GPU node: in place, copied both ways, or in memory that the driver moves.

The rules are the table `MODEL_RULES`; the first that has an answer decides. The runtime has the
same rules for what a platform leaves open (runtime/src/gpu/model.cpp, spec/device/gpu.md).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from ligament.errors import Problem
from ligament.graph.model import Node, NodeType, Topic, Variant
from ligament.mapping.model import DeviceModel, Reason
from ligament.mapping.platform import Device

AUTOMATIC = "automatic"


@dataclass(frozen=True)
class ModelCase:
    """What a rule may look at."""

    node: Node
    node_type: NodeType
    device: Device
    variant: Variant

    @property
    def access(self) -> str:
        """Return how the kernels use payloads, as their manifest says."""
        return str(self.node_type.implementations["gpu"].get("access", "cached"))


Answer = tuple[str, str] | None


def _wish(case: ModelCase) -> Answer:
    wish = case.variant.device_models.get(case.node.id)
    return (wish, "the variant asks for it") if wish else None


def _platform_wish(case: ModelCase) -> Answer:
    wish = case.device.model
    return (wish, f"the platform asks for it on {case.device.name}") if wish else None


def _unknown(case: ModelCase) -> Answer:
    if case.device.host_memory:
        return None
    return AUTOMATIC, (
        f"the platform does not say how {case.device.name} reaches main memory, so the runtime "
        f"asks the device when it opens it (access: {case.access})"
    )


def _card(case: ModelCase) -> Answer:
    if case.device.host_memory != "copied":
        return None
    return "standard_copy", f"{case.device.name} has memory of its own"


def _coherent(case: ModelCase) -> Answer:
    if case.device.host_memory != "cached":
        return None
    return "zero_copy", f"{case.device.name} reaches main memory in place, and caches stay on"


def _uncached(case: ModelCase) -> Answer:
    where = f"{case.device.name} reaches main memory in place, with caches off"
    if case.access == "streaming":
        return "zero_copy", f"{where}, which kernels that touch each byte once do not feel"
    return "standard_copy", f"{where}, and the kernels rely on caches"


MODEL_RULES: dict[str, Callable[[ModelCase], Answer]] = {
    "wish": _wish,
    "platform-wish": _platform_wish,
    "not-declared": _unknown,
    "memory-of-its-own": _card,
    "shared-cached": _coherent,
    "shared-uncached": _uncached,
}


def device_model(
    node: Node, node_type: NodeType, device: Device, variant: Variant
) -> DeviceModel | None:
    """Return the model of a node with kernels, with its reason; None for any other node."""
    if device.kind != "gpu":
        return None
    case = ModelCase(node, node_type, device, variant)
    for rule, decide in MODEL_RULES.items():
        answer = decide(case)
        if answer is not None:
            return DeviceModel(answer[0], Reason(rule, answer[1]), _of_topics(node, variant))
    raise AssertionError("the last rule always answers")


def _of_topics(node: Node, variant: Variant) -> dict[str, DeviceModel]:
    """Return the models of those of the node's topics that the variant gives one of their own."""
    topics = sorted({port.topic for port in node.ports.values()} & set(variant.topic_models))
    why = Reason("topic-wish", "the variant asks for it on this topic")
    return {topic: DeviceModel(variant.topic_models[topic], why) for topic in topics}


def topic_model_problems(
    variant: Variant, topics: Mapping[str, Topic], devices: Mapping[str, Device]
) -> Iterator[Problem]:
    """Yield a problem per wish that no kernel would follow."""
    for name in variant.topic_models:
        ends = topics[name].ends if name in topics else ()
        if not any(devices[end.node].kind == "gpu" for end in ends):
            yield Problem(
                "topic-model-unused",
                f"'{name}' has no end on a GPU in this variant, so no device model",
                variant.places.get(("topic_models", name)) or variant.at,
                expected="a topic with an end on a GPU",
            )
