# SPDX-License-Identifier: Apache-2.0
"""driving_lane_control: the commands of kernels/drive.hpp, whatever comes in which order.

Lanes wait for what the detectors say, as in the node of the CPU.
"""

from __future__ import annotations

import ctypes
import random
import struct
from collections.abc import Sequence

import cocotb
import drive_bench
import image_bench
from cocotb.triggers import ClockCycles
from drive_messages import (
    DONE_BEAT,
    NOTHING,
    SECOND_NS,
    Answer,
    ask_each,
    broken,
    point_stamped,
    polygon,
    time,
)
from image_bench import doubles
from stream import start

MS = 1_000_000
LENGTHS = {
    "cruise": 0.2,
    "look_ahead": 0.23,
    "slow_in_curves": 0.1,
    "acceleration": 0.4,
    "deceleration": 1.0,
    "turn_limit": 2.84,
}
TIMES = {"slow_after_ms": 200, "stop_after_ms": 600, "light_delay_ms": 100}
TWIST_BYTES = 52
#: No tick has said yet what time it is: the first one is not behind that.
NEVER = 2**63 - 1


class Drive:
    """The core, and the kernel that it has to agree with."""

    def __init__(self, dut, stall: float, **options: float) -> None:
        self.dut, self.stall = dut, stall
        self.now = NEVER
        self.library = image_bench.loaded(drive_bench.library())
        self.library.golden_drive_new.restype = ctypes.c_void_p
        self.lengths = {name: options.get(name, value) for name, value in LENGTHS.items()}
        self.times = {name: int(options.get(name, value)) for name, value in TIMES.items()}
        self.commands = self.most = self.waited = 0
        self.new_kernel()

    def new_kernel(self) -> None:
        ms = (ctypes.c_int64 * 3)(*self.times.values())
        made = self.library.golden_drive_new(doubles([*self.lengths.values()]), ms)
        self.kernel = ctypes.c_void_p(made)

    def give_parameters(self) -> None:
        for name, value in self.lengths.items():
            bits = struct.unpack("<Q", struct.pack("<d", value))[0]
            getattr(self.dut, f"parameter_{name}_i").value = bits
        for name, number in self.times.items():
            getattr(self.dut, f"parameter_{name}_i").value = number

    def judge(self, got: list[Answer], known: int, wanted: ctypes.Array[ctypes.c_double]) -> None:
        *messages, end = got
        assert end.problem == NOTHING
        assert len(messages) == known
        self.commands += known
        self.most = max(self.most, known)
        for i, message in enumerate(messages):
            numbers = {n: struct.unpack("<d", message.fields[n])[0] for n in range(6)}
            speed, turn = wanted[2 * i], wanted[2 * i + 1]
            assert numbers == {0: speed, 1: 0.0, 2: 0.0, 3: 0.0, 4: 0.0, 5: turn}
            assert message.length == TWIST_BYTES
        self.waited = max(self.waited, self.library.golden_drive_waiting(self.kernel))

    async def lane(
        self, stamp: int, points: Sequence[tuple[float, float]], loose: bool = False
    ) -> None:
        wanted = doubles([0.0] * 18)
        flat = [value for point in points for value in point]
        known = self.library.golden_drive_lane(
            self.kernel, ctypes.c_int64(stamp), ctypes.c_int64(self.now),
            (ctypes.c_float * len(flat))(*flat), len(points), wanted,
        )  # fmt: skip
        beats = polygon(stamp, points, loose)
        got = await ask_each(self.dut, "s_axis_lane", beats, self.stall, stamp & 0xFFFF)
        self.judge(got, known, wanted)

    async def light(self, red: bool, stamp: int, z: float = 3.0) -> None:
        """What a detector says of a frame; with a negative `z`, that it is done with it."""
        wanted = doubles([0.0] * 18)
        known = self.library.golden_drive_light(
            self.kernel, int(red), int(not z < 0), ctypes.c_int64(stamp), ctypes.c_int64(self.now),
            wanted,
        )  # fmt: skip
        beats = point_stamped(stamp, loose=bool(stamp & 1), z=z)
        port = "s_axis_red" if red else "s_axis_green"
        self.judge(await ask_each(self.dut, port, beats, self.stall, 3), known, wanted)

    async def tick(self, now: int) -> None:
        wanted = doubles([0.0, 0.0])
        known = self.library.golden_drive_tick(self.kernel, ctypes.c_int64(now), wanted)
        self.now = now
        got = await ask_each(self.dut, "s_axis_watchdog", time(now), self.stall, 5)
        self.judge(got, known, wanted)


async def driven(dut, stall: float = 0.0, **options: float) -> Drive:
    """A core behind its reset."""
    drive = Drive(dut, stall, **options)
    drive.give_parameters()
    await start(dut)
    return drive


def ahead(dice: random.Random) -> list[tuple[float, float]]:
    """A lane's points, of which none may be seen, or all beside look_ahead."""
    count = dice.choice((0, 1, 2, 6, 6, 6))
    first, step = dice.uniform(-0.1, 0.4), dice.uniform(0.0, 0.15)
    bend = dice.uniform(-1.5, 1.5)
    return [
        (first + i * step, bend * (first + i * step) ** 2 + dice.uniform(-0.02, 0.02))
        for i in range(count)
    ]


@cocotb.test()
@cocotb.parametrize(stall=(0.0, 0.5))
async def follows_a_lane_and_obeys_lights(dut, stall):
    drive = await driven(dut, stall)
    dice = random.Random(11)
    stamp = 7 * SECOND_NS
    await drive.tick(stamp)
    for frame in range(40):
        stamp += dice.choice((33 * MS, 33 * MS, 34 * MS, 0, -20 * MS))
        if frame in (8, 24):
            await drive.light(True, stamp - 5 * MS)
        if frame in (15, 30):
            await drive.light(False, stamp)
        await drive.lane(stamp, ahead(dice), loose=frame % 3 == 0)
        await drive.tick(stamp + 3 * MS)
    assert drive.commands > 20


@cocotb.test()
@cocotb.parametrize(stall=(0.0, 0.4))
async def gives_the_same_commands_whoever_is_faster(dut, stall):
    """Detectors before and behind the lane, one that hangs for some frames, one that never says."""
    drive = await driven(dut, stall, light_delay_ms=66)
    dice = random.Random(19)
    stamp = 7 * SECOND_NS
    said = [stamp, stamp]
    await drive.tick(stamp)
    for frame in range(60):
        if frame == 40:  # the source begins anew
            stamp = 3 * SECOND_NS
            said = [stamp, stamp]
        stamp += dice.choice((33 * MS, 33 * MS, 33 * MS, 34 * MS, 0, -20 * MS))
        if frame == 36:  # both are done with all that waits
            said = [stamp, stamp]
            await drive.light(True, stamp, -1.0)
            await drive.light(False, stamp, -1.0)
        for red in (True, False):
            if (frame < 10 and not red) or 25 <= frame < 36:
                continue
            while said[red] < stamp - dice.choice((0, 40, 120)) * MS:
                said[red] += dice.choice((33 * MS, 40 * MS))
                z = dice.choice((-1.0, -1.0, -1.0, 2.0, -0.0, float("nan"), float("-inf")))
                await drive.light(red, said[red], z)
        await drive.lane(stamp, ahead(dice))
        if frame % 4 == 0:
            await drive.tick(stamp + 90 * MS)
    for red in (True, False):
        await drive.light(red, stamp + SECOND_NS, -1.0)
    # To the nanosecond: the first needs nothing more, the second does.
    await drive.lane(stamp + SECOND_NS + 66 * MS, ahead(dice))
    commands = drive.commands
    await drive.lane(stamp + SECOND_NS + 66 * MS + 1, ahead(dice))
    assert drive.commands == commands
    await drive.light(True, stamp + SECOND_NS + 1, -1.0)
    assert drive.commands == commands
    await drive.light(False, stamp + SECOND_NS + 1, -1.0)
    assert drive.commands == commands + 1
    assert drive.commands > 30
    assert drive.most > 2
    assert drive.waited == 8


@cocotb.test()
async def brakes_where_no_lane_comes(dut):
    drive = await driven(dut)
    lane = [(0.2 + 0.1 * i, 0.02 * i) for i in range(6)]
    stamp = SECOND_NS
    await drive.tick(stamp)
    for _ in range(20):
        stamp += 33 * MS
        await drive.lane(stamp, lane)
    before = drive.commands
    for now in range(stamp, stamp + 900 * MS, 50 * MS):
        await drive.tick(now)
    assert drive.commands > before + 10
    # Frames without a lane, then one: it goes on where it stood.
    for _ in range(30):
        stamp += 33 * MS
        await drive.lane(stamp, [])
    await drive.lane(stamp + 33 * MS, lane)
    # The clock goes back, and the source begins anew.
    await drive.tick(10 * MS)
    await drive.lane(20 * MS, lane)
    await drive.lane(60 * MS, lane)
    for now in range(60 * MS, 700 * MS, 50 * MS):
        await drive.tick(now)


@cocotb.test()
async def holds_more_events_than_it_has_room_for(dut):
    drive = await driven(dut, light_delay_ms=500)
    dice = random.Random(3)
    await drive.lane(SECOND_NS, [(0.3, 0.1)])
    stamps = [SECOND_NS + dice.randrange(0, 40) * 10 * MS for _ in range(80)]
    for number, stamp in enumerate(stamps):
        await drive.light(dice.random() < 0.5, stamp)
        if number % 20 == 19:
            await drive.lane(SECOND_NS + number * MS, [(0.3, -0.1)])
    for step in range(100, 1200, 25):
        await drive.lane(SECOND_NS + step * MS, [(0.3, 0.05)])
    await drive.light(True, 9 * SECOND_NS)  # of another run
    await drive.lane(12 * SECOND_NS, [(0.3, 0.05)])


@cocotb.test()
async def takes_any_numbers(dut):
    dice = random.Random(17)
    values = [0.0, 1e-6, 0.5 / 65536, 1.5 / 65536, 0.3, 9.999, 10.0]
    for _ in range(6):
        options = {name: dice.choice(values) for name in LENGTHS}
        drive = await driven(
            dut,
            turn_limit=dice.choice((0.0, 2.84, 100.0)),
            **{k: v for k, v in options.items() if k != "turn_limit"},
        )
        for frame in range(12):
            points = [
                (dice.choice((-1, 1)) * 10 ** dice.uniform(-6, 3), dice.uniform(-3, 3))
                for _ in range(dice.randint(0, 7))
            ]
            await drive.lane(SECOND_NS + frame * 40 * MS, points)
        for bad in (float("nan"), float("inf"), 1000.0, 1000.1, -1e30):
            await drive.lane(
                3 * SECOND_NS + int(abs(bad)) % 7
                if bad == bad and abs(bad) < 1e6
                else 4 * SECOND_NS,
                [(0.2, 0.1), (bad, 0.1), (0.3, bad)],
            )


@cocotb.test()
async def passes_on_that_a_message_is_broken(dut):
    drive = await driven(dut)
    lane = [(0.2, 0.1), (0.4, 0.2)]
    await drive.lane(SECOND_NS, lane)
    for port, beats in (
        ("s_axis_lane", polygon(2 * SECOND_NS, lane)),
        ("s_axis_red", point_stamped(SECOND_NS)),
        ("s_axis_green", point_stamped(SECOND_NS)),
        ("s_axis_watchdog", time(SECOND_NS)),
    ):
        assert beats[-1] == DONE_BEAT
        for cut in range(0, len(beats), 2):
            got = await ask_each(dut, port, [*beats[:cut], broken(4)], 0.2)
            assert [one.problem for one in got] == [4]
    await drive.lane(SECOND_NS + 300 * MS, lane)


@cocotb.test()
async def forgets_at_reset(dut):
    drive = await driven(dut)
    lane = [(0.2, 0.1), (0.4, 0.2)]
    for cycles in (20, 90, 400, 1500):
        await drive.light(True, 0)
        await drive.lane(SECOND_NS, lane)
        await image_bench.interrupt(dut, {"s_axis_lane": polygon(2 * SECOND_NS, lane)}, cycles)
        drive.new_kernel()
        drive.now = NEVER
        await drive.lane(SECOND_NS // 2, lane)
        await drive.lane(SECOND_NS // 2 + 33 * MS, lane)
        await ClockCycles(dut.clk_i, 3)


def test_driving_lane_control():
    drive_bench.simulate_core("test_driving_lane_control", "lane_control")
