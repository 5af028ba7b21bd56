# SPDX-License-Identifier: Apache-2.0
"""Modes of topics that cannot be: what a copy or a hand-over needs, and the topic does not have."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from ligament.errors import Problem, listing
from ligament.graph.model import Topic, Variant
from ligament.mapping.model import DeviceModel
from ligament.mapping.transports import Choice


@dataclass(frozen=True)
class Mapped:
    """The topics of a variant, and what was decided for them and for the nodes at their ends."""

    topics: Mapping[str, Topic]
    choices: Mapping[str, Choice]
    containers: Mapping[str, str]
    models: Mapping[str, DeviceModel]
    """Of nodes with kernels."""
    python: frozenset[str] = frozenset()
    """Nodes in Python."""

    def in_place(self, topic: Topic) -> tuple[str, ...]:
        """Return the subscribing nodes whose kernels are to be given the topic's own bytes."""
        asked = {end.node: self.models.get(end.node) for end in topic.subscriptions}
        chosen = {n: m.topics.get(topic.id, m).model for n, m in asked.items() if m}
        return tuple(sorted(n for n, model in chosen.items() if model == "zero_copy"))


@dataclass(frozen=True)
class ModeCase:
    """What a rule may look at."""

    topic: Topic
    transports: tuple[str, ...]
    containers: tuple[str, ...]
    """Those that its ends are in."""
    in_place: tuple[str, ...]
    """Subscribing nodes whose kernels are to be given its messages in place."""
    in_python: tuple[str, ...] = ()
    """Nodes of its ends that are in Python."""


@dataclass(frozen=True)
class ModeRule:
    """When a mode cannot be, why, and what to do."""

    modes: tuple[str, ...]
    applies: Callable[[ModeCase], bool]
    text: Callable[[ModeCase], str]
    expected: str


RULES: tuple[ModeRule, ...] = (
    ModeRule(
        ("handed_over",),
        lambda c: "queue" in c.transports,
        lambda c: (
            "its messages move by queue: the device still works on what is sent, and who hands a "
            "message over has it no longer (no overlap)"
        ),
        "mode: shared",
    ),
    ModeRule(
        ("copied", "handed_over"),
        lambda c: not set(c.transports) <= {"shm", "dds"},
        lambda c: f"its messages move by {listing(c.transports)}, which software does not copy",
        "mode: shared",
    ),
    ModeRule(
        ("copied", "handed_over"),
        lambda c: bool(c.in_python),
        lambda c: (
            f"it has ends in Python ({listing(c.in_python)}), where a message is copied or not as "
            "the node's own code takes it"
        ),
        "mode: shared, or the nodes in C++",
    ),
    ModeRule(
        ("handed_over",),
        lambda c: "dds" in c.transports,
        lambda c: (
            "it has ends beyond this process's pool, and what is handed over is a place in it"
        ),
        "mode: shared, or copied",
    ),
    ModeRule(
        ("handed_over",),
        lambda c: len(c.containers) > 1,
        lambda c: (
            f"its ends are in the containers {listing(c.containers)}, and a message is handed over "
            "within one process"
        ),
        "all ends in one container, or mode: shared, or copied",
    ),
    ModeRule(
        ("handed_over",),
        lambda c: any(end.qos.durability == "transient_local" for end in c.topic.publishers),
        lambda c: (
            "its publishers keep what they send for subscriptions that come later "
            "(transient_local), and who hands a message over has it no longer (no overlap)"
        ),
        "durability: volatile, or mode: shared, or copied",
    ),
    ModeRule(
        ("handed_over",),
        lambda c: len(c.topic.subscriptions) > 1 and bool(c.in_place),
        lambda c: (
            f"{len(c.topic.subscriptions)} subscriptions each own a message: all but the first "
            f"get a copy, at another address each time, and the kernels of {listing(c.in_place)} "
            "are to work in place (zero_copy)"
        ),
        "one subscription, or another device model, or mode: shared",
    ),
)


def mode_problems(mapped: Mapped, variant: Variant) -> Iterator[Problem]:
    """Yield each topic whose mode cannot be, with the reason, where the mode was asked for."""
    for name, topic in sorted(mapped.topics.items()):
        inside = tuple(sorted({mapped.containers[end.node] for end in topic.ends}))
        transports = mapped.choices[name].transports
        python = tuple(sorted(mapped.python & {end.node for end in topic.ends}))
        case = ModeCase(topic, transports, inside, mapped.in_place(topic), python)
        for rule in RULES:
            if topic.mode in rule.modes and rule.applies(case):
                yield Problem(
                    "mode-impossible",
                    f"'{name}' cannot be {topic.mode}: {rule.text(case)}",
                    variant.places.get(("modes", name)) or topic.at,
                    expected=rule.expected,
                )
                break
