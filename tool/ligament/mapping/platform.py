# SPDX-License-Identifier: Apache-2.0
"""A platform: devices, memories, links, clocks, and what each has to give (platform.yaml)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ligament.cores.manifest import CORE_BITS
from ligament.errors import InputError, Location, Problem, listing, no_such
from ligament.graph.model import NodeType
from ligament.graph.source import Document
from ligament.mapping.memory_map import (
    MemoryMap,
    board_problems,
    memory_map_of,
    memory_problems,
)
from ligament.mapping.uio import uio_problems

#: What a processor runs beside its own implementation, in this order: a core's C99 is its own
#: reference there.
ON_PROCESSORS = ("python", "mcu")


@dataclass(frozen=True)
class Slot:
    """A region of an FPGA that may hold one of several cores; `cores` empty: any that fits."""

    budgets: Mapping[str, float] = field(default_factory=dict)
    cores: tuple[str, ...] = ()
    stream_bits: int = CORE_BITS
    at: Location | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Device:
    """Where nodes run."""

    name: str
    kind: str
    memory: str | None = None
    clock: str | None = None
    cores: int | None = None
    addresses_pool: bool = False
    family: str = ""
    budgets: Mapping[str, float] = field(default_factory=dict)
    slots: Mapping[str, Slot] = field(default_factory=dict)
    host_memory: str = ""
    model: str = ""
    emulation: str = ""
    board: str = ""
    os: str = ""
    #: The platform's own; None: the board's.
    memory_map: MemoryMap | None = None
    peer_buffers: bool = False
    language: str = ""
    """Which of several implementations it runs for one node, where that is not its kind's."""
    #: Of an FPGA's design: the clocks of `memory` and `registers`, where they are named.
    clocks: Mapping[str, str] = field(default_factory=dict)
    #: By side of the design: why it has its clock, where a variant says it.
    clock_text: Mapping[str, str] = field(default_factory=dict)
    #: Where its budgets stand, if it has any.
    budgets_at: Location | None = field(default=None, compare=False)
    #: Of a slot, as a place for one node: the FPGA that it is on.
    slot_of: str = ""
    #: Of an FPGA: `uio`, or empty: the simulator in its nodes' process.
    backend: str = ""
    #: With `uio`: what Linux calls the board.
    uio: Mapping[str, str] = field(default_factory=dict)

    def slot(self, name: str) -> Device:
        """Return one of its slots as what a node may be placed on: `fpga0.slot0`."""
        slot = self.slots[name]
        at = slot.at if slot.budgets else None
        whole = f"{self.name}.{name}"
        return replace(self, name=whole, budgets=slot.budgets, budgets_at=at, slot_of=self.name)

    @property
    def streams(self) -> bool:
        """Return whether its nodes may be joined by streams on the chip: those of slots are not."""
        return self.implementation == "fpga" and not self.slot_of

    @property
    def implementation(self) -> str:
        """Return which implementation of a node type runs on it: natively, the C++ of cores."""
        return self.language or ("hls" if self.emulation == "sw_emu" else self.kind)

    def running(self, node_type: NodeType, wish: str | None = None) -> Device | None:
        """Return it as what runs a node of this type, as wished; None: it has nothing to run."""
        languages = [self.implementation, *(ON_PROCESSORS if self.kind == "cpu" else ())]
        able = [n for n in languages if n in node_type.implementations and wish in (None, n)]
        if not able:
            return None
        return self if able[0] == self.implementation else replace(self, language=able[0])

    def area(self, node_type: NodeType, pixels: int = 1) -> Mapping[str, float]:
        """Return what a node of this type takes of its budgets, as node.yaml declares it.

        `pixels`: per cycle, of a core that is built for several.
        """
        return declared_area(node_type, self.implementation, self.family, pixels)


def declared_area(
    node_type: NodeType, implementation: str, family: str, pixels: int = 1
) -> Mapping[str, float]:
    """Return what node.yaml declares of an implementation, for a family of FPGAs."""
    core = node_type.implementations.get(implementation, {})
    ways = {
        1: core,
        **{way["pixels"]: way for way in core.get("pixels", {}).get("choices", ())},
    }
    found: Mapping[str, float] = ways.get(pixels, {}).get("area", {}).get(family, {})
    return found


@dataclass(frozen=True)
class Link:
    """What connects two devices or memories, in both directions."""

    ends: frozenset[str]
    bandwidth_bytes_per_s: float
    latency_ns: float
    text: str
    contention: float = 0
    #: It has this bandwidth each way, at the same time.
    duplex: bool = False
    seed: int = 1
    #: Entries of the table of pages in between; 0: there is none.
    pages: int = 0
    page_bytes: int = 4096


@dataclass(frozen=True)
class Platform:
    """One target."""

    name: str
    devices: Mapping[str, Device]
    pool_memory: str | None = None
    links: tuple[Link, ...] = ()
    clocks: Mapping[str, Any] = field(default_factory=dict)
    board: str = ""
    """Of a board its name; empty: any computer."""

    def of_kind(self, kind: str) -> list[Device]:
        """Return the devices of a kind, by name."""
        return [self.devices[n] for n in sorted(self.devices) if self.devices[n].kind == kind]

    def find(self, name: str) -> Device | None:
        """Return a device by its name, or a slot of one by both names."""
        whole, _, slot = name.partition(".")
        device = self.devices.get(whole)
        if device is None or not slot:
            return device
        return device.slot(slot) if slot in device.slots else None

    @property
    def names(self) -> list[str]:
        """Return the names of all devices and slots, sorted."""
        slots = (f"{d.name}.{slot}" for d in self.devices.values() for slot in d.slots)
        return sorted([*self.devices, *slots])

    def link(self, one: str, other: str) -> Link | None:
        """Return the link between two ends, if one is declared; a slot has its device's."""
        ends = frozenset((one.partition(".")[0], other))
        return next((k for k in self.links if k.ends == ends), None)


def build_platform(document: Document, memory_of: Callable[[str], MemoryMap]) -> Platform:
    """Return the platform of a schema-valid document; raise InputError for unknown names.

    `memory_of` knows the boards' own memory maps.
    """
    data = document.data
    problems: list[Problem] = []
    memories, clocks = data.get("memories", {}), data.get("clocks", {})
    for name, device in data["devices"].items():
        for key, known in (("memory", memories), ("clock", clocks)):
            if key in device:
                _known(device[key], known, key, document, ("devices", name, key), problems)
        problems += _slot_problems(name, device, document)
        for side, clock in device.get("clocks", {}).items():
            path = ("devices", name, "clocks", side)
            _known(clock, clocks, "clock", document, path, problems)
        problems += _clock_problems(name, device, clocks, document)
        problems += _emulation_problems(name, device, clocks, document)
        problems += uio_problems(name, device, document)
        problems += _board_problems(name, device, document)
        problems += _memory_problems(name, device, document, memory_of)
    ends = {**data["devices"], **memories}
    for i, link in enumerate(data.get("links", ())):
        for key in ("from", "to"):
            _known(link[key], ends, "device or memory", document, ("links", i, key), problems)
        problems += _page_problems(i, link, data, document)
    pools = [n for n, m in memories.items() if m.get("pool")]
    if len(pools) > 1:
        problems.append(
            Problem(
                "platform-pool",
                f"{len(pools)} memories hold the pool: {listing(pools)}",
                document.at("memories", pools[1], "pool"),
                expected="one memory with pool: true",
            )
        )
    if problems:
        raise InputError(problems)
    return Platform(
        data["name"],
        {n: _device(n, d, document) for n, d in data["devices"].items()},
        pools[0] if pools else None,
        tuple(_link(k) for k in data.get("links", ())),
        clocks,
        data.get("board", {}).get("name", ""),
    )


def _known(
    name: str,
    known: Mapping[str, Any],
    what: str,
    document: Document,
    path: tuple[str | int, ...],
    problems: list[Problem],
) -> None:
    if name not in known:
        problems.append(
            no_such(
                "platform-reference",
                f"there is no {what} '{name}'",
                name,
                known,
                document.at(*path),
            )
        )


def _device(name: str, data: Mapping[str, Any], document: Document) -> Device:
    return Device(
        name,
        data["kind"],
        data.get("memory"),
        data.get("clock"),
        data.get("cores"),
        data.get("addresses_pool", data["kind"] == "cpu"),
        data.get("family", ""),
        data.get("budgets", {}),
        {
            slot: Slot(
                found.get("budgets", {}),
                tuple(found.get("cores", ())),
                found.get("stream_bits", CORE_BITS),
                document.at("devices", name, "slots", slot),
            )
            for slot, found in data.get("slots", {}).items()
        },
        data.get("host_memory", ""),
        data.get("model", ""),
        data.get("emulation", ""),
        data.get("board", ""),
        data.get("os", "bare") if data["kind"] == "mcu" else "",
        memory_map_of(data["memory_map"]) if "memory_map" in data else None,
        peer_buffers=data.get("peer_buffers", False),
        clocks=data.get("clocks", {}),
        budgets_at=document.at("devices", name, "budgets") if "budgets" in data else None,
        backend="uio" if data.get("backend") == "uio" else "",
        uio=data.get("uio", {}),
    )


def _slot_problems(name: str, device: Mapping[str, Any], document: Document) -> list[Problem]:
    """Slots are regions of an FPGA, and all of them together fit into it."""
    slots = device.get("slots", {})
    at = document.at("devices", name, "slots")
    if slots and device["kind"] != "fpga":
        text = f"'{name}' is a {device['kind']} and has slots"
        return [Problem("slot-kind", text, at, expected="slots on devices of kind fpga")]
    problems = [
        Problem(
            "slot-clock",
            f"the slot '{name}.{slot}' has the clock '{found['clock']}'",
            document.at("devices", name, "slots", slot, "clock"),
            expected=f"the clock of '{name}', which its shell has: {device.get('clock')}",
        )
        for slot, found in slots.items()
        if found.get("clock", device.get("clock")) != device.get("clock")
    ]
    if slots and device.get("emulation") == "sw_emu":
        text = f"'{name}' runs its cores natively (sw_emu) and has slots"
        problems.append(Problem("slot-kind", text, at, expected="slots on a simulated FPGA"))
    if slots and device.get("clocks"):
        at_clocks = document.at("devices", name, "clocks")
        text = f"'{name}' has slots, and several clocks"
        expected = "one clock: a shell has no crossings"
        problems.append(Problem("slot-clock", text, at_clocks, expected=expected))
    for resource, budget in sorted(device.get("budgets", {}).items()):
        taken = sum(slot.get("budgets", {}).get(resource, 0) for slot in slots.values())
        if taken > budget:
            problems.append(
                Problem(
                    "slot-budget",
                    f"the slots of '{name}' have {taken:g} {resource} together",
                    at,
                    expected=f"at most {budget:g}, the device's budget",
                )
            )
    return problems


def _clock_problems(
    name: str, device: Mapping[str, Any], clocks: Mapping[str, Any], document: Document
) -> list[Problem]:
    """Parts of a design have clocks that are counted in cycles."""
    sides = device.get("clocks", {})
    if sides and (device["kind"] != "fpga" or device.get("emulation") == "sw_emu"):
        text = f"'{name}' has clocks for the parts of a design, and no design"
        at = document.at("devices", name, "clocks")
        return [Problem("clock-kind", text, at, expected="them on an FPGA, simulated or real")]
    if sides and clocks.get(device.get("clock", ""), {}).get("kind") != "cycles":
        text = f"'{name}' has clocks beside its cores', and no clock of kind cycles for these"
        at = document.at("devices", name, "clocks")
        return [Problem("clock-kind", text, at, expected="a `clock` of kind cycles")]
    return [
        Problem(
            "clock-kind",
            f"the clock '{clock}' is the host's: no part of a design can have it",
            document.at("devices", name, "clocks", side),
            expected="a clock of kind cycles",
        )
        for side, clock in sides.items()
        if clock in clocks and clocks[clock]["kind"] != "cycles"
    ]


def _emulation_problems(
    name: str, device: Mapping[str, Any], clocks: Mapping[str, Any], document: Document
) -> list[Problem]:
    """Only FPGAs are emulated, and what runs natively has no cycles."""
    at = document.at("devices", name, "emulation") if "emulation" in device else None
    if at is not None and device["kind"] != "fpga":
        text = f"'{name}' is a {device['kind']} and has an emulation level"
        return [Problem("emulation-kind", text, at, expected="it on devices of kind fpga")]
    clock = clocks.get(device.get("clock", ""), {})
    if device.get("emulation") == "sw_emu" and clock.get("kind") == "cycles":
        text = f"'{name}' runs its cores natively (sw_emu), which have no cycles for its clock"
        return [Problem("emulation-clock", text, at, expected="no clock of kind cycles")]
    return []


def _board_problems(name: str, device: Mapping[str, Any], document: Document) -> list[Problem]:
    """Firmware is built for a board; nothing else has one."""
    if device["kind"] == "mcu":
        if "board" in device:
            return []
        text = f"'{name}' is a microcontroller without a board, so no firmware can be built for it"
        at = document.key_at("devices", name)
        return [Problem("board-missing", text, at, expected="a `board` (spec/device/mcu.md)")]
    return [
        Problem(
            "board-kind",
            f"'{name}' is a {device['kind']} and has {what}",
            document.at("devices", name, key),
            expected="it on devices of kind mcu",
        )
        for key, what in (
            ("board", "a board"),
            ("os", "an operating system for firmware"),
            ("memory_map", "a memory map"),
        )
        if key in device
    ]


def _memory_problems(
    name: str,
    device: Mapping[str, Any],
    document: Document,
    memory_of: Callable[[str], MemoryMap],
) -> list[Problem]:
    """A map that can be, and that linker script and emulator of the board can have."""
    if "memory_map" not in device or "board" not in device or device["kind"] != "mcu":
        return []

    def at(*path: str) -> Location:
        return document.at("devices", name, "memory_map", *path)

    memory, board = memory_map_of(device["memory_map"]), device["board"]
    problems = list(memory_problems(memory, at, f"'{name}'"))
    return problems + list(board_problems(memory, board, memory_of(board), at))


def _page_problems(
    number: int, link: Mapping[str, Any], data: Mapping[str, Any], document: Document
) -> list[Problem]:
    """A table of pages is part of a design, and translates for the memory that holds the pool."""
    if "pages" not in link:
        return []
    ends = {link["from"], link["to"]}
    pools = {name for name, memory in data.get("memories", {}).items() if memory.get("pool")}
    designs = {
        name
        for name, device in data["devices"].items()
        if device["kind"] == "fpga" and device.get("emulation") != "sw_emu"
    }
    if ends & pools and ends & designs:
        return []
    return [
        Problem(
            "link-pages",
            f"the link from '{link['from']}' to '{link['to']}' has a table of pages",
            document.at("links", number, "pages"),
            expected="it between an FPGA, simulated or real, and the memory that holds the pool",
        )
    ]


def _link(data: Mapping[str, Any]) -> Link:
    return Link(
        frozenset((data["from"], data["to"])),
        data["bandwidth_bytes_per_s"],
        data["latency_ns"],
        f"{data['from']} - {data['to']}",
        data.get("contention", 0),
        data.get("duplex", False),
        data.get("seed", 1),
        data.get("pages", {}).get("count", 0),
        data.get("pages", {}).get("bytes", 4096),
    )
