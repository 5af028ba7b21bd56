# SPDX-License-Identifier: Apache-2.0
"""Modes of topics that cannot be: what a copy or a hand-over needs, and the topic does not have."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from ligament.errors import Problem, listing
from ligament.graph.model import Topic
from ligament.mapping.transports import Choice


@dataclass(frozen=True)
class ModeCase:
    """What a rule may look at."""

    topic: Topic
    transports: tuple[str, ...]
    containers: tuple[str, ...]
    """Those that its ends are in."""


@dataclass(frozen=True)
class ModeRule:
    """When a mode cannot be, why, and what to do."""

    modes: tuple[str, ...]
    applies: Callable[[ModeCase], bool]
    text: Callable[[ModeCase], str]
    expected: str


RULES: tuple[ModeRule, ...] = (
    ModeRule(
        ("copied", "handed_over"),
        lambda c: not set(c.transports) <= {"shm", "dds"},
        lambda c: f"its messages move by {listing(c.transports)}, which software does not copy",
        "mode: shared",
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
)


def mode_problems(
    topics: Mapping[str, Topic], containers: Mapping[str, str], choices: Mapping[str, Choice]
) -> Iterator[Problem]:
    """Yield each topic whose mode cannot be, with the reason."""
    for name, topic in sorted(topics.items()):
        inside = tuple(sorted({containers[end.node] for end in topic.ends}))
        case = ModeCase(topic, choices[name].transports, inside)
        for rule in RULES:
            if topic.mode in rule.modes and rule.applies(case):
                yield Problem(
                    "mode-impossible",
                    f"'{name}' cannot be {topic.mode}: {rule.text(case)}",
                    topic.at,
                    expected=rule.expected,
                )
                break
