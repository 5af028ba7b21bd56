# SPDX-License-Identifier: Apache-2.0
"""What the benches share: clock and reset, random stalls, sources and sinks, frames."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge, with_timeout
from cocotbext.axi import AxiStreamBus, AxiStreamSink, AxiStreamSource

#: How often a port stalls, as a share of cycles: never, rarely, mostly.
STALLS = (0.0, 0.2, 0.8)

#: Pairs of periods in ps: equal, faster in, faster out, nearly equal (the phase drifts through
#: all values).
PERIODS = ((10000, 10000), (4000, 11000), (13000, 3000), (10000, 10006))


def stalls(share: float, seed: int) -> Iterator[bool]:
    """An endless, repeatable sequence of "stop for this cycle"."""
    rng = random.Random(seed)
    return (rng.random() < share for _ in itertools.count())


def lanes(dut, prefix: str = "s_axis") -> int:
    """Bytes of a beat."""
    return len(getattr(dut, prefix).tdata) // 8


def frames_of(rng: random.Random, count: int, beat: int, longest: int) -> list[bytes]:
    """Frames of random length, each edge (one byte, one beat, a byte more or less) among them."""
    edges = [1, beat, beat + 1, 2 * beat - 1, longest * beat]
    sizes = edges + [rng.randint(1, longest * beat) for _ in range(count - len(edges))]
    rng.shuffle(sizes)
    return [rng.randbytes(size) for size in sizes]


def framed(message: bytes, beat: int) -> bytes:
    """Header (16 bytes) and body as they lie on a stream with beats of that many bytes."""
    if len(message) <= 16:
        return message
    return message[:16].ljust(max(16, beat), b"\0") + message[16:]


def messages_of(rng: random.Random, count: int, longest: int) -> list[bytes]:
    """Headers with bodies: runts, a header alone, a byte of body, around each boundary."""
    sizes = [1, 8, 16, 17, 24, 16 + 63, 16 + 64, 16 + 65]
    sizes += [rng.randint(1, longest) for _ in range(count)]
    return [rng.randbytes(size) for size in sizes]


async def start(dut, clock=None, reset=None, period_ns: int = 10) -> None:
    """Start the clock and hold reset for a few cycles."""
    clock = dut.clk_i if clock is None else clock
    reset = dut.rst_i if reset is None else reset
    cocotb.start_soon(Clock(clock, period_ns, "ns").start())
    reset.value = 1
    await ClockCycles(clock, 4)
    await RisingEdge(clock)
    reset.value = 0
    await RisingEdge(clock)


async def start_both(s, m, s_ps: int, m_ps: int) -> None:
    """Start two clocks, and hold their resets; `s` and `m` are (clock, reset)."""
    for (clock, _), period in ((s, s_ps), (m, m_ps)):
        cocotb.start_soon(Clock(clock, period, "ps", period_high=period // 2).start())
    await reset_both(s, m)


async def reset_both(s, m) -> None:
    """Hold both resets together for longer than crossings want."""
    s[1].value = 1
    m[1].value = 1
    await ClockCycles(s[0], 20)
    await ClockCycles(m[0], 20)
    m[1].value = 0
    await ClockCycles(s[0], 2)
    s[1].value = 0


def source(dut, prefix: str = "s_axis", clock=None, reset=None) -> AxiStreamSource:
    """A source on the stream of this name."""
    bus = AxiStreamBus.from_entity(getattr(dut, prefix))
    return AxiStreamSource(
        bus, dut.clk_i if clock is None else clock, dut.rst_i if reset is None else reset
    )


def sink(dut, prefix: str = "m_axis", clock=None, reset=None) -> AxiStreamSink:
    """A sink on the stream of this name."""
    bus = AxiStreamBus.from_entity(getattr(dut, prefix))
    return AxiStreamSink(
        bus, dut.clk_i if clock is None else clock, dut.rst_i if reset is None else reset
    )


def stall(tx: AxiStreamSource, rx: AxiStreamSink, idle: float, back: float) -> None:
    """Let both stop in that share of the cycles; what never stops can still be paused."""
    if idle:
        tx.set_pause_generator(stalls(idle, 1))
    if back:
        rx.set_pause_generator(stalls(back, 2))


async def begin(dut, idle: float = 0.0, back: float = 0.0) -> tuple[AxiStreamSource, AxiStreamSink]:
    """Start; a source and a sink that stop in that share of the cycles."""
    tx, rx = source(dut), sink(dut)
    await start(dut)
    stall(tx, rx, idle, back)
    return tx, rx


async def reset(dut, txs: list[AxiStreamSource], rxs: list[AxiStreamSink]) -> None:
    """Reset: nothing that these hold is left, and they go on."""
    dut.rst_i.value = 1
    for tx in txs:
        tx.clear()
    await ClockCycles(dut.clk_i, 3)
    dut.rst_i.value = 0
    for port in (*txs, *rxs):
        port.clear()
        port.pause = False


async def through(
    tx: AxiStreamSource, rx: AxiStreamSink, frames: list[bytes], most_us: int = 10
) -> list[bytes]:
    """Send the frames; return as many as come."""
    for frame in frames:
        tx.send_nowait(frame)
    return await with_timeout(receive(rx, len(frames)), most_us, "us")


async def left(rx: AxiStreamSink, clock, cycles: int) -> list[bytes]:
    """What comes within so many cycles if it does not stop any more."""
    rx.set_pause_generator(None)
    rx.pause = False
    await ClockCycles(clock, cycles)
    return [bytes(rx.recv_nowait().tdata) for _ in range(rx.count())]


async def receive(port: AxiStreamSink, count: int) -> list[bytes]:
    """The next `count` frames."""
    return [bytes((await port.recv()).tdata) for _ in range(count)]


def scopes(dut, name: str) -> list:
    """The generate scopes or bundles name[0], name[1], ... of a bench's top."""
    found = getattr(dut, name)
    return [found[i] for i in range(len(found))]


def sources(dut) -> list[AxiStreamSource]:
    """One per stream s_axis[i]."""
    buses = [AxiStreamBus.from_entity(end) for end in scopes(dut, "s_axis")]
    return [AxiStreamSource(bus, dut.clk_i, dut.rst_i) for bus in buses]


def sinks(dut) -> list[AxiStreamSink]:
    """One per stream m_axis[i]."""
    buses = [AxiStreamBus.from_entity(end) for end in scopes(dut, "m_axis")]
    return [AxiStreamSink(bus, dut.clk_i, dut.rst_i) for bus in buses]
