# SPDX-License-Identifier: Apache-2.0
"""A fleet's discovery, message by message, without a network: what is sent, to whom, and why.

counts = simulate(Plan(hosts=100, writers=100, readers=200, gap_s=1.0), until_s=120.0)

The rules are those of the engine (Cyclone DDS 0.10) and of RTPS 2.3, section 8.5; spec/run/fleet.md
has them with their sources. Nothing is lost and nobody is busy here: what a loaded host sends twice
is not in it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from functools import partial

from ligament.bench.fleet.network import LATENCY_S, Network

#: Seconds. The first three are the engine's (8 s of a lease of 10); heartbeats are the edge's.
ANNOUNCE_S, AGAIN_S, HEARTBEAT_AFTER_S = 8.0, 1.0, 0.001
PREEMPTIVE_S, ACK_DELAY_S, HEARTBEAT_S, ASK_AGAIN_S = 0.010, 0.010, 0.020, 0.1
ANSWERS = 4
#: From a host's start to its endpoints.
CREATE_S = 0.02
#: Processor time of whoever is told of an endpoint.
ENDPOINT_S = 60e-6
#: Bytes of submessages, and of the largest message that repairs something.
SPDP_B, SEDP_B, LIVELINESS_B, HEARTBEAT_B, ACKNACK_B = 396, 288, 52, 32, 28
_LARGEST_REPAIR = 1456
#: Channels of every participant: endpoints that it has, liveliness, questions about types.
_WRITERS, _READERS, _LIVELINESS, _ASK, _ANSWER, _USER = range(6)
_KIND = ("sedp", "sedp", "liveliness", "types", "types", "user")
_BUILTIN = (_WRITERS, _READERS, _LIVELINESS, _ASK, _ANSWER)


@dataclass(frozen=True)
class Plan:
    """A fleet of equal hosts; each writer's readers are on the `spread` hosts that follow."""

    hosts: int
    #: Endpoints of a host. One of the writers is that of the graph, which nobody reads.
    writers: int
    readers: int
    spread: int = 2
    #: From one host's start to the next one's.
    gap_s: float = 0.03
    #: Until a thread of the receiver has a message: more where hosts share a machine's cores.
    latency_s: float = LATENCY_S


@dataclass
class _Host:
    known: set[int] = field(default_factory=set)
    has_endpoints: bool = False
    #: By channel: readers that have not acknowledged, heartbeats since the last write, next one.
    unacked: dict[int, set[int]] = field(default_factory=lambda: defaultdict(set))
    beats: Counter[int] = field(default_factory=Counter)
    next_beat: dict[int, float] = field(default_factory=dict)
    #: By writer and channel: what has come; when it was asked for and acknowledged last; whether a
    #: heartbeat came at all.
    got: set[tuple[int, int]] = field(default_factory=set)
    asked_at: dict[tuple[int, int], float] = field(default_factory=dict)
    acked_at: dict[tuple[int, int], float] = field(default_factory=dict)
    heard: set[tuple[int, int]] = field(default_factory=set)
    #: Hosts whose readers match ours, and whose writers do.
    listeners: set[int] = field(default_factory=set)
    speakers: set[int] = field(default_factory=set)


class Fleet(Network):
    """The state of all hosts, and what each does with what reaches it."""

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan.latency_s)
        self.plan = plan
        self.hosts = [_Host() for _ in range(plan.hosts)]
        self._up: set[int] = set()

    # --- participants ----------------------------------------------------------------------------

    def start(self, me: int) -> None:
        """A host comes up: it announces itself now and from time to time, then its endpoints."""
        self._up.add(me)
        self._announce(me)
        self.at(HEARTBEAT_AFTER_S, lambda: self._assert_liveliness(me))
        self.at(CREATE_S, lambda: self._create(me))

    def _announce(self, me: int) -> None:
        self.send("spdp", me, None, SPDP_B)
        for other in self._up - {me}:
            self.arrive(other, partial(self._meet, other, me, True))
        self.at(ANNOUNCE_S, lambda: self._announce(me))

    def _meet(self, me: int, other: int, is_broadcast: bool) -> None:
        """An announcement arrives. Who is new is matched, and answered if it asked all."""
        host = self.hosts[me]
        if other in host.known:
            return
        host.known.add(other)
        for channel in _BUILTIN:
            self._match_reader(me, other, channel)
            self._expect(me, other, channel)
        for turn in range(ANSWERS if is_broadcast else 0):
            self.at(turn * AGAIN_S, lambda: self._answer(me, other))

    def _answer(self, me: int, other: int) -> None:
        self.send("spdp", me, other, SPDP_B)
        self.arrive(other, lambda: self._meet(other, me, False))

    def _create(self, me: int) -> None:
        """Whoever is known gets the endpoints as they are made; the others ask for them."""
        host = self.hosts[me]
        host.has_endpoints = True
        for channel in (_WRITERS, _READERS):
            self._write(me, channel, self._samples(channel))

    def _assert_liveliness(self, me: int) -> None:
        self._write(me, _LIVELINESS, 1)
        self.at(ANNOUNCE_S, lambda: self._assert_liveliness(me))

    def _write(self, me: int, channel: int, samples: int) -> None:
        host = self.hosts[me]
        if not host.known or not samples:
            return
        only = next(iter(host.known)) if len(host.known) == 1 else None
        size = LIVELINESS_B if channel == _LIVELINESS else SEDP_B
        for _ in range(samples):
            self.send(_KIND[channel], me, only, size)
            if channel != _LIVELINESS:
                self.flush()  # each is sent as it is written
        host.beats[channel] = 0
        for other in host.known:
            host.unacked[channel].add(other)
            self.arrive(other, partial(self._take, other, me, channel), samples)
        self._beat_in(me, channel, 0.0 if channel == _LIVELINESS else HEARTBEAT_S)

    # --- reliability -----------------------------------------------------------------------------

    def _match_reader(self, me: int, other: int, channel: int) -> None:
        """A reader is new to a writer here: it is told soon what there is."""
        host = self.hosts[me]
        host.unacked[channel].add(other)
        host.beats[channel] = 0
        self._beat_in(me, channel, HEARTBEAT_AFTER_S)

    def _expect(self, me: int, other: int, channel: int) -> None:
        """A writer is new to a reader here, which asks if it hears nothing."""

        def ask() -> None:
            if (other, channel) in self.hosts[me].heard:
                return
            self.send(f"{_KIND[channel]}_acknack", me, other, ACKNACK_B, self._weight(channel))
            self.arrive(other, lambda: self._beat_for(other, me, channel))
            self.at(AGAIN_S, ask)

        self.at(PREEMPTIVE_S, ask)

    def _beat_for(self, me: int, other: int, channel: int) -> None:
        """Who asks without need gets a heartbeat of its own."""
        if self._knows(me, other, channel):
            self._beat(me, channel, [other])

    def _beat_in(self, me: int, channel: int, delay_s: float) -> None:
        """Heartbeats that fall together are one."""
        host = self.hosts[me]
        when = self.now + delay_s
        if host.next_beat.get(channel, float("inf")) <= when:
            return
        host.next_beat[channel] = when
        self.at(delay_s, lambda: self._due(me, channel, when))

    def _due(self, me: int, channel: int, when: float) -> None:
        host = self.hosts[me]
        if host.next_beat.get(channel) != when:
            return
        del host.next_beat[channel]
        waiting = host.unacked[channel]
        if not waiting:
            return
        readers = host.listeners if channel == _USER else host.known
        self._beat(me, channel, list(waiting if len(waiting) == 1 else readers))
        host.beats[channel] += 1
        doublings = max(0, (host.beats[channel] - 5) // 2)
        self._beat_in(me, channel, min(HEARTBEAT_S * 2**doublings, ANNOUNCE_S))

    def _beat(self, me: int, channel: int, others: list[int]) -> None:
        """To one reader, or to all of them by multicast."""
        only = others[0] if len(others) == 1 else None
        self.send(f"{_KIND[channel]}_heartbeat", me, only, HEARTBEAT_B, self._weight(channel))
        for other in others:
            self.arrive(other, partial(self._hear, other, me, channel), self._weight(channel))

    def _hear(self, me: int, other: int, channel: int) -> None:
        """A heartbeat arrives: what lacks is asked for, else it is acknowledged."""
        host, key = self.hosts[me], (other, channel)
        if not self._has_writer(me, other, channel):
            return
        host.heard.add(key)
        lacks = key not in host.got and self._kept(other, channel) > 0
        if lacks and self.now - host.asked_at.get(key, -1.0) < ASK_AGAIN_S:
            return
        if not lacks and self.now - host.acked_at.get(key, -1.0) < ACK_DELAY_S:
            return
        (host.asked_at if lacks else host.acked_at)[key] = self.now
        self.send(f"{_KIND[channel]}_acknack", me, other, ACKNACK_B, self._weight(channel))
        answer = self._repair if lacks else self._acknowledged
        self.arrive(other, lambda: answer(other, me, channel), self._weight(channel))

    def _acknowledged(self, me: int, other: int, channel: int) -> None:
        self.hosts[me].unacked[channel].discard(other)

    def _repair(self, me: int, other: int, channel: int) -> None:
        """What a reader lacks goes to it alone, in messages of up to one frame."""
        size = LIVELINESS_B if channel == _LIVELINESS else SEDP_B
        left, per_message = self._kept(me, channel), max(1, _LARGEST_REPAIR // size)
        while left > 0:
            self.send(_KIND[channel], me, other, size, min(left, per_message))
            self.flush()
            left -= per_message
        messages = -(-self._kept(me, channel) // per_message)
        self.arrive(other, lambda: self._take(other, me, channel), messages)
        self._beat_in(me, channel, HEARTBEAT_S)

    def _take(self, me: int, other: int, channel: int) -> None:
        """Samples arrive. They are acknowledged at once; another thread looks what they match."""
        host = self.hosts[me]
        if other not in host.known or (other, channel) in host.got:
            return
        samples = self._kept(other, channel)
        if not samples:
            return
        host.got.add((other, channel))
        if channel != _LIVELINESS:
            match = self._match_writers if channel == _WRITERS else self._match_readers
            self.work(me, "discover", samples * ENDPOINT_S, lambda: match(me, other))

    def _match_writers(self, me: int, other: int) -> None:
        """Writers there are known here: some of our readers have waited for them."""
        if (me - other) % self.plan.hosts <= self.plan.spread:
            self.hosts[me].speakers.add(other)
            self._expect(me, other, _USER)

    def _match_readers(self, me: int, other: int) -> None:
        if (other - me) % self.plan.hosts <= self.plan.spread:
            self.hosts[me].listeners.add(other)
            self._match_reader(me, other, _USER)

    # --- what there is ---------------------------------------------------------------------------

    def _knows(self, me: int, other: int, channel: int) -> bool:
        host = self.hosts[me]
        return other in (host.listeners if channel == _USER else host.known)

    def _has_writer(self, me: int, other: int, channel: int) -> bool:
        host = self.hosts[me]
        return other in (host.speakers if channel == _USER else host.known)

    def _samples(self, channel: int) -> int:
        return {_WRITERS: self.plan.writers, _READERS: self.plan.readers}.get(channel, 0)

    def _kept(self, me: int, channel: int) -> int:
        if channel == _LIVELINESS:
            return 1
        return self._samples(channel) if self.hosts[me].has_endpoints else 0

    def _weight(self, channel: int) -> int:
        """Writers of the user's topics do the same beside each other."""
        return self.plan.writers - 1 if channel == _USER else 1


def simulate(plan: Plan, settle_s: float = 6.0, idle_s: float = 16.0) -> dict[str, Counter[str]]:
    """Counts of a start, of a rest, and of one more host: what `runs.Figures` has of real ones."""
    fleet = Fleet(plan)
    last = plan.hosts - 1
    for host in range(plan.hosts):
        fleet.at(host * plan.gap_s, partial(fleet.start, host))
    end = last * plan.gap_s + settle_s + 1.0
    start = fleet.run(end)
    idle = fleet.run(end + idle_s)
    return {"start": start, "idle": idle, "join": _joined(plan, settle_s)}


def _joined(plan: Plan, settle_s: float) -> Counter[str]:
    """The last host comes long after the others."""
    fleet = Fleet(plan)
    last = plan.hosts - 1
    for host in range(last):
        fleet.at(host * plan.gap_s, partial(fleet.start, host))
    begin = last * plan.gap_s + 2 * settle_s
    fleet.run(begin)
    fleet.at(0.0, lambda: fleet.start(last))
    return fleet.run(begin + settle_s)
