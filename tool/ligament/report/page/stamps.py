# SPDX-License-Identifier: Apache-2.0
"""Which message a take of an imported recording was, by the rules of links.sql."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable

Message = tuple[int, int]
"""Publisher and number; 0, 0: nothing tells."""
NONE: Message = (0, 0)
CLOCK_ERROR_NS = 1000
"""As in links.sql: the error of the recording's real time."""


class Stamps:
    """A take through the middleware tells topic and source timestamp only.

    Since Jazzy the send tells the timestamp too. Before, it lies within the call, so between `send`
    and `send_end` on the recording's real time. What fits two publications fits none.
    """

    def __init__(self, topics: dict[int, str], real_time_offset_ns: int) -> None:
        self._topics = topics
        self._offset = real_time_offset_ns
        self._sent: dict[tuple[str | None, int], Message | None] = {}
        self._begun: dict[Message, int] = {}
        self._calls: dict[str | None, list[tuple[int, int, Message]]] = defaultdict(list)
        self._publishers: dict[str | None, set[int]] = defaultdict(set)

    def learn(self, sends: Iterable[tuple[str, int, int, int | None, int]]) -> None:
        """All of (`send` or `send_end`, publisher, number, source timestamp, time)."""
        for event, publisher, seq, source_ns, time_ns in sends:
            topic = self._topics.get(publisher)
            if event == "send_end":
                begun = self._begun.pop((publisher, seq), None)
                if begun is not None:
                    low, high = (t + self._offset for t in (begun, time_ns))
                    call = (low - CLOCK_ERROR_NS, high + CLOCK_ERROR_NS, (publisher, seq))
                    self._calls[topic].append(call)
                    self._publishers[topic].add(publisher)
            elif source_ns is None:
                self._begun[publisher, seq] = time_ns
            else:
                key = (topic, source_ns)
                self._sent[key] = None if key in self._sent else (publisher, seq)
        for calls in self._calls.values():
            calls.sort()

    def taken(self, subscription: int, source_ns: int | None) -> Message:
        """The message that was taken."""
        topic = self._topics.get(subscription)
        if source_ns is None:
            return NONE
        return self._sent.get((topic, source_ns)) or self._within(topic, source_ns)

    def _within(self, topic: str | None, source_ns: int) -> Message:
        """The one call of each publisher that may hold the timestamp is its last before it."""
        calls = self._calls.get(topic, [])
        latest: dict[int, tuple[int, Message]] = {}
        publishers = len(self._publishers.get(topic, ()))
        place = bisect_right(calls, (source_ns, 1 << 63, NONE))
        while place > 0 and len(latest) < publishers:
            place -= 1
            _, high, message = calls[place]
            latest.setdefault(message[0], (high, message))
        fitting = [message for high, message in latest.values() if source_ns <= high]
        return fitting[0] if len(fitting) == 1 else NONE
