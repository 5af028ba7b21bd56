# SPDX-License-Identifier: Apache-2.0
"""How long a chain takes now: from a message of one topic to the message of another that it caused.

Where messages of both topics have a stamp in front (a header), those with the same stamp belong
together, as ROS nodes pass the stamp on. Else a message answers the newest one before it that was
not answered yet. Both times are those of publishing, as the pool has them.
"""

from __future__ import annotations

import collections
from dataclasses import dataclass, field
from typing import Any

#: Chains that percentiles are of, and first messages that wait for their end.
KEPT, WAITING = 300, 200


@dataclass(frozen=True)
class Event:
    """A message of one of the two topics."""

    t_ns: int
    topic: str
    stamp: bytes | None


@dataclass
class Chain:
    """Follows one chain; takes the events of a look in any order."""

    begin: str
    end: str
    latencies_ns: collections.deque[int] = field(
        default_factory=lambda: collections.deque(maxlen=KEPT)
    )
    _looked: list[Event] = field(default_factory=list)
    _by_stamp: collections.OrderedDict[bytes, int] = field(default_factory=collections.OrderedDict)
    _newest_ns: int | None = None
    _is_stamped: bool = False

    def add(self, event: Event) -> None:
        """Take a message, if it is of the chain."""
        if event.topic in (self.begin, self.end):
            self._looked.append(event)

    def look_ended(self) -> None:
        """Put the messages since the last time in order, and match them."""
        for event in sorted(self._looked, key=lambda one: one.t_ns):
            if event.topic == self.begin:
                self._begin(event)
            else:
                self._end(event)
        self._looked.clear()

    def _begin(self, event: Event) -> None:
        self._newest_ns = event.t_ns
        self._is_stamped = event.stamp is not None
        if event.stamp is not None:
            self._by_stamp[event.stamp] = event.t_ns
            while len(self._by_stamp) > WAITING:
                self._by_stamp.popitem(last=False)

    def _end(self, event: Event) -> None:
        began = None
        if event.stamp is not None and self._is_stamped:
            began = self._by_stamp.pop(event.stamp, None)
        else:
            began, self._newest_ns = self._newest_ns, None
        if began is not None:
            self.latencies_ns.append(event.t_ns - began)

    def to_json(self) -> dict[str, Any]:
        """Return it in milliseconds; the figures are None before the first one."""
        found = sorted(self.latencies_ns)
        told: dict[str, Any] = {"from": self.begin, "to": self.end, "count": len(found)}
        if not found:
            return told | {"last_ms": None, "p50_ms": None, "p99_ms": None, "max_ms": None}
        return told | {
            "last_ms": self.latencies_ns[-1] / 1e6,
            "p50_ms": found[len(found) // 2] / 1e6,
            "p99_ms": found[min(len(found) - 1, len(found) * 99 // 100)] / 1e6,
            "max_ms": found[-1] / 1e6,
        }
