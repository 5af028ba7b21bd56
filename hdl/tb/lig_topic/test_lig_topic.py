# SPDX-License-Identifier: Apache-2.0
"""lig_topic: whole frames, in one order for all; who may wait and who is dropped is the QoS."""

from __future__ import annotations

import os
import random
from pathlib import Path

import cocotb
import pytest
from bench import RTL, simulate
from cocotb.triggers import ClockCycles, with_timeout
from stream import STALLS, receive, reset, scopes, sinks, sources, stalls, start

MODULES = (
    "lig_topic", "lig_arbiter", "lig_bcast", "lig_fifo", "lig_fifo_drop", "lig_fifo_last",
    "lig_stats",
)  # fmt: skip
DEPTH = 32
KEEP_ALL, KEEP_LAST, BEST_EFFORT = 0, 1, 2
MODES = [int(mode) for mode in os.environ.get("MODES", "0,0,0").split(",")]
LONGEST = DEPTH // 4  # beats


def frame_of(rng: random.Random, source: int, number: int, beat: int) -> bytes:
    """Every byte names its publisher, so that a mixed frame shows."""
    return bytes([source, number]) + bytes([source]) * rng.randint(0, LONGEST * beat - 2)


def beat_of(dut) -> int:
    return len(scopes(dut, "s_axis")[0].tdata) // 8


def each(port) -> list[int]:
    word = int(port.value)
    return [word >> (32 * i) & 0xFFFFFFFF for i in range(len(MODES))]


def drops_of(dut) -> list[int]:
    return each(dut.drops_o)


async def drain(dut, rxs) -> list[list[bytes]]:
    for rx in rxs:
        rx.set_pause_generator(None)
        rx.pause = False
    await ClockCycles(dut.clk_i, 3 * DEPTH)
    return [[bytes(rx.recv_nowait().tdata) for _ in range(rx.count())] for rx in rxs]


@cocotb.test()
@cocotb.parametrize(idle=STALLS, back=STALLS)
async def delivers_as_the_qos_says(dut, idle, back):
    rng = random.Random(8)
    txs, rxs = sources(dut), sinks(dut)
    await start(dut)
    sent = [[frame_of(rng, i, k, beat_of(dut)) for k in range(12)] for i in range(len(txs))]
    for i, tx in enumerate(txs):
        tx.set_pause_generator(stalls(idle, i))
        for frame in sent[i]:
            tx.send_nowait(frame)
    for i, rx in enumerate(rxs):
        rx.set_pause_generator(stalls(back, 50 + i))
    for tx in txs:
        await with_timeout(tx.wait(), 500, "us")
    await ClockCycles(dut.clk_i, 4)
    got = await drain(dut, rxs)
    count = sum(len(frames) for frames in sent)
    for i, frames in enumerate(got):
        for source, published in enumerate(sent):
            rest = iter(published)
            assert all(frame in rest for frame in frames if frame[0] == source)
        assert len(frames) + drops_of(dut)[i] == count
        if MODES[i] == KEEP_ALL:
            assert drops_of(dut)[i] == 0
    # One order for all: each sees a subsequence of what one that lost nothing sees.
    complete = max(got, key=len)
    for frames in got:
        rest = iter(complete)
        assert all(frame in rest for frame in frames) or len(complete) < count
    assert int(dut.frames_o.value) == count
    beats = sum(-(-len(frame) // beat_of(dut)) for frames in sent for frame in frames)
    assert int(dut.beats_o.value) == beats


@cocotb.test()
async def a_stopped_subscriber_holds_back_as_its_qos_says(dut):
    """Each subscriber stops in turn: keep-all stops everybody, the others nobody."""
    txs, rxs = sources(dut), sinks(dut)
    await start(dut)
    beat = beat_of(dut)
    for stopped, mode in enumerate(MODES):
        rxs[stopped].pause = True
        for number in range(24):
            txs[0].send_nowait(bytes([0, number]) + bytes(4 * beat - 2))
        await ClockCycles(dut.clk_i, 24 * 4 + 40)
        assert txs[0].idle() == (mode != KEEP_ALL)
        for other, rx in enumerate(rxs):
            if other != stopped:
                assert (rx.count() == 24) == (mode != KEEP_ALL)
        rxs[stopped].pause = False
        if mode == KEEP_ALL:
            await with_timeout(receive(rxs[stopped], 24), 100, "us")
        await ClockCycles(dut.clk_i, 4 * DEPTH)
        for rx in rxs:
            rx.clear()
        assert (drops_of(dut)[stopped] > 0) == (mode != KEEP_ALL)
        # A stopped keep-all queue was full; a dropping one kept at least a whole frame.
        full = DEPTH if mode == KEEP_ALL else 4
        assert full <= each(dut.peaks_o)[stopped] <= DEPTH


@cocotb.test()
async def joins_a_message_of_every_publisher(dut):
    """Each keep-all subscriber gets a frame of each publisher, all in one order."""
    txs, rxs = sources(dut), sinks(dut)
    await start(dut)
    sent = [frame_of(random.Random(i), i, 0, beat_of(dut)) for i in range(len(txs))]
    for tx, frame in zip(txs, sent, strict=True):
        tx.send_nowait(frame)
    everything = [rx for rx, mode in zip(rxs, MODES, strict=True) if mode == KEEP_ALL]
    got = [await with_timeout(receive(rx, len(sent)), 100, "us") for rx in everything]
    assert all(sorted(frames) == sorted(sent) and frames == got[0] for frames in got)
    for tx in txs:
        await with_timeout(tx.wait(), 100, "us")
    await ClockCycles(dut.clk_i, 4)
    assert int(dut.frames_o.value) == len(sent)


@cocotb.test()
async def forgets_at_reset(dut):
    txs, rxs = sources(dut), sinks(dut)
    await start(dut)
    for rx in rxs:
        rx.pause = True
    for tx in txs:
        tx.send_nowait(bytes(3 * DEPTH * beat_of(dut)))
    await ClockCycles(dut.clk_i, DEPTH + 9)
    await reset(dut, txs, rxs)
    txs[-1].send_nowait(b"after")
    for rx in rxs:
        assert await with_timeout(receive(rx, 1), 10, "us") == [b"after"]
    assert drops_of(dut) == [0] * len(MODES)


def sources_of_bench() -> list[Path]:
    return [Path(__file__).with_name("lig_topic_tb.sv"), *(RTL / f"{name}.sv" for name in MODULES)]


@pytest.mark.parametrize(
    ("width", "publishers", "modes", "history"),
    [(64, 2, (0, 0, 0), 1), (128, 3, (0, 1, 2), 2), (512, 1, (1, 2), 1)],
)
def test_lig_topic(width, publishers, modes, history):
    qos = sum(mode << 2 * i for i, mode in enumerate(modes))
    parameters = {
        "DATA_WIDTH": width,
        "PUBLISHERS": publishers,
        "SUBSCRIBERS": len(modes),
        "QOS": f"{2 * len(modes)}'d{qos}",
        "DEPTH": DEPTH,
        "HISTORY": history,
    }
    environment = {"MODES": ",".join(str(mode) for mode in modes)}
    simulate(
        "test_lig_topic", "lig_topic_tb", sources_of_bench(), parameters, environment=environment
    )


def test_lig_topic_with_64_publishers_and_64_subscribers():
    """The largest network: one test of the bench, since a cycle takes long."""
    parameters = {"DATA_WIDTH": 256, "PUBLISHERS": 64, "SUBSCRIBERS": 64, "DEPTH": DEPTH}
    environment = {
        "MODES": ",".join(["0"] * 64),
        "COCOTB_TEST_FILTER": "joins_a_message_of_every_publisher$",
    }
    simulate(
        "test_lig_topic", "lig_topic_tb", sources_of_bench(), parameters, environment=environment
    )
