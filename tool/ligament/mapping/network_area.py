# SPDX-License-Identifier: Apache-2.0
"""Cells that a topic's network takes: fitted to networks that were synthesised.

Flip-flops are those of the arbiter's register and of two addresses per queue. LUTs are those of the
choice between publishers, which grows by the bit, and what broadcast and queues take per beat.
Block RAMs are exact: a beat is data, the number of its last lane and a mark, in pieces of 36 bits.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from ligament.graph.model import Topic
from ligament.mapping.model import Queue, Stream
from ligament.mapping.streams import EVEN_OUT_BEATS

#: Bits of a beat that one block RAM of 18 kbit holds, EVEN_OUT_BEATS deep.
RAM_BITS = 36


@dataclass(frozen=True)
class Luts:
    """LUTs of one family."""

    per_bit: float
    per_queue: float
    per_queue_bit: float
    #: Per bit of the choice between so many publishers, and for each publisher beyond.
    choice: tuple[float, ...]
    choice_per_publisher: float
    #: What a queue of this kind has beyond one that keeps all.
    kinds: Mapping[str, float]


@dataclass(frozen=True)
class Fit:
    """Of one family: flip-flops that a queue of a kind has beyond one that keeps all, LUTs."""

    flip_flops: Mapping[str, float]
    #: None: too irregular for a formula.
    luts: Luts | None = None


#: By the family's name in platform.yaml. On an ECP5 Yosys needs 487 LUTs for 4 publishers to 2
#: subscriptions and 567 for 8 to 2, and needed 382 and 591 at an earlier commit: no formula of
#: publishers tells that.
FITS: Mapping[str, Fit] = {
    "xcup": Fit(
        {"keep-all": 0, "keep-last": 77, "best-effort": 44},
        Luts(
            1.075,
            13.3,
            0.146,
            (0, 0, 0.07, 0.33, 1.25),
            1.04,
            {"keep-all": 0, "keep-last": 55, "best-effort": 62},
        ),
    ),
    "ecp5": Fit({"keep-all": 0, "keep-last": 224, "best-effort": 191}),
}


def network_area(
    stream: Stream, topic: Topic, hardware_nodes: frozenset[str], family: str
) -> Mapping[str, float]:
    """Return LUTs, flip-flops and block RAMs of a network; empty for a family without figures."""
    publishers = sum(e.node in hardware_nodes for e in topic.publishers)
    return area_of_queues(family, stream.width_bits, max(publishers, 1), stream.queues)


def area_of_network(
    family: str, width_bits: int, publishers: int, subscriptions: int
) -> Mapping[str, float]:
    """Return the cells of a network whose queues keep all in the usual depth."""
    queue = Queue("", "", "keep-all", EVEN_OUT_BEATS, "")
    return area_of_queues(family, width_bits, publishers, (queue,) * subscriptions)


def area_of_queues(
    family: str, width_bits: int, publishers: int, queues: tuple[Queue, ...]
) -> Mapping[str, float]:
    """Return the cells of a network with these queues."""
    fit = FITS.get(family)
    if fit is None:
        return {}
    beat_bits = width_bits + int(math.log2(width_bits / 8)) + 1
    flip_flops = beat_bits + 2 + 2.3 * (publishers - 1)
    ram = 0
    for queue in queues:
        flip_flops += 2 * math.log2(queue.depth_beats) + 4.3 + fit.flip_flops[queue.kind]
        deep = max(1, queue.depth_beats // EVEN_OUT_BEATS)
        ram += math.ceil(beat_bits / RAM_BITS) * deep
    found: dict[str, float] = {"ff": round(flip_flops), "bram18": ram}
    if fit.luts is not None:
        found["lut"] = round(_luts(fit.luts, width_bits, publishers, queues))
    return found


def area_of_gateway(family: str, width_bits: int) -> Mapping[str, float]:
    """Return the cells of a gateway itself; empty for a family without figures.

    Between the two that were synthesised, of 64 and 512 bits (hdl/reference.md); a RAM32M16 is 8
    LUTs.
    """
    if family != "xcup":
        return {}
    share = (width_bits - 64) / (512 - 64)
    return {
        "ff": round(1207 + share * (1205 - 1207)),
        "bram18": round(5 + share * (32 - 5)),
        "lut": round(1277 + share * (1937 - 1277)),
    }


#: Cells of something by what they grow with, where it was synthesised.
Sizes = Mapping[int, Mapping[str, int]]

#: Of an end that reads messages from memory, and of one that writes them there, by the width of the
#: memory port, in the top of a generated design (hdl/rtl/lig_smt_sub.sv, lig_smt_pub.sv).
READS: Mapping[str, Sizes] = {
    "xcup": {64: {"lut": 557, "ff": 419, "bram18": 2}, 128: {"lut": 638, "ff": 419, "bram18": 4}},
    "ecp5": {64: {"lut": 862, "ff": 420, "bram18": 2}},
}
WRITES: Mapping[str, Sizes] = {
    "xcup": {64: {"lut": 793, "ff": 806, "bram18": 3}, 128: {"lut": 816, "ff": 801, "bram18": 5}},
    "ecp5": {64: {"lut": 1544, "ff": 802, "bram18": 3}},
}
#: Of what makes an end as narrow as its stream (hdl/rtl/lig_width.sv), by the width of the port.
NARROWS: Mapping[str, Sizes] = {
    "xcup": {128: {"lut": 75, "ff": 147}, 256: {"lut": 79, "ff": 293}},
    "ecp5": {128: {"lut": 76, "ff": 147}, 256: {"lut": 246, "ff": 293}},
}
WIDENS: Mapping[str, Sizes] = {
    "xcup": {128: {"lut": 293, "ff": 292}, 256: {"lut": 584, "ff": 581}},
    "ecp5": {128: {"lut": 312, "ff": 292}, 256: {"lut": 1557, "ff": 581}},
}
#: Of the counters (hdl/rtl/lig_stats.sv) that a network has in a design: one, and per queue.
COUNTERS = {"lut": 70, "ff": 130}
COUNTERS_PER_QUEUE = {"lut": 20, "ff": 10}


def area_of_ends(
    family: str, publishers: int, subscriptions: int, width_bits: int = 64
) -> Mapping[str, float]:
    """Return the cells of a software-mapped topic's ends in hardware; empty without figures.

    `width_bits`: of the memory port.
    """
    if family not in READS:
        return {}
    reads, writes = _between(READS[family], width_bits), _between(WRITES[family], width_bits)
    return {name: subscriptions * reads[name] + publishers * writes[name] for name in reads}


def area_of_converters(
    family: str, publishers: int, subscriptions: int, width_bits: int
) -> Mapping[str, float]:
    """Return the cells between ends and as many narrower streams; empty without figures."""
    if family not in NARROWS:
        return {}
    narrows, widens = _between(NARROWS[family], width_bits), _between(WIDENS[family], width_bits)
    return {name: subscriptions * narrows[name] + publishers * widens[name] for name in narrows}


def area_of_counters(family: str, subscriptions: int) -> Mapping[str, float]:
    """Return the cells of a network's counters; empty for a family without figures.

    LUTs only where those of networks are known.
    """
    if family not in FITS:
        return {}
    names = ("lut", "ff") if FITS[family].luts else ("ff",)
    return {name: COUNTERS[name] + subscriptions * COUNTERS_PER_QUEUE[name] for name in names}


def _between(known: Sizes, size: int) -> dict[str, int]:
    """Return the cells at a size: a line is drawn between and beyond those that are known."""
    if len(known) == 1:
        return dict(next(iter(known.values())))
    sizes = sorted(known)
    low = max((n for n in sizes[:-1] if n <= size), default=sizes[0])
    high = sizes[sizes.index(low) + 1]
    share = (size - low) / (high - low)
    before, behind = known[low], known[high]
    return {name: round(before[name] + share * (behind[name] - before[name])) for name in before}


#: The shell has a register page for each (hdl/rtl/lig_shell.sv).
MOST_MASTERS = 64


@dataclass(frozen=True)
class Masters:
    """What of a design reads and writes memory. An entry and an exit share a master of the port."""

    gateways: int = 0
    entries: int = 0
    exits: int = 0

    def __add__(self, other: Masters) -> Masters:
        return Masters(
            self.gateways + other.gateways, self.entries + other.entries, self.exits + other.exits
        )

    @property
    def count(self) -> int:
        """Masters of the port."""
        return self.gateways + max(self.entries, self.exits)


#: Of the memory port (64 bits wide) and the registers that all ends of a design share, by the
#: number of its masters.
PORT: Mapping[str, Sizes] = {
    "xcup": {
        1: {"lut": 1202, "ff": 1280},
        2: {"lut": 1801, "ff": 1628},
        4: {"lut": 2579, "ff": 2324},
        8: {"lut": 5277, "ff": 3710},
    },
    "ecp5": {
        1: {"lut": 2866, "ff": 1262},
        2: {"lut": 3016, "ff": 1607},
        4: {"lut": 7042, "ff": 2294},
        8: {"lut": 9118, "ff": 3667},
    },
}


def area_of_port(family: str, masters: int) -> Mapping[str, float]:
    """Return the cells of a design's memory port; empty without ends or without figures.

    Between and beyond the ports that were synthesised a line is drawn.
    """
    if family not in PORT or not masters:
        return {}
    return _between(PORT[family], masters)


#: Of the crossings at the edges of a design with several clocks (spec/device/clocks.md), with their
#: resets: the memory port's by its width (hdl/rtl/lig_axi_cross.sv), the registers'
#: (lig_axil_cross.sv).
MEMORY_CROSSING: Mapping[str, Sizes] = {
    "xcup": {
        64: {"lut": 278, "ff": 468},
        128: {"lut": 357, "ff": 604},
        256: {"lut": 511, "ff": 876},
        512: {"lut": 822, "ff": 1420},
    },
    "ecp5": {
        64: {"lut": 441, "ff": 468},
        128: {"lut": 581, "ff": 604},
        256: {"lut": 847, "ff": 876},
        512: {"lut": 1396, "ff": 1420},
    },
}
REGISTER_CROSSING: Mapping[str, Mapping[str, int]] = {
    "xcup": {"lut": 194, "ff": 296},
    "ecp5": {"lut": 294, "ff": 296},
}


def area_of_crossings(
    family: str, *, memory_bits: int | None, registers: bool
) -> Mapping[str, float]:
    """Return the cells of a design's crossings between clocks; empty without any, or figures.

    `memory_bits`: width of a memory port that has a clock of its own. Unit: bits.
    """
    if family not in MEMORY_CROSSING:
        return {}
    memory = MEMORY_CROSSING[family][memory_bits] if memory_bits else {}
    own = REGISTER_CROSSING[family] if registers else {}
    return {name: memory.get(name, 0) + own.get(name, 0) for name in {*memory, *own}}


def _luts(luts: Luts, width_bits: int, publishers: int, queues: tuple[Queue, ...]) -> float:
    most = len(luts.choice) - 1
    beyond = max(0, publishers - most) * luts.choice_per_publisher
    total = (luts.per_bit + luts.choice[min(publishers, most)] + beyond) * width_bits
    for queue in queues:
        total += luts.per_queue + luts.per_queue_bit * width_bits + luts.kinds[queue.kind]
        total += 1.3 * math.log2(queue.depth_beats / EVEN_OUT_BEATS)
    return total
