# SPDX-License-Identifier: Apache-2.0
"""A network of hosts that is simulated: what happens when, and which frames that makes."""

from __future__ import annotations

import heapq
import itertools
from collections import Counter
from collections.abc import Callable

#: From one host to another, the engine's threads included, where nobody waits for a core.
LATENCY_S = 0.0005
#: Processor time of whoever receives a message.
MESSAGE_S = 10e-6
#: Bytes: Ethernet, IPv4, UDP; the header of RTPS with a timestamp or a destination; an IP packet.
_FRAME, _MESSAGE, _MTU = 42, 36, 1500


class Network:
    """A queue of what happens next, and what was sent so far."""

    def __init__(self, latency_s: float) -> None:
        self.now = 0.0
        self.counts: Counter[str] = Counter()
        self._latency_s = latency_s
        self._queue: list[tuple[float, int, Callable[[], None]]] = []
        self._order = itertools.count()
        self._outbox: dict[tuple[int, int | None], int] = {}
        self._free_at: dict[tuple[int, str], float] = {}

    def arrive(self, me: int, what: Callable[[], None], number: int = 1) -> None:
        """Messages reach a host, and are taken there when its receiving thread has come to them."""
        self.at(self._latency_s, lambda: self.work(me, "receive", number * MESSAGE_S, what))

    def work(self, me: int, thread: str, work_s: float, what: Callable[[], None]) -> None:
        """Done when the thread has done what came before."""
        end = max(self.now, self._free_at.get((me, thread), 0.0)) + work_s
        self._free_at[me, thread] = end
        self.at(end - self.now, what)

    def at(self, delay_s: float, what: Callable[[], None]) -> None:
        """Let something happen later."""
        heapq.heappush(self._queue, (self.now + delay_s, next(self._order), what))

    def run(self, until_s: float) -> Counter[str]:
        """Go on until then; what was sent since the last time."""
        while self._queue and self._queue[0][0] <= until_s:
            self.now, _, what = heapq.heappop(self._queue)
            what()
            if not self._queue or self._queue[0][0] > self.now:
                self.flush()
        self.now = until_s
        taken, self.counts = self.counts, Counter()
        return taken

    def send(self, kind: str, me: int, to: int | None, size: int, number: int = 1) -> None:
        """So many submessages of a kind, to one host or (None) to all, in the next datagram."""
        self.counts[kind] += number
        self._outbox[me, to] = self._outbox.get((me, to), 0) + size * number

    def flush(self) -> None:
        """What one host says to the same others at one time is one datagram."""
        for (_, to), size in self._outbox.items():
            cast = "unicast" if to is not None else "multicast"
            frames = -(-(size + _MESSAGE + 28) // (_MTU - 20))
            self.counts[f"{cast}_frames"] += frames
            self.counts[f"{cast}_bytes"] += size + _MESSAGE + _FRAME + 34 * (frames - 1)
        self._outbox.clear()
