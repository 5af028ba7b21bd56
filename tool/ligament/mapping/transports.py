# SPDX-License-Identifier: Apache-2.0
"""topic -> transports: the mapping paper's method, and what other ends need beside it.

`CLASS_RULES` decide, first match first, where the topic's one network is: in software (the pool),
in hardware (streams on one FPGA), on one GPU, or on both sides with a gateway between. `JOIN_RULES`
then each add a transport for ends that this network does not reach: other hosts, ROS 2 outside,
microcontrollers. A wish of the graph or variant takes precedence, when it can work at all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from ligament.errors import Location, Problem, all_or_problems, listing
from ligament.graph.model import End, Node, Topic, Variant
from ligament.mapping.alternatives import (
    Hardware,
    alternatives_of,
    gateway_costs_more,
    hardware_of,
)
from ligament.mapping.backends import TRANSPORTS, Backends
from ligament.mapping.cost import topic_costs
from ligament.mapping.model import Alternative, Cost, Reason
from ligament.mapping.platform import Device, Platform


@dataclass(frozen=True)
class TopicCase:
    """What a transport rule may look at: a topic, and where each of its ends runs."""

    topic: Topic
    nodes: Mapping[str, Node]
    devices: Mapping[str, Device]
    platform: Platform
    place: Location | None = None
    containers: Mapping[str, str] | None = None
    """The container of each node where every container has an edge of its own; else None."""
    processes: Mapping[str, str] | None = None
    """The container of each node; None: not known, all in one."""

    def device(self, end: End) -> Device:
        """Return the device that an end runs on."""
        return self.devices[end.node]

    @property
    def hardware(self) -> tuple[End, ...]:
        """Return the ends on FPGAs (the papers' hardware); those in slots have no streams."""
        return tuple(e for e in self.topic.ends if self.device(e).streams)

    @property
    def hardware_subscriptions(self) -> int:
        """Return how many subscriptions are on FPGAs."""
        return sum(e.direction == "in" for e in self.hardware)

    @property
    def places(self) -> set[tuple[str | None, str]]:
        """Return the (host, device) pairs of all ends."""
        return {(self.nodes[e.node].host, self.device(e).name) for e in self.topic.ends}

    @property
    def hosts(self) -> set[str | None]:
        """Return the hosts of all ends."""
        return {host for host, _ in self.places}

    @property
    def pools(self) -> int:
        """Return how many pools the ends are spread over, where each container has its own."""
        return len({self.containers[e.node] for e in self.topic.ends}) if self.containers else 1

    @property
    def in_one_process(self) -> bool:
        """Return whether all ends are in one container."""
        return self.processes is None or len({self.processes[e.node] for e in self.topic.ends}) == 1

    @property
    def alternatives(self) -> tuple[Alternative, ...]:
        """Return what a topic with ends on one FPGA could be, with predicted costs."""
        return alternatives_of(self.topic, self._fpga)

    @property
    def gateway_costs(self) -> tuple[int, int] | None:
        """Return the predicted costs over memory and through a gateway, if that saves nothing."""
        return gateway_costs_more(self.alternatives, self._fpga.port if self._fpga else None)

    @property
    def _fpga(self) -> Hardware | None:
        return hardware_of({e.node: self.device(e) for e in self.topic.ends}, self.platform)

    @property
    def has_both_sides(self) -> bool:
        """Return whether somebody publishes and somebody subscribes."""
        return bool(self.topic.publishers and self.topic.subscriptions)

    def has_kind(self, kind: str) -> bool:
        """Return whether some end is on a device of this kind."""
        return any(self.device(e).kind == kind for e in self.topic.ends)

    def all_on_one(self, kind: str) -> bool:
        """Return whether all ends are on one device of this kind, and none is outside.

        One whose cores run natively has no streams, so it is no FPGA here, and no slot is.
        """
        one_place = len(self.places) == 1 and not self.topic.outside
        one_place = one_place and not any(self.device(e).slot_of for e in self.topic.ends)
        return one_place and all(self.device(e).implementation == kind for e in self.topic.ends)


@dataclass(frozen=True)
class Rule:
    """A line of a table: when it applies, what it gives, and why; classes also say `mapped`."""

    name: str
    applies: Callable[[TopicCase], bool]
    transports: tuple[str, ...]
    text: Callable[[TopicCase], str]
    mapped: str = "software"


def _count(case: TopicCase) -> str:
    pubs, subs = len(case.topic.publishers), len(case.topic.subscriptions)
    return f"{pubs} publisher{'s' * (pubs != 1)}, {subs} subscription{'s' * (subs != 1)}"


def _compared(case: TopicCase, before: str = "") -> str:
    """Return the predicted cycles of the alternatives in words; nothing where there are none."""
    told = [a for a in case.alternatives if a.cycles is not None]
    ways = {"software": "over memory", "gateway": "through a gateway", "hardware": "as streams"}
    words = ", ".join(f"{a.cycles} cycles {ways[a.mapped]}" for a in told)
    return f"{before}{words}" if words else ""


CLASS_RULES: tuple[Rule, ...] = (
    Rule(
        "software-emulation",
        lambda c: any(c.device(e).implementation == "hls" for e in c.topic.ends) and c.pools == 1,
        ("shm",),
        lambda c: (
            f"{_count(c)}, some of cores that run natively (sw_emu): there are no streams between "
            "those, so messages lie in the pool"
        ),
    ),
    Rule(
        "all-ends-on-one-fpga",
        lambda c: c.all_on_one("fpga") and c.has_both_sides,
        ("hmt",),
        lambda c: f"all ends ({_count(c)}) are on one FPGA, so messages never leave it",
        "hardware",
    ),
    Rule(
        "one-side-on-one-fpga",
        lambda c: c.all_on_one("fpga"),
        ("shm",),
        lambda c: f"{_count(c)}, on one FPGA: the other side can only be in software",
    ),
    Rule(
        "all-ends-on-one-gpu",
        lambda c: c.all_on_one("gpu") and c.in_one_process,
        ("queue",),
        lambda c: f"all ends ({_count(c)}) are on one GPU, so messages stay in its memory",
        "device",
    ),
    Rule(
        "one-gpu-peer-buffers",
        lambda c: (
            c.all_on_one("gpu")
            and not c.pools > 1
            and all(c.device(e).peer_buffers for e in c.topic.ends)
        ),
        ("queue",),
        lambda c: (
            f"all ends ({_count(c)}) are on one GPU, in several processes that may open each "
            "other's buffers, so messages stay in its memory"
        ),
        "device",
    ),
    Rule(
        "one-gpu-several-processes",
        lambda c: c.all_on_one("gpu") and not c.pools > 1,
        ("shm",),
        lambda c: (
            f"all ends ({_count(c)}) are on one GPU but in several processes, which do not share "
            "its buffers: messages lie in the pool, where kernels work on them in place if host "
            "and device share memory"
        ),
    ),
    Rule(
        "mixed-small-messages",
        lambda c: c.hardware_subscriptions > 1 and c.gateway_costs is not None,
        ("shm",),
        lambda c: (
            f"ends on both sides with {c.hardware_subscriptions} hardware subscriptions, but "
            f"messages so small that a gateway saves nothing: {_compared(c)}"
        ),
    ),
    Rule(
        "mixed-many-hardware-subscriptions",
        lambda c: c.hardware_subscriptions > 1,
        ("gateway", "shm"),
        lambda c: (
            f"ends on both sides with {c.hardware_subscriptions} hardware subscriptions: a gateway "
            f"moves each message once, not once per subscription{_compared(c, ': ')}"
        ),
        "gateway",
    ),
    Rule(
        "mixed-few-hardware-subscriptions",
        lambda c: bool(c.hardware),
        ("shm",),
        lambda c: (
            f"ends on both sides with {c.hardware_subscriptions} hardware subscription"
            f"{'s' * (c.hardware_subscriptions != 1)}: a gateway would save no transfer"
        ),
    ),
    Rule(
        "edge-per-container",
        lambda c: c.pools > 1,
        ("dds",),
        lambda c: (
            f"{_count(c)} in {c.pools} containers, each with a pool and an edge of its own: what "
            "they exchange is on DDS, as between processes of ROS 2"
        ),
    ),
    Rule(
        "shared-memory",
        lambda c: True,
        ("shm",),
        lambda c: f"{_count(c)}: within a host an index moves, never the payload",
    ),
)

JOIN_RULES: tuple[Rule, ...] = (
    Rule(
        "several-hosts",
        lambda c: len(c.hosts) > 1,
        ("dds",),
        lambda c: (
            f"ends on the hosts {listing(map(str, c.hosts))}, so each host's edge carries it over"
        ),
    ),
    Rule(
        "ends-outside",
        lambda c: bool(c.topic.external),
        ("dds",),
        lambda c: f"outside ends are expected ({listing(c.topic.external)})",
    ),
    Rule(
        "microcontroller",
        lambda c: c.has_kind("mcu"),
        ("xrce",),
        lambda c: "some end is on a microcontroller",
    ),
)


@dataclass(frozen=True)
class Choice:
    """The transports of a topic, its class, and why."""

    transports: tuple[str, ...]
    mapped: str
    reason: Reason


def choose(case: TopicCase, wish: tuple[str, ...] | None, backends: Backends) -> Choice | Problem:
    """Return the transports of a topic, or why it cannot have any."""
    choice = _by_rules(case)
    if wish is not None:
        fault = wish_fault(case, wish)
        if fault:
            text = f"'{case.topic.id}' cannot use {', '.join(wish)}: {fault}"
            would = f"{', '.join(choice.transports)} ({choice.reason.text})"
            return Problem("transport-impossible", text, case.place, expected=would)
        mapped = class_of(wish)
        would = ", ".join(choice.transports)
        reason = Reason("wish", f"the graph asks for it (without, it would be {would})", ())
        choice = Choice(wish, mapped, replace(reason, costs=_costs(case, mapped)))
    missing = [t for t in choice.transports if t not in backends.transports]
    if missing:
        return Problem(
            "backend-missing",
            f"'{case.topic.id}' needs {', '.join(missing)}: {choice.reason.text}",
            case.place,
            expected="; ".join(f"{t}: {TRANSPORTS[t].text}" for t in missing),
        )
    if "shm" not in choice.transports and case.pools == 1 and not backends.on_paper:
        return _without_pool(case, choice)
    return choice


def _without_pool(case: TopicCase, choice: Choice) -> Choice | Problem:
    """Nodes speak DDS through an edge, which takes part in a pool, and so do ends of one pool."""
    if "dds" not in choice.transports:
        return choice
    return Problem(
        "transport-impossible",
        f"'{case.topic.id}' cannot have {', '.join(choice.transports)} alone: its ends are in one "
        "pool, which the edge takes part in",
        case.place,
        expected="shm, dds; or, in the variant, `edge: {per: container}`, which parts containers",
    )


def _by_rules(case: TopicCase) -> Choice:
    rule = next(r for r in CLASS_RULES if r.applies(case))
    joins = [r for r in JOIN_RULES if r.applies(case)]
    added = [t for j in joins for t in j.transports]
    name = "+".join([rule.name, *(j.name for j in joins)])
    text = "; ".join([rule.text(case), *(j.text(case) for j in joins)])
    reason = Reason(name, text, _costs(case, rule.mapped))
    return Choice(tuple(dict.fromkeys([*rule.transports, *added])), rule.mapped, reason)


def class_of(transports: tuple[str, ...]) -> str:
    """Return the class that transports make a topic: software, hardware, gateway or device."""
    if "gateway" in transports:
        return "gateway"
    if "hmt" in transports:
        return "hardware"
    return "device" if "queue" in transports else "software"


Unreached = tuple[Callable[[TopicCase, set[str]], bool], Callable[[TopicCase], str]]

# What wished transports must not leave out: (when that is so, what to say).
_UNREACHED: tuple[Unreached, ...] = (
    (
        lambda c, w: "hmt" in w and not c.all_on_one("fpga"),
        lambda c: "hmt reaches only nodes on one FPGA, and some end is elsewhere",
    ),
    (
        lambda c, w: "queue" in w and not (c.all_on_one("gpu") and c.in_one_process),
        lambda c: "queue reaches only kernels of one process on one GPU, and some end is elsewhere",
    ),
    (
        lambda c, w: "gateway" in w and not c.hardware,
        lambda c: "a gateway joins software and FPGA, and no end is on an FPGA",
    ),
    (
        lambda c, w: "gateway" in w and "shm" not in w,
        lambda c: "a gateway joins an FPGA to the pool, so shm goes with it",
    ),
    (
        lambda c, w: len(c.hosts) > 1 and "dds" not in w,
        lambda c: f"its ends are on {listing(map(str, c.hosts))}, which only dds joins",
    ),
    (
        lambda c, w: c.pools > 1 and "dds" not in w,
        lambda c: "each container has an edge of its own, and only dds joins containers then",
    ),
    (
        lambda c, w: bool(c.topic.external) and "dds" not in w,
        lambda c: "ends outside Ligament are expected, which only dds reaches",
    ),
    (
        lambda c, w: c.has_kind("mcu") and "xrce" not in w,
        lambda c: "an end is on a microcontroller, which only xrce reaches",
    ),
    (
        lambda c, w: "xrce" in w and not c.has_kind("mcu"),
        lambda c: "xrce reaches microcontrollers, and no end is on one",
    ),
    (
        lambda c, w: c.has_kind("cpu") and not w & {"shm", "dds", "gateway"},
        lambda c: "some end is on a processor, which only shm, dds and gateway reach",
    ),
)


def wish_fault(case: TopicCase, wish: tuple[str, ...]) -> str:
    """Return why wished transports do not reach all ends of a topic, or an empty string."""
    wanted = set(wish)
    return next((text(case) for unreached, text in _UNREACHED if unreached(case, wanted)), "")


def _costs(case: TopicCase, mapped: str) -> tuple[Cost, ...]:
    remote = [case.device(e) for e in case.topic.ends if not case.device(e).addresses_pool]
    if mapped in ("hardware", "device"):
        remote = []
    elif mapped == "gateway":
        # One transfer per message and direction, whatever the number of hardware ends.
        remote = [device for direction in ("in", "out") for device in _distinct(case, direction)]
    return topic_costs(case.topic, case.platform, remote, len(remote))


def _distinct(case: TopicCase, direction: str) -> list[Device]:
    found = {case.device(e).name: case.device(e) for e in case.hardware if e.direction == direction}
    return [found[n] for n in sorted(found)]


@dataclass(frozen=True)
class Wishes:
    """What the variant asks for, and the containers that it makes."""

    variant: Variant
    containers: Mapping[str, str]


def assign_transports(
    topics: Mapping[str, Topic],
    nodes: Mapping[str, Node],
    devices: Mapping[str, Device],
    platform: Platform,
    wishes: Wishes,
    backends: Backends,
) -> dict[str, Choice]:
    """Return each topic's transports; raise InputError with all topics that can have none."""
    variant = wishes.variant
    parted = wishes.containers if variant.edge.per == "container" else None

    def answer(name: str) -> Choice | Problem:
        topic = topics[name]
        wish = variant.transports.get(name, topic.transports)
        place = variant.places.get(("transports", name)) or topic.transports_at or topic.at
        where = (nodes, devices, platform, place, parted, wishes.containers)
        return choose(TopicCase(topic, *where), wish, backends)

    return all_or_problems(topics, answer)
