# SPDX-License-Identifier: Apache-2.0
"""topic -> transports. Rules are the two tables at the end; this is the mapping paper's method and a bit more.

`CLASS_RULES` decide, first match first, where the topic's one network is: in software (the pool),
in hardware (streams on one FPGA), on one GPU, or on both sides with a gateway between. `JOIN_RULES`
then each add a transport for ends that this network does not reach: other hosts, ROS 2 outside,
microcontrollers. A wish of the graph or variant stands before both, when it can work at all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ligament.errors import InputError, Problem, listing
from ligament.graph.model import End, Node, Topic, Variant
from ligament.mapping.backends import TRANSPORTS, Backends
from ligament.mapping.cost import topic_costs
from ligament.mapping.model import Cost, Reason
from ligament.mapping.platform import Device, Platform


@dataclass(frozen=True)
class TopicCase:
    """What a transport rule may look at: a topic, and where each of its ends runs."""

    topic: Topic
    nodes: Mapping[str, Node]
    devices: Mapping[str, Device]
    platform: Platform

    def device(self, end: End) -> Device:
        """Return the device that an end runs on."""
        return self.devices[end.node]

    @property
    def hardware(self) -> tuple[End, ...]:
        """Return the ends on FPGAs (the papers' hardware)."""
        return tuple(e for e in self.topic.ends if self.device(e).kind == "fpga")

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

    def all_on_one(self, kind: str) -> bool:
        """Return whether all ends are on one device of this kind, and none is outside."""
        one_place = len(self.places) == 1 and not self.topic.external
        return one_place and all(self.device(e).kind == kind for e in self.topic.ends)


@dataclass(frozen=True)
class Rule:
    """A line of a table: when it applies, what it gives (`mapped` only in the class table), and why."""

    name: str
    applies: Callable[[TopicCase], bool]
    transports: tuple[str, ...]
    text: Callable[[TopicCase], str]
    mapped: str = "software"


def _count(case: TopicCase) -> str:
    pubs, subs = len(case.topic.publishers), len(case.topic.subscriptions)
    return f"{pubs} publisher{'s' * (pubs != 1)}, {subs} subscription{'s' * (subs != 1)}"


CLASS_RULES: tuple[Rule, ...] = (
    Rule("all-ends-on-one-fpga", lambda c: c.all_on_one("fpga"), ("hmt",),
         lambda c: f"all ends ({_count(c)}) are on one FPGA, so messages never leave it", "hardware"),
    Rule("all-ends-on-one-gpu", lambda c: c.all_on_one("gpu"), ("queue",),
         lambda c: f"all ends ({_count(c)}) are on one GPU, so messages stay in its memory", "device"),
    Rule("mixed-many-hardware-subscriptions", lambda c: c.hardware_subscriptions > 1, ("gateway", "shm"),
         lambda c: (f"ends on both sides with {c.hardware_subscriptions} hardware subscriptions: a gateway "
                    "moves each message once, not once per subscription"), "gateway"),
    Rule("mixed-few-hardware-subscriptions", lambda c: bool(c.hardware), ("shm",),
         lambda c: (f"ends on both sides with {c.hardware_subscriptions} hardware subscription"
                    f"{'s' * (c.hardware_subscriptions != 1)}: a gateway would save no transfer")),
    Rule("one-host", lambda c: True, ("shm",),
         lambda c: f"{_count(c)} on one host: an index moves, never the payload"),
)

JOIN_RULES: tuple[Rule, ...] = (
    Rule("several-hosts", lambda c: len(c.hosts) > 1, ("dds",),
         lambda c: f"ends on the hosts {listing(str(h) for h in c.hosts)}, so each host's edge carries it over"),
    Rule("ends-outside", lambda c: bool(c.topic.external), ("dds",),
         lambda c: f"outside ends are expected ({listing(c.topic.external)})"),
    Rule("microcontroller", lambda c: any(c.device(e).kind == "mcu" for e in c.topic.ends), ("xrce",),
         lambda c: "some end is on a microcontroller"),
)


@dataclass(frozen=True)
class Choice:
    """The transports of a topic, its class, and why."""

    transports: tuple[str, ...]
    mapped: str
    reason: Reason


def choose(case: TopicCase, wish: tuple[str, ...] | None, backends: Backends) -> Choice | Problem:
    """Return the transports of a topic, or why it cannot have any."""
    rule = next(r for r in CLASS_RULES if r.applies(case))
    joins = [r for r in JOIN_RULES if r.applies(case)]
    transports = tuple(dict.fromkeys([*rule.transports, *(t for j in joins for t in j.transports)]))
    mapped = rule.mapped
    name = "+".join([rule.name, *(j.name for j in joins)])
    text = "; ".join([rule.text(case), *(j.text(case) for j in joins)])
    if wish is not None:
        fault = wish_fault(case, wish)
        if fault:
            return Problem("transport-impossible", f"'{case.topic.id}' cannot use {', '.join(wish)}: {fault}",
                           case.topic.at, expected=f"{', '.join(transports)} ({text})")
        transports, mapped = wish, class_of(wish)
        name, text = "wish", f"the graph asks for it; the rules would say {name} ({text})"
    missing = [t for t in transports if t not in backends.transports]
    if missing:
        return Problem("backend-missing", f"'{case.topic.id}' needs {', '.join(missing)}: {text}",
                       case.topic.at, expected="; ".join(f"{t}: {TRANSPORTS[t].text}" for t in missing))
    return Choice(transports, mapped, Reason(name, text, _costs(case, mapped)))


def class_of(transports: tuple[str, ...]) -> str:
    """Return the class that transports make a topic: software, hardware, gateway or device."""
    if "gateway" in transports:
        return "gateway"
    if "hmt" in transports:
        return "hardware"
    return "device" if "queue" in transports else "software"


def wish_fault(case: TopicCase, wish: tuple[str, ...]) -> str:
    """Return why wished transports do not reach all ends of a topic, or an empty string."""
    wanted = set(wish)
    if wanted & {"hmt"} and not case.all_on_one("fpga") and "gateway" not in wanted:
        return "hmt reaches only nodes on one FPGA, and some end is elsewhere"
    if wanted & {"queue"} and not case.all_on_one("gpu"):
        return "queue reaches only kernels on one GPU, and some end is elsewhere"
    if "gateway" in wanted and not case.hardware:
        return "a gateway joins software and FPGA, and no end is on an FPGA"
    reaches_hosts = wanted & {"dds"} or len(case.hosts) == 1
    if not reaches_hosts:
        return f"its ends are on the hosts {listing(str(h) for h in case.hosts)}, which only dds reaches"
    if case.topic.external and "dds" not in wanted:
        return "ends outside Ligament are expected, which only dds reaches"
    if any(case.device(e).kind == "mcu" for e in case.topic.ends) and "xrce" not in wanted:
        return "an end is on a microcontroller, which only xrce reaches"
    if not wanted & {"shm", "dds", "hmt", "queue", "gateway"}:
        return "nothing in the list reaches the ends on this host"
    return ""


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


def assign_transports(
    topics: Mapping[str, Topic], nodes: Mapping[str, Node], devices: Mapping[str, Device],
    platform: Platform, variant: Variant, backends: Backends,
) -> dict[str, Choice]:
    """Return each topic's transports; raise InputError with all topics that can have none."""
    chosen: dict[str, Choice] = {}
    problems: list[Problem] = []
    for name in sorted(topics):
        topic = topics[name]
        case = TopicCase(topic, nodes, devices, platform)
        answer = choose(case, variant.transports.get(name, topic.transports), backends)
        if isinstance(answer, Problem):
            problems.append(answer)
        else:
            chosen[name] = answer
    if problems:
        raise InputError(problems)
    return chosen
