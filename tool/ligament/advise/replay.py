# SPDX-License-Identifier: Apache-2.0
"""A run once more, in another setting: when would each job have begun?

    times = Replay(work, setting, measured, draw).run()
    times.begin_ns[7], times.sent_ns[(publisher, seq)]

An event queue. A job waits until a thread of its server, its node and a core are free; then it
needs the time of its message's way, and then its own time. What it publishes arrives elsewhere. It
needs a core until it has sent all that it sends. Who waits for a core takes it from a job that has
had it for a slice, as the system's scheduler would; that job goes on when a core is free.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from ligament.advise.jobs import Job, Message, Work
from ligament.advise.setting import Kind, Setting
from ligament.advise.waits import Measured

SLICE_NS = 3_000_000
"""Linux's scheduler (EEVDF): 0.7 ms and more by the number of cores, looked at each tick of 4 ms at
most."""

Draw = Callable[[Kind, str, int], float]
"""A time of a kind, for a message of a topic with so many bytes."""


@dataclass
class Times:
    """When jobs began, and when their publish calls began; what is not there never happened."""

    begin_ns: dict[int, int] = field(default_factory=dict)
    sent_ns: dict[Message, int] = field(default_factory=dict)


class Replay:
    """One replay; the draws make it differ from the next one."""

    def __init__(self, work: Work, setting: Setting, own: Measured, draw: Draw) -> None:
        self._work, self._setting, self._own, self._draw = work, setting, own, draw
        self._events: list[tuple[int, int, str, int, int]] = []
        """When, in which order, what, of which job, and which job's work leads to it."""
        self._number = 0
        self._waiting: list[tuple[int, int, int]] = []
        self._running: dict[int, int] = {}
        self._busy_nodes: set[str] = set()
        self._cores = setting.cores
        self._holders: dict[int, int] = {}
        """Jobs that hold a core, and since when; the first has had it longest."""
        self._paused: list[tuple[int, int, list[tuple[int, str, int]]]] = []
        """Jobs that gave up their core: when, and what was to come of them."""
        self._looks: set[int] = set()
        self._senders: dict[int, int] = {}
        self._left = Counter(at for jobs in work.awaited.values() for at, _ in jobs)
        self.times = Times()

    def run(self) -> Times:
        """All jobs that something calls."""
        for at, job in enumerate(self._work.jobs):
            is_called = job.trigger in self._work.sent or at in self._left
            if at not in self._setting.gone and not is_called:
                self._push(job.begin_ns, "arrive", at, -1)
        while self._events:
            now, _, what, at, _ = heapq.heappop(self._events)
            if what == "arrive":
                self._waiting.append((now, self._number, at))
            elif what == "sent":
                self._leave_core(at)
            elif what == "end":
                self._release(self._work.jobs[at])
                self._answer(now, at)
            # All that happens at one moment, before anybody is chosen.
            if not self._events or self._events[0][0] > now:
                self._begin_what_can(now)
        return self.times

    def _push(self, time: int, what: str, at: int, by: int) -> None:
        self._number += 1
        heapq.heappush(self._events, (time, self._number, what, at, by))

    def _begin_what_can(self, now: int) -> None:
        left = []
        for entry in self._waiting:
            if self._is_free(now, self._work.jobs[entry[2]]):
                self._start(now, *entry)
            else:
                left.append(entry)
        self._waiting = left
        while self._paused and self._cores > 0:
            self._resume(now)

    def _is_free(self, now: int, job: Job) -> bool:
        if job.server < 0:
            return True
        server = self._setting.server(job)
        room = self._running.get(server, 0) < self._setting.capacity(server)
        if not room or job.node in self._busy_nodes:
            return False
        if self._cores == 0:
            self._pause_longest(now)
        return self._cores > 0

    def _take(self, now: int, at: int) -> None:
        job = self._work.jobs[at]
        if job.server >= 0:
            server = self._setting.server(job)
            self._running[server] = self._running.get(server, 0) + 1
            if job.node not in self._setting.parallel:
                self._busy_nodes.add(job.node)
            self._take_core(now, at)

    def _take_core(self, now: int, at: int) -> None:
        self._cores -= 1
        self._holders[at] = now

    def _leave_core(self, at: int) -> None:
        if self._holders.pop(at, None) is not None:
            self._cores += 1

    def _pause_longest(self, now: int) -> None:
        """Frees a core, now or, by an event, when its holder's slice is over."""
        at, since = next(iter(self._holders.items()))
        if now < since + SLICE_NS:
            if since + SLICE_NS not in self._looks:
                self._looks.add(since + SLICE_NS)
                self._push(since + SLICE_NS, "look", at, -1)
            return
        self._leave_core(at)
        later = [(time, what, of) for time, _, what, of, by in self._events if by == at]
        self._events = [event for event in self._events if event[4] != at]
        heapq.heapify(self._events)
        self._paused.append((at, now, later))

    def _resume(self, now: int) -> None:
        """The job that was stopped last goes on; all that comes of it is as much later."""
        at, since, later = self._paused.pop()
        for out in self._work.jobs[at].outputs:
            if self.times.sent_ns[out.message] > since:
                self.times.sent_ns[out.message] += now - since
        for time, what, of in later:
            self._push(time + now - since, what, of, at)
        self._take_core(now, at)

    def _release(self, job: Job) -> None:
        if job.server >= 0:
            self._running[self._setting.server(job)] -= 1
            self._busy_nodes.discard(job.node)

    def _start(self, now: int, arrived: int, _: int, at: int) -> None:
        """A job begins: what it publishes, and when it ends, follows from that."""
        job = self._work.jobs[at]
        self._take(now, at)
        time = now + self._wait(at, job, now <= arrived)
        self.times.begin_ns[at] = time
        for out in job.outputs:
            time += out.gap_ns
            self.times.sent_ns[out.message] = time
            time += self._call(at, out.message, out.call_ns)
            for taker in self._work.takers.get(out.message, ()):
                if taker not in self._setting.gone:
                    self._senders[taker] = at
                    self._push(max(now, time - self._early(at, taker)), "arrive", taker, at)
        end = time + max(0, job.tail_ns)
        # Who is woken takes the core from a publisher that is only ending its callback.
        self._push(time if job.outputs else end, "sent", at, at)
        self._push(end, "end", at, at)

    def _answer(self, now: int, at: int) -> None:
        """A job has ended: who waits for it, and for no other one any more, goes on."""
        for source, lag in self._work.awaited.get(at, ()):
            self._left[source] -= 1
            if self._left[source] == 0:
                self._push(now + lag, "arrive", source, -1)

    def _early(self, at: int, taker: int) -> int:
        """How long before the publish call returned its reader ran, if it is woken as it was."""
        kind, wait = self._own.waits.get(taker, (None, 0))
        jobs = self._work.jobs
        as_it_was = kind is not None and kind.way == self._setting.way(jobs[at], jobs[taker])
        return max(0, -wait) if as_it_was else 0

    def _wait(self, at: int, job: Job, was_idle: bool) -> int:
        sender = self._senders.get(at)
        if sender is None or job.trigger is None:
            return 0
        sent = self._work.sent[job.trigger]
        kind = self._setting.wait_kind(self._work.jobs[sender], job, sent.topic, was_idle)
        own = self._own.waits.get(at)
        if own is not None and own[0] == kind:
            return max(0, own[1])
        return round(self._draw(kind, sent.topic, sent.bytes))

    def _call(self, at: int, message: Message, own_ns: int) -> int:
        sent = self._work.sent[message]
        kind = self._setting.call_kind(self._work, message, sent)
        if kind is None or self._own.calls.get(message) == kind:
            return own_ns
        return round(self._draw(kind, sent.topic, sent.bytes))
