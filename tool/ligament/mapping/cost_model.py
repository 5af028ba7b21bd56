# SPDX-License-Identifier: Apache-2.0
"""What a topic with ends on an FPGA costs: cycles, bytes over the memory port, cells.

    port = MemoryPort(clock_hz=100e6, latency_ns=500, bandwidth_bytes_per_s=1.6e9)
    stream_cycles(3145728, 64)                        # 393221, as `ligament bench hmt` measures
    gateway(Load(3145728, hardware_subscriptions=8, hardware_publishers=1), 64, port).cycles

Formulas, their sources and how well they fit: spec/mapping/cost-model.md. Pure arithmetic; what is
chosen by it is in `alternatives`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

#: Widths that hdl/rtl/lig_topic.sv knows. Unit: bits.
WIDTHS = (64, 128, 256, 512)
#: From a publisher's beat to a subscriber's (spec/wire/stream.md, section 4). Unit: cycles.
NETWORK_CYCLES = 3
#: From memory's first beat to a frame's (hdl/rtl/lig_smt_sub.sv); a frame's last beat to the last
#: write that is asked for (hdl/rtl/lig_smt_pub.sv). A gateway is one of each. Unit: cycles.
READING_CYCLES = 3
WRITING_CYCLES = 6
#: A header (spec/wire/stream.md, section 2). Unit: bits.
HEADER_BITS = 128


@dataclass(frozen=True)
class MemoryPort:
    """The one port of a design to the memory that holds the pool, and the design's clock."""

    clock_hz: float
    latency_ns: float
    bandwidth_bytes_per_s: float

    @property
    def latency_cycles(self) -> int:
        """Return the cycles from a request to its first byte."""
        return math.ceil(self.latency_ns * self.clock_hz / 1e9)

    @property
    def bytes_per_cycle(self) -> float:
        """Return what the port moves per cycle: both ways together, or if duplex one way."""
        return self.bandwidth_bytes_per_s / self.clock_hz

    def transfer_cycles(
        self, size_bytes: int, transfers: int = 1, width_bits: int = WIDTHS[0]
    ) -> int:
        """Return the cycles of transfers at once, each to or from a node's stream of that width.

        Several bursts are in flight, so the latency shows once.
        """
        shared = math.ceil(transfers * size_bytes / self.bytes_per_cycle)
        return self.latency_cycles + max(shared, -(-size_bytes * 8 // width_bits))

    def busy_cycles(self, moved_bytes: int) -> int:
        """Return for how long the port serves nobody else, at most: duplex ports read meanwhile."""
        return math.ceil(moved_bytes / self.bytes_per_cycle)


@dataclass(frozen=True)
class Load:
    """One message of a topic, and who is to have it."""

    size_bytes: int
    hardware_publishers: int = 0
    hardware_subscriptions: int = 0
    software_publishers: int = 0
    software_subscriptions: int = 0


@dataclass(frozen=True)
class Predicted:
    """What one message costs at most, over the topic's publishers."""

    cycles: int
    """From a publisher's first beat, or its doorbell, to the slowest end in hardware, or memory."""
    memory_bytes: int
    """Over the memory port."""


def header_beats(width_bits: int) -> int:
    """Return the beats of a frame's header."""
    return -(-HEADER_BITS // width_bits)


def frame_beats(size_bytes: int, width_bits: int) -> int:
    """Return the beats of a frame whose message begins at its alignment boundary."""
    return header_beats(width_bits) + -(-size_bytes * 8 // width_bits)


def stream_cycles(size_bytes: int, width_bits: int) -> int:
    """Return the cycles through a hardware topic, at any number of ends, when nobody stalls."""
    return frame_beats(size_bytes, width_bits) + NETWORK_CYCLES


def hardware(load: Load, width_bits: int) -> Predicted:
    """Predict a hardware-mapped topic: memory is not touched."""
    return Predicted(stream_cycles(load.size_bytes, width_bits), 0)


def software(load: Load, port: MemoryPort, width_bits: int = WIDTHS[0]) -> Predicted:
    """Predict a software-mapped topic: each end in hardware is a transfer of its own.

    What a publisher in hardware wrote is whole before anybody reads it; subscriptions share the
    port. The cores' streams have `width_bits`.
    """
    header = header_beats(width_bits)
    cycles = 0
    if load.hardware_publishers:
        cycles += header + port.transfer_cycles(load.size_bytes, 1, width_bits) + WRITING_CYCLES
    if load.hardware_subscriptions:
        readers = load.hardware_subscriptions
        reads = port.transfer_cycles(load.size_bytes, readers, width_bits)
        cycles += header + reads + READING_CYCLES
    written = 1 if load.hardware_publishers else 0
    return Predicted(cycles, load.size_bytes * (load.hardware_subscriptions + written))


def gateway(load: Load, width_bits: int, port: MemoryPort) -> Predicted:
    """Predict a topic with a gateway: at most one transfer per message and direction."""
    paths = [0]
    moved = [0]
    if load.hardware_publishers:
        paths.append(stream_cycles(load.size_bytes, width_bits))
        if load.software_subscriptions:
            moved.append(load.size_bytes)
            if not load.hardware_subscriptions:
                paths.append(stream_cycles(load.size_bytes, width_bits))
                paths[-1] += port.latency_cycles + WRITING_CYCLES
    if load.software_publishers and load.hardware_subscriptions:
        # Read and sent on beat by beat, as fast as the slower of port and stream.
        rate = min(port.bytes_per_cycle, width_bits / 8)
        body = math.ceil(load.size_bytes / rate)
        first = port.latency_cycles + READING_CYCLES + header_beats(width_bits)
        paths.append(first + body + NETWORK_CYCLES)
        moved.append(load.size_bytes)
    return Predicted(max(paths), max(moved))
