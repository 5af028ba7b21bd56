# SPDX-License-Identifier: Apache-2.0
"""What did not reach its callback, or came too late: from the containers' counts to sentences.

Nothing of this fails a run: a keep_last topic may lose messages, and says so. What must not be
lost (a stalled keep_all subscription) is reported by the node as an error besides.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from ligament.run.edge import ORIGIN

#: List in a node's figures, its count, and the sentence: of n messages or requests, a node, and a
#: topic or service (`name`).
_KINDS: tuple[tuple[str, str, str], ...] = (
    ("subscriptions", "lost", "{node} missed {n} of {name}: overwritten before they were taken"),
    ("subscriptions", "expired", "{node} was not given {n} of {name}: older than their lifespan"),
    ("subscriptions", "invalid", "{node} was not given {n} of {name}: not well formed"),
    ("subscriptions", "deadline_missed", "{node} waited for {name} beyond its deadline {n} times"),
    ("publishers", "loans_failed", "{node} could not send {n} on {name}"),
    (
        "publishers",
        "overrun",
        "{node} sent {n} on {name} over what a keep_all subscription had not taken, stalled or "
        "in the same container",
    ),
    ("publishers", "deadline_missed", "{node} published on {name} beyond its deadline {n} times"),
    (
        "services",
        "lost",
        "{node} missed {n} requests of {name}: overwritten before they were taken, so their "
        "clients wait in vain",
    ),
    ("services", "invalid", "{node} was not given {n} requests of {name}: not well formed"),
    ("services", "failed", "{node} could not send {n} replies of {name}"),
    ("services", "dropped", "{node} never answered {n} requests of {name}"),
    ("clients", "failed", "{node} could not send {n} requests to {name}"),
    ("clients", "timeouts", "{node} gave up {n} requests to {name}: not answered in time"),
    ("clients", "invalid", "{node} was not given {n} replies of {name}: not well formed"),
    ("kernels", "refused", "{node} gave no output for {n} messages, which its kernels refused"),
    ("hardware", "refused", "{node} gave no output for {n} messages: its errors say why"),
    ("hardware", "left", "{node} was stopped with {n} messages in hardware that had no answer"),
    ("networks", "drops", "{n} of {name} were dropped in hardware, where queues were full"),
    ("gateways", "failed", "{n} of {name} broke on their way through the gateway of {node}"),
    ("edge", "lost", "{n} of {name} were overwritten before they went out"),
    ("edge", "refused", "{n} of {name} could not go out"),
    (
        "edge",
        "unconfirmed",
        "{n} of {name} were overwritten in the DDS engine before everybody outside had "
        "acknowledged them",
    ),
    ("edge", "missing", "{n} of {name} were sent outside and did not arrive"),
    ("edge", "no_room", "{n} of {name} came from outside and found no memory"),
    ("edge", "too_large", "{n} of {name} came from outside and were beyond the bound"),
    ("edge", "big_endian", "{n} of {name} came from outside in big-endian form"),
    ("edge", "unknown_form", "{n} of {name} came from outside in a form that is not taken"),
)

_Key = tuple[str, str, str, str]
"""Node, topic or service, list, count."""


@dataclass(frozen=True)
class Loss:
    """One count of one end of a topic or service over the whole run, with its sentence."""

    node: str
    topic: str
    what: str
    count: int
    text: str


class Losses:
    """Adds up what the containers count, over all their lives."""

    def __init__(self) -> None:
        self._ended: Counter[_Key] = Counter()
        self._now: dict[tuple[str, str], Counter[_Key]] = {}  # by container and kind of line
        self._stalled: dict[tuple[str, str], dict[str, None]] = {}

    def started(self, container: str) -> None:
        """A container starts (again): its counts begin at zero."""
        for kind in ("status", "edge"):
            self._ended += self._now.pop((container, kind), Counter())

    def take_status(self, container: str, event: dict[str, Any]) -> None:
        """Take in a `status` line: counts since the container's start."""
        counts: Counter[_Key] = Counter()
        for told in event.get("nodes", []):
            hardware = told.get("hardware", {})
            node = {**told, **{side: hardware.get(side, []) for side in ("networks", "gateways")}}
            for side, what, _ in _KINDS:
                ends = node.get(side, [])
                for end in [ends] if isinstance(ends, dict) else ends:
                    name = end.get("topic") or end.get("service", "")
                    key = (node.get("id", ""), name, side, what)
                    counts[key] += int(end.get(what, 0))
            self._note_stalled(node)
        self._now[container, "status"] = counts

    def take_edge(self, container: str, event: dict[str, Any]) -> None:
        """Take in an `edge` line: what did not get out or in, since the edge's start."""
        self._now[container, "edge"] = Counter(
            {
                (ORIGIN, topic["topic"], side, what): int(topic.get(what, 0))
                for topic in event.get("topics", [])
                for side, what, _ in _KINDS
                if side == "edge"
            }
        )

    def _note_stalled(self, node: dict[str, Any]) -> None:
        """Keep who was waited for in vain, in the order in which it was first told."""
        for end in node.get("publishers", []):
            for one in end.get("stalled_by", []):
                names = self._stalled.setdefault((node.get("id", ""), end.get("topic", "")), {})
                names[f"{one['node']} (process {one['pid']})"] = None

    def _text(self, key: _Key, count: int, text: str) -> str:
        node, topic, _, what = key
        names = self._stalled.get((node, topic), {}) if what == "overrun" else {}
        return text.format(n=count, node=node, name=topic) + (
            f": {', '.join(names)}" if names else ""
        )

    def records(self) -> list[Loss]:
        """Return everything that is not zero, by node and topic."""
        total = sum(self._now.values(), self._ended.copy())
        found = []
        for side, what, text in _KINDS:
            for (node, topic, of, name), count in total.items():
                if (of, name) == (side, what) and count:
                    said = self._text((node, topic, of, name), count, text)
                    found.append(Loss(node, topic, what, count, said))
        return sorted(found, key=lambda loss: (loss.node, loss.topic))
