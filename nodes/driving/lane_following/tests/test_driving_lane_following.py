# SPDX-License-Identifier: Apache-2.0
"""driving_lane_following: bit by bit what LaneSearch of kernels/lane_search.hpp finds."""

from __future__ import annotations

import ctypes
import os
from dataclasses import astuple, dataclass, replace

import cocotb
import drive_bench
import image_bench
import lane_bench
import pytest
from cocotb.triggers import with_timeout
from cocotb.utils import get_sim_time
from image_bench import (
    BROKEN,
    BROKEN_BEAT,
    COUNT,
    DONE,
    HEADER_REST,
    VALUES,
    Image,
    Port,
    fields,
    image,
)
from lane_bench import BLUE_FIRST, PERIOD_NS, RANGES, Range, ground, painted
from stream import start

NO_ENCODING, NO_SIZE, NO_COLOUR, NO_BAND = 16, 17, 29, 40


@dataclass(frozen=True)
class Lengths:
    """The node's parameters, with the defaults of its manifest. Unit: m."""

    near_edge: float = 0.2
    far_edge: float = 0.8
    half_width: float = 0.5
    lane_width: float = 0.3
    stripe_width: float = 0.03
    look_ahead: float = 0.23
    band: float = 0.06


LENGTHS = (
    Lengths(),
    Lengths(look_ahead=0.5, band=0.31),
    Lengths(far_edge=0.93, half_width=0.71, lane_width=0.21, stripe_width=0.014, look_ahead=0.8),
    Lengths(0, 100, 100, lane_width=77, stripe_width=10, look_ahead=50, band=99),
    Lengths(half_width=0.06, lane_width=0.05, stripe_width=0.008, look_ahead=0.7, band=0.001),
)  # fmt: skip


@dataclass(frozen=True)
class Lane:
    """What a message says."""

    stamp: tuple[int, int]
    #: x and y as float32, by their bytes; none: no lane was seen.
    middle: bytes


def request(dut, lengths: Lengths, yellow: Range, white: Range) -> None:
    for name, value in vars(lengths).items():
        getattr(dut, f"parameter_{name}_i").value = lane_bench.bits(value)
    lane_bench.request_colours(dut, yellow, white)


async def begin(
    dut, lengths: Lengths = LENGTHS[0], colours: tuple[Range, Range] = RANGES[0]
) -> None:
    """Parameters are constant from reset on."""
    request(dut, lengths, *colours)
    await start(dut)


def expected(source: Image, lengths: Lengths, colours: tuple[Range, Range] = RANGES[0]) -> Lane:
    values = (ctypes.c_double * 7)(*astuple(lengths))
    first = BLUE_FIRST[source.encoding]
    made = drive_bench.golden(
        "lane_following", source.pixels, (1, 1, 9), values, lane_bench.ends_of(*colours), first
    )
    found = made.tobytes()
    return Lane(source.stamp, found[1:] if found[0] else b"")


async def lane(port: Port) -> Lane | int:
    """The core's next message, or the code of a Broken beat."""
    beats = await port.receive()
    last = beats[-1]
    if last.kind == BROKEN:
        assert len(beats) == 1
        return last.data
    assert (last.kind, last.data) == (DONE, 0)
    got = [
        (beat.kind, beat.field, beat.data.to_bytes(8, "little")[: beat.keep.bit_length()])
        for beat in beats[:-1]
    ]
    seen = int.from_bytes(got[5][2], "little")
    front = [(VALUES, 0), (VALUES, 1), (COUNT, 2), (VALUES, 2), (VALUES, 2), (COUNT, 3)]
    point = [(VALUES, 4), (VALUES, 5), (VALUES, 6)]
    assert [(kind, field) for kind, field, _ in got] == front + point * seen
    assert got[2][2] == (9).to_bytes(4, "little")
    assert got[3][2] + got[4][2] == b"base_link"
    assert port.header & 0xFFFF_FFFF == 32 + 12 * seen
    assert port.header >> 56 & 63 == 0
    assert port.header >> 64 == HEADER_REST >> 64
    middle = b"".join(value for _, _, value in got[6:8])
    assert all(value == bytes(4) for _, _, value in got[8:])
    return Lane((int.from_bytes(got[0][2], "little"), int.from_bytes(got[1][2], "little")), middle)


async def ask(dut, beats: list[image_bench.Beat], stall: float = 0.0) -> Lane | int:
    (got,) = await lane_bench.one_after_another(dut, [beats], stall, lane)
    return got


async def judge(dut, source: Image, lengths: Lengths = LENGTHS[0], stall: float = 0.0) -> None:
    assert await ask(dut, fields(source), stall) == expected(source, lengths)


@cocotb.test()
@cocotb.parametrize(stall=(0.0, 0.3))
async def finds_the_middle_of_the_lane(dut, stall):
    await begin(dut)
    seen = 0
    places = (
        (0.4, 0.0, 0.0, 3),
        (0.4, 0.06, -0.2, 3),
        (3.0, -0.06, 0.2, 3),
        (0.4, -0.03, 0.3, 1),
        (2.6, 0.05, -0.3, 2),
        (0.5, 0.0, 0.0, 0),
    )
    for number, (distance, offset, turned, stripes) in enumerate(places):
        source = ground(200, 120, ("rgb8", "bgr8")[number % 2], distance, (offset, turned), stripes)
        await judge(dut, source, stall=stall)
        seen += bool(expected(source, LENGTHS[0]).middle)
    assert seen >= 4


@cocotb.test()
@cocotb.parametrize(number=tuple(range(len(LENGTHS))))
async def finds_what_the_kernel_finds_in_any_picture(dut, number):
    await begin(dut, LENGTHS[number])
    seen = 0
    sizes = ((50, 40), (50, 40), (120, 30), (97, 61), (3, 5), (1, 1))
    for seed, (width, height) in enumerate(sizes):
        encoding = ("rgb8", "8UC3", "bgr8")[seed % 3]
        source = painted(width, height, encoding, 10 * number + seed)
        await judge(dut, source, LENGTHS[number])
        seen += bool(expected(source, LENGTHS[number]).middle)
    assert seen >= 1 or number == 3


@cocotb.test()
@cocotb.parametrize(number=tuple(range(1, len(RANGES))))
async def takes_any_range_of_colours(dut, number):
    await begin(dut, LENGTHS[1], RANGES[number])
    for seed in range(3):
        source = painted(60, 40, "rgb8", seed)
        assert await ask(dut, fields(source)) == expected(source, LENGTHS[1], RANGES[number])
        source = image(60, 40, "bgr8", seed)
        assert await ask(dut, fields(source)) == expected(source, LENGTHS[1], RANGES[number])


@cocotb.test()
@cocotb.parametrize(stall=(0.0, 0.2))
async def takes_frame_after_frame(dut, stall):
    await begin(dut)
    sources = [ground(200, 120, "rgb8", 0.4, (0.01 * k, 0.05 * k), 3) for k in range(4)]
    sources += [painted(80, 50, "rgb8", 3), *sources[:2]]
    got = await lane_bench.one_after_another(dut, [fields(s) for s in sources], stall, lane)
    assert got == [expected(source, LENGTHS[0]) for source in sources]


@cocotb.test()
async def takes_all_of_a_beat_in_a_cycle(dut):
    pixels = int(os.environ["PIXELS"])
    await begin(dut, LENGTHS[1])
    beats = fields(ground(200, 120, "rgb8", 0.4, (0.0, 0.0), 3))
    await lane_bench.one_after_another(dut, [beats] * 2, 0.0, lane)  # the size is known
    before = get_sim_time("ns")
    await lane_bench.one_after_another(dut, [beats] * 4, 0.0, lane)
    cycles = (get_sim_time("ns") - before) / PERIOD_NS
    own = 4 * 200 * 120 / pixels
    # A cycle for each run: seven of a row of the band, which has 62. And the votes of an image are
    # counted and cleared while the next one comes up to its band; then it waits for that.
    runs, counted = 4 * 62 * 7, 16 * 200 + 2 * int(os.environ["MAX_WIDTH"]) + 2500
    assert own <= cycles <= own + 4 * 60 + runs + 4 * counted


@cocotb.test()
async def refuses_with_one_beat_and_goes_on(dut):
    await begin(dut)
    good = ground(200, 120, "rgb8", 0.4, (0.0, 0.0), 3)
    wide = image(4, 2, "rgb8")
    cases = (
        (image(20, 10, "mono8"), NO_COLOUR),
        (image(20, 10, "rgba8"), NO_COLOUR),
        (replace(wide, encoding="rgb16"), NO_ENCODING),
        (replace(wide, height=0, data=b""), NO_SIZE),
    )
    for source, problem in cases:
        assert await ask(dut, fields(source), 0.1) == problem
        await judge(dut, good)


@cocotb.test()
async def refuses_a_band_outside_of_the_view(dut):
    for lengths in (
        Lengths(look_ahead=0.22),
        Lengths(look_ahead=0.78),
        Lengths(near_edge=0.9, look_ahead=0.85),
    ):
        await begin(dut, lengths)
        for _ in range(2):
            assert await ask(dut, fields(image(40, 30, "rgb8"))) == NO_BAND
    await begin(dut, Lengths(near_edge=0.25, far_edge=0.5, look_ahead=0.375, band=0.25))
    await judge(
        dut,
        image(40, 30, "rgb8"),
        Lengths(near_edge=0.25, far_edge=0.5, look_ahead=0.375, band=0.25),
    )


@cocotb.test()
async def answers_broken_messages_with_broken(dut):
    await begin(dut, LENGTHS[1])
    good = painted(60, 40, "rgb8", 7)
    beats = fields(good)
    last = len(beats) - 1
    for cut in (0, 8, 14, last // 3, 2 * last // 3, last):
        got = await ask(dut, [*beats[:cut], BROKEN_BEAT], 0.1)
        assert got == BROKEN_BEAT.data, cut
        await judge(dut, good, LENGTHS[1])


@cocotb.test()
async def forgets_at_reset(dut):
    await begin(dut, LENGTHS[1])
    for cycles in (10, 2000, 5500, 9000):
        await image_bench.interrupt(
            dut, {"s_axis": fields(painted(60, 40, "rgb8", cycles))}, cycles
        )
        await with_timeout(
            cocotb.start_soon(judge(dut, painted(60, 40, "rgb8", 7), LENGTHS[1])), 50, "ms"
        )


@pytest.mark.parametrize(
    ("width", "pixels"), drive_bench.sweep([(256, 4)], [(4096, 1), (256, 2), (256, 8)], [(256, 1)])
)
def test_driving_lane_following(width, pixels):
    parameters = {"MAX_WIDTH": width, "PIXELS": pixels}
    drive_bench.simulate_core("test_driving_lane_following", "lane_following", parameters)
