# SPDX-License-Identifier: Apache-2.0
"""lig_topic_mixed: what lig_topic promises, between ports of other widths and another clock."""

from __future__ import annotations

import os
import random
from dataclasses import dataclass
from pathlib import Path

import cocotb
import pytest
import stream
from bench import RTL, simulate
from cocotb.triggers import ClockCycles, with_timeout
from stream import PERIODS, framed, lanes, receive, reset_both, scopes, sink, source, stalls

MODULES = (
    "lig_topic_mixed", "lig_end", "lig_width", "lig_afifo", "lig_skid", "lig_topic", "lig_arbiter",
    "lig_bcast", "lig_fifo", "lig_fifo_drop", "lig_fifo_last", "lig_stats",
)  # fmt: skip
KEEP_ALL, KEEP_LAST, BEST_EFFORT = 0, 1, 2
DEPTH = 64


@dataclass(frozen=True)
class Network:
    """A set of parameters; ports are (bits, has a clock of its own), of subscribers (…, QoS)."""

    width: int
    publishers: tuple[tuple[int, bool], ...]
    subscribers: tuple[tuple[int, bool, int], ...]
    depth: int = 16
    stages: int = 2


NETWORKS = (
    Network(64, ((512, True), (64, False)), ((64, False, 0), (512, True, 0), (64, True, 0))),
    Network(
        512,
        ((64, True), (512, True), (128, False)),
        ((512, True, 0), (64, False, 2), (64, True, 1)),
        depth=8,
        stages=3,
    ),
)
NETWORK = NETWORKS[int(os.environ.get("NETWORK", "0"))]


def clocks(dut):
    return (dut.clk_i, dut.rst_i), (dut.other_clk_i, dut.other_rst_i)


async def prepare(dut, own_ps: int, other_ps: int):
    own, other = clocks(dut)
    txs = [
        source(scope, "s_axis", *(other if port[1] else own))
        for scope, port in zip(scopes(dut, "s"), NETWORK.publishers, strict=True)
    ]
    rxs = [
        sink(scope, "m_axis", *(other if port[1] else own))
        for scope, port in zip(scopes(dut, "m"), NETWORK.subscribers, strict=True)
    ]
    await stream.start_both(own, other, own_ps, other_ps)
    return txs, rxs


def drops_of(dut, subscriber: int) -> int:
    return int(dut.drops_o.value) >> (32 * subscriber) & 0xFFFFFFFF


def messages_of(rng: random.Random, publishers: int, count: int) -> list[list[bytes]]:
    """Every byte names its publisher, so that a mixed frame shows; lengths around a beat."""
    longest = DEPTH * NETWORK.width // 64  # half a queue, at most
    sizes = [1, 16, 17, 16 + 63, 16 + 64, 16 + 65]
    return [
        [
            bytes([p]) * (sizes[k] if k < len(sizes) else rng.randint(2, longest)) + bytes([k])
            for k in range(count)
        ]
        for p in range(publishers)
    ]


async def settle(dut) -> None:
    """Until nothing moves any more, in the slower of the clocks."""
    for clock, _ in clocks(dut):
        await ClockCycles(clock, 20 * DEPTH)


@cocotb.test()
@cocotb.parametrize(periods=PERIODS, stall=(0.0, 0.6))
async def delivers_whole_and_in_one_order(dut, periods, stall):
    txs, rxs = await prepare(dut, *periods)
    sent = messages_of(random.Random(8), len(txs), 12)
    for i, rx in enumerate(rxs):
        rx.set_pause_generator(stalls(stall, 50 + i))
    for i, tx in enumerate(txs):
        tx.set_pause_generator(stalls(stall, i))
        for message in sent[i]:
            tx.send_nowait(framed(message, lanes(scopes(dut, "s")[i])))
    for tx in txs:
        await with_timeout(tx.wait(), 1000, "us")
    count = sum(len(messages) for messages in sent)
    complete = await with_timeout(receive(rxs[0], count), 1000, "us")
    await settle(dut)
    got = [
        complete,
        *([bytes(rx.recv_nowait().tdata) for _ in range(rx.count())] for rx in rxs[1:]),
    ]
    beat = [lanes(scope, "m_axis") for scope in scopes(dut, "m")]
    by_frame = {framed(m, beat[0]): m for messages in sent for m in messages}
    order = [by_frame[frame] for frame in complete]
    assert sorted(order) == sorted(m for messages in sent for m in messages)
    for messages in sent:
        assert [m for m in order if m in messages] == messages
    for i, frames in enumerate(got):
        # Each sees a part of what the first one sees, framed for its own width.
        rest = iter(framed(message, beat[i]) for message in order)
        assert all(frame in rest for frame in frames)
        assert len(frames) + drops_of(dut, i) == count
        assert drops_of(dut, i) == 0 or NETWORK.subscribers[i][2] != KEEP_ALL
    assert int(dut.frames_o.value) == count


@cocotb.test()
async def a_stopped_subscriber_holds_back_as_its_qos_says(dut):
    txs, rxs = await prepare(dut, 10000, 7000)
    message = bytes([7]) * 200
    for stopped, (_, _, mode) in enumerate(NETWORK.subscribers):
        rxs[stopped].pause = True
        for _ in range(120):
            txs[0].send_nowait(framed(message, lanes(scopes(dut, "s")[0])))
        await settle(dut)
        await settle(dut)
        assert (drops_of(dut, stopped) > 0) == (mode != KEEP_ALL)
        # A dropping subscriber may be too narrow for the network's rate.
        waiting = [i for i, port in enumerate(NETWORK.subscribers) if port[2] == KEEP_ALL]
        for other in set(waiting) - {stopped}:
            assert (rxs[other].count() == 120) == (mode != KEEP_ALL)
        rxs[stopped].pause = False
        await with_timeout(txs[0].wait(), 1000, "us")
        await settle(dut)
        for rx in rxs:
            rx.clear()


@cocotb.test()
async def forgets_at_reset(dut):
    """In mid-frame at every port: half of it has left, the rest never comes."""
    own, other = clocks(dut)
    txs, rxs = await prepare(dut, 10000, 7000)
    for rx in rxs:
        rx.set_pause_generator(stalls(0.8, 3))
    for i, tx in enumerate(txs):
        tx.send_nowait(bytes([255]) * (3 * DEPTH * lanes(scopes(dut, "s")[i])))
    await ClockCycles(dut.clk_i, 30)
    own[1].value = 1
    other[1].value = 1
    for tx in txs:
        tx.clear()
    await reset_both(own, other)
    for rx in rxs:
        rx.clear()
        rx.set_pause_generator(None)
        rx.pause = False
    message = b"16 bytes of head" + b"and a body"
    txs[-1].send_nowait(framed(message, lanes(scopes(dut, "s")[-1])))
    for i, rx in enumerate(rxs):
        expected = framed(message, lanes(scopes(dut, "m")[i], "m_axis"))
        assert await with_timeout(receive(rx, 1), 10, "us") == [expected]
        assert drops_of(dut, i) == 0


def packed(values, bits: int) -> str:
    """A packed array as a parameter's word."""
    word = sum(int(value) << bits * i for i, value in enumerate(values))
    return f"{bits * len(values)}'h{word:x}"


@pytest.mark.parametrize("number", range(len(NETWORKS)))
def test_lig_topic_mixed(number):
    network = NETWORKS[number]
    files = [Path(__file__).with_name("lig_topic_mixed_tb.sv")]
    files += [RTL / f"{name}.sv" for name in MODULES]
    parameters = {
        "DATA_WIDTH": network.width,
        "PUBLISHERS": len(network.publishers),
        "SUBSCRIBERS": len(network.subscribers),
        "S_WIDTH": packed([port[0] for port in network.publishers], 32),
        "M_WIDTH": packed([port[0] for port in network.subscribers], 32),
        "S_CROSS": packed([port[1] for port in network.publishers], 1),
        "M_CROSS": packed([port[1] for port in network.subscribers], 1),
        "QOS": packed([port[2] for port in network.subscribers], 2),
        "CROSS_DEPTH": network.depth,
        "SYNC_STAGES": network.stages,
        "DEPTH": DEPTH,
    }
    environment = {"NETWORK": str(number)}
    simulate(
        "test_lig_topic_mixed", "lig_topic_mixed_tb", files, parameters, environment=environment
    )
