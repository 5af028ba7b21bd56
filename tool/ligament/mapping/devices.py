# SPDX-License-Identifier: Apache-2.0
"""node -> device. The rules are the table `DEVICE_RULES`; the first that has an answer decides.

A rule is a name, a question and an answer: it looks at one node (`NodeCase`) and returns the
device with a sentence, a problem, or None when it has nothing to say. To add a rule, write the
function and give it a line in the table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ligament.errors import Location, Problem, all_or_problems, listing, no_such
from ligament.graph.model import Node, NodeType, Variant
from ligament.mapping.backends import KINDS, Backends
from ligament.mapping.model import Cost, Reason
from ligament.mapping.platform import Device, Platform


@dataclass(frozen=True)
class NodeCase:
    """What a device rule may look at."""

    node: Node
    node_type: NodeType
    platform: Platform
    variant: Variant
    backends: Backends

    @property
    def wish(self) -> str | None:
        """Return the wished device or kind: the variant's before the node's own."""
        return self.variant.devices.get(self.node.id, self.node.device)

    def usable(self) -> list[Device]:
        """Return the devices that an implementation and a back-end exist for, by name."""
        able = (self.running(d) for d in self.platform.devices.values())
        return [d for d in able if d is not None and d.kind in self.backends.kinds]

    @property
    def language(self) -> str | None:
        """Return the wished implementation: the variant's before the node's own."""
        return self.variant.implementations.get(self.node.id, self.node.implementation)

    def running(self, device: Device) -> Device | None:
        """Return a device as what runs the node, if it has an implementation for it."""
        return device.running(self.node_type, self.language)


Answer = tuple[Device, str] | Problem | None


def _wish(case: NodeCase) -> Answer:
    """Return the device that graph or variant asks for."""
    if case.wish is None:
        return None
    asked = case.wish
    device = case.platform.find(asked)
    if device is None and asked in KINDS:
        found = case.platform.of_kind(asked)
        if len(found) > 1:
            return _problem(
                case,
                "device-ambiguous",
                f"'{case.node.id}' wants a {asked}, and there are several",
                f"one of {listing(d.name for d in found)}",
            )
        device = found[0] if found else None
    if device is None:
        known = case.platform.names
        return no_such(
            "device-unknown",
            f"the platform '{case.platform.name}' has no device '{asked}'",
            asked,
            known,
            _place(case),
            before="one of ",
        )
    return _with_implementation(case, device)


def _with_implementation(case: NodeCase, device: Device) -> Answer:
    running = case.running(device)
    if running is None and _is_on_paper(case, device):
        kind = device.implementation
        return device, f"the graph asks for {case.wish}; on paper, as it has nothing for {kind} yet"
    if running is None:
        return _lacking(case, device)
    if device.kind not in case.backends.kinds:
        return _problem(
            case,
            "backend-missing",
            f"nothing here can run '{case.node.id}' on {device.name}",
            KINDS[device.kind].text,
        )
    return running, f"the graph asks for {case.wish}"


def _is_on_paper(case: NodeCase, device: Device) -> bool:
    """Whether a mapping on paper may place a node where nothing runs it yet."""
    return case.backends.unwritten and device.kind != "cpu" and case.language is None


#: What a core must be written in, by what runs it.
_CORES = {
    "fpga": "SystemVerilog (implementations.fpga), which the simulation of an FPGA runs",
    "hls": "C++ for high-level synthesis (implementations.hls), which sw_emu runs",
}


def _lacking(case: NodeCase, device: Device) -> Problem:
    """Say that a node type has nothing for a device; a core may be in the other language."""
    kinds, wanted = case.node_type.implementations, case.language or device.implementation
    if case.language in kinds:
        text = f"'{case.node.id}' is wanted in {case.language} and on {device.name}"
        return _problem(case, "implementation-device", text, "a device of kind cpu, which runs it")
    text = f"'{case.node_type.type}' has no implementation for {wanted} ({device.name})"
    other = wanted in _CORES and not set(_CORES).isdisjoint(kinds)
    expected = _CORES[wanted] if other else f"a device of kind {listing(kinds)}"
    return _problem(case, "implementation-missing", text, expected)


def _implementation(case: NodeCase) -> Answer:
    """Return the processor for an implementation that graph or variant asks for."""
    if case.language is None:
        return None
    found = [d for d in case.usable() if d.kind == "cpu"]
    if not found:
        return None
    language = {"cpu": "C++", "python": "Python", "mcu": "C99"}.get(case.language, case.language)
    return min(found, key=lambda d: d.name), f"the graph asks for {language}"


def _only_device(case: NodeCase) -> Answer:
    """Return the only device that the node can run on."""
    usable = case.usable()
    if len(usable) != 1:
        return None
    return usable[0], f"it is the only device with an implementation of {case.node_type.type}"


def _processor_first(case: NodeCase) -> Answer:
    """Return the CPU: offloading is asked for, or proposed by an optimiser, never assumed."""
    found = [d for d in case.usable() if d.kind == "cpu"]
    if not found:
        return None
    others = listing(sorted({d.kind for d in case.usable()} - {"cpu"}))
    return min(found, key=lambda d: d.name), (
        "nothing else was asked for; it could also run on: " + others
        if others != "none"
        else "it is the first processor by name"
    )


def _none_left(case: NodeCase) -> Answer:
    """Explain why no device can run the node."""
    kinds = case.node_type.implementations
    if case.language is not None and case.language not in kinds:
        text = f"'{case.node_type.type}' has no implementation {case.language}"
        return _problem(case, "implementation-missing", text, f"one of {listing(kinds)}")
    present = sorted({d.kind for d in case.platform.devices.values()})
    lacking = [
        KINDS[k].text for k in sorted(kinds) if k in present and k not in case.backends.kinds
    ]
    if lacking:
        return _problem(
            case, "backend-missing", f"nothing here can run '{case.node.id}'", "; ".join(lacking)
        )
    if len(case.usable()) > 1:
        return _problem(
            case,
            "device-ambiguous",
            f"'{case.node.id}' could run on several devices",
            "a `device` for the node: " + listing(d.name for d in case.usable()),
        )
    return _problem(
        case,
        "implementation-missing",
        f"'{case.node_type.type}' cannot run on '{case.platform.name}', "
        f"which has {listing(present)}",
        f"a platform with {listing(kinds)}",
    )


def _problem(case: NodeCase, code: str, text: str, expected: str) -> Problem:
    return Problem(code, text, _place(case), expected=expected)


def _place(case: NodeCase) -> Location | None:
    """Return where the wish for a device stands, or else the node."""
    if case.node.id in case.variant.devices:
        return case.variant.places.get(("devices", case.node.id), case.variant.at)
    if case.node.id in case.variant.implementations:
        return case.variant.places.get(("implementations", case.node.id), case.variant.at)
    return (case.node.device_at if case.node.device else None) or case.node.at


DEVICE_RULES: dict[str, Callable[[NodeCase], Answer]] = {
    "wish": _wish,
    "implementation": _implementation,
    "only-device": _only_device,
    "processor-first": _processor_first,
    "no-device": _none_left,
}


def assign_devices(
    nodes: Mapping[str, Node],
    types: Mapping[str, NodeType],
    platform: Platform,
    variant: Variant,
    backends: Backends,
) -> dict[str, tuple[Device, Reason]]:
    """Return each node's device with the reason; raise InputError with all nodes that have none."""

    def answer(name: str) -> tuple[Device, Reason] | Problem:
        return _decide(NodeCase(nodes[name], types[nodes[name].type], platform, variant, backends))

    return all_or_problems(nodes, answer)


#: Of what a processor runs beside C++.
_HOW = {"python": " in Python", "mcu": " the core's C99"}


def _decide(case: NodeCase) -> tuple[Device, Reason] | Problem:
    for rule, decide in DEVICE_RULES.items():
        answer = decide(case)
        if isinstance(answer, Problem):
            return answer
        if answer is not None:
            device, text = answer
            how = _HOW.get(device.implementation, "") if device.kind == "cpu" else ""
            sentence = f"runs{how} on {device.name}: {text}"
            return device, Reason(rule, sentence, _area(case, device))
    raise AssertionError("the last device rule always answers")


def _area(case: NodeCase, device: Device) -> tuple[Cost, ...]:
    area = device.area(case.node_type)
    return tuple(
        Cost(f"area {n}", float(area[n]), "pieces", "declared in node.yaml") for n in sorted(area)
    )
