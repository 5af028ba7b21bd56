# SPDX-License-Identifier: Apache-2.0
"""Both light cores say what the nodes of the CPU say, by kernels/light.hpp and light_watch.hpp."""

from __future__ import annotations

import ctypes
import os
import random
import struct
from collections.abc import Mapping
from dataclasses import replace

import cocotb
import drive_bench
import image_bench
import numpy as np
import pytest
from drive_messages import NOTHING, SECOND_NS, Answer, ask_each, broken, point_stamped
from image_bench import Image, Pixels, fields, image, with_pixels
from stream import start

MS = 1_000_000
#: Of each core another one: a model lies in a folder of its parameters.
WIDTHS = {"red": 128, "green": 256}
NO_ENCODING, NO_SIZE, SHORT_DATA, NO_COLOUR = 16, 17, 19, 29
#: Which of the two nodes; `simulate` hands its environment to the simulator.
NODE = os.environ.get("LIGHT", "red")
MAX_WIDTH = WIDTHS[NODE]
SIZES = {"rows_permille": 500, "diameter_from": 4, "diameter_to": 40, "confirm": 3, "alternates": 1}
COLOURS = {"red": (340, 15, 120, 255, 150), "green": (90, 170, 80, 255, 150)}
BOUNDS = ("hue_from", "hue_to", "saturation_from", "saturation_to", "value_from")
LIT = {"red": (250, 20, 30), "green": (30, 240, 60)}


class _Picture(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("width", ctypes.c_int),
        ("height", ctypes.c_int),
        ("channels", ctypes.c_int),
    )


class _Said(ctypes.Structure):
    _fields_ = tuple(
        (name, ctypes.c_int64)
        for name in ("stamp", "lit", "twice_x", "twice_y", "four_radii", "frame")
    )


class Detector:
    """The core, and the kernels that it has to agree with."""

    def __init__(self, dut, options: Mapping[str, int], stall: float) -> None:
        self.dut, self.stall = dut, stall
        colour = dict(zip(BOUNDS, COLOURS[NODE], strict=True))
        self.options = colour | SIZES | options
        if NODE == "green":
            self.options["alternates"] = 1  # it always does
        self.library = image_bench.loaded(drive_bench.library())
        self.library.golden_light_new.restype = ctypes.c_void_p
        self.events = self.dones = self.most = 0
        self.said = ""  # the frame of the last event
        self.names: list[str] = []  # of all frames
        self.new_kernel()

    def new_kernel(self) -> None:
        numbers = (ctypes.c_int * 10)(*self.options.values())
        made = self.library.golden_light_new(int(NODE == "red"), numbers)
        self.kernel = ctypes.c_void_p(made)

    def judge(self, got: list[Answer], said: list[_Said]) -> None:
        *messages, end = got
        assert end.problem == NOTHING
        stamps = [(one.stamp_ns, one.fields[5]) for one in messages]
        assert len(messages) == len(said), (stamps, [(one.stamp, one.lit) for one in said])
        self.most = max(self.most, len(said))
        for message, wanted in zip(messages, said, strict=True):
            self.judge_one(message, wanted)

    def judge_one(self, got: Answer, wanted: _Said) -> None:
        assert got.stamp_ns == wanted.stamp
        place = tuple(struct.unpack("<d", got.fields[n])[0] for n in (3, 4, 5))
        name = got.fields.get(2, b"").decode()
        assert name == (self.names[wanted.frame] if wanted.frame >= 0 else "")
        assert len(name) == got.counts[2]
        assert got.length == 4 + -(-(13 + len(name)) // 8) * 8 + 24
        if not wanted.lit:
            self.dones += 1
            assert place == (0, 0, -1)
            return
        self.events += 1
        assert place == (wanted.twice_x / 2, wanted.twice_y / 2, wanted.four_radii / 4)
        self.said = name

    async def frame(self, source: Image) -> None:
        stamp = ctypes.c_int64(source.stamp[0] * SECOND_NS + source.stamp[1])
        said, blue_first = (_Said * 32)(), source.encoding != "rgb8"
        pixels = np.ascontiguousarray(source.pixels)
        picture = _Picture(pixels.ctypes.data, source.width, source.height, 3)
        number = ctypes.c_int64(len(self.names))
        self.names.append(source.frame_id)
        count = self.library.golden_light_frame(
            self.kernel, stamp, ctypes.byref(picture), int(blue_first), number, said
        )
        got = await ask_each(self.dut, "s_axis_image", fields(source), self.stall, source.width)
        self.judge(got, said[:count])

    async def other(self, stamp: int, z: float = 3.0) -> None:
        """What the other detector says of a frame."""
        said, lit = (_Said * 32)(), int(not z < 0)
        count = self.library.golden_light_other(self.kernel, lit, ctypes.c_int64(stamp), said)
        beats = point_stamped(stamp, loose=bool(stamp & 1), z=z)
        got = await ask_each(self.dut, OTHER, beats, self.stall, 9)
        self.judge(got, said[:count])


OTHER = "s_axis_green" if NODE == "red" else "s_axis_red"


async def watching(dut, stall: float = 0.0, **options: int) -> Detector:
    detector = Detector(dut, options, stall)
    for name, value in detector.options.items():
        if name != "alternates" or NODE == "red":
            getattr(dut, f"parameter_{name}_i").value = value
    await start(dut)
    return detector


def picture(pixels: Pixels, stamp: int, encoding: str = "rgb8", name: str = "camera") -> Image:
    height, width, _ = pixels.shape
    like = replace(image(width, height, encoding), frame_id=name, stamp=divmod(stamp, SECOND_NS))
    return with_pixels(like, pixels if encoding == "rgb8" else pixels[:, :, ::-1])


def scene(width: int, height: int, dice: random.Random, discs: int = 1) -> Pixels:
    """Grey noise with discs, rings and squares of the lamp's colour."""
    noise = np.random.default_rng(dice.randrange(1 << 30))
    pixels = noise.integers(60, 120, (height, width, 3)).astype(np.uint8)
    rows, columns = np.ogrid[:height, :width]
    for _ in range(discs):
        x, y, radius = dice.uniform(0, width), dice.uniform(0, height * 0.6), dice.uniform(2, 9)
        distance = (rows - y) ** 2 + (columns - x) ** 2
        inside = distance <= radius**2
        if dice.random() < 0.3:
            inside &= distance > (radius * 0.6) ** 2
        if dice.random() < 0.2:
            inside = (abs(rows - y) <= radius) & (abs(columns - x) <= radius)
        pixels[inside] = LIT[NODE]
    return pixels


def lamp(column: int, stamp: int, name: str) -> Image:
    """A picture with one lamp."""
    pixels = np.full((24, 40, 3), 90, np.uint8)
    rows, columns = np.ogrid[:24, :40]
    pixels[(rows - 9) ** 2 + (columns - column) ** 2 <= 25] = LIT[NODE]
    return picture(pixels, stamp, name=name)


@cocotb.test()
@cocotb.parametrize(stall=(0.0, 0.4))
async def sees_its_lamp_and_waits_for_the_other(dut, stall):
    detector = await watching(dut, stall)
    dice = random.Random(21)
    stamp = 5 * SECOND_NS
    for step in range(36):
        stamp += dice.choice((33 * MS, 33 * MS, 33 * MS, 0, -10 * MS))
        if step % 12 in (0, 7, 8):
            await detector.other(stamp + dice.choice((-40 * MS, 0, 1)))
        source = picture(scene(40, 24, dice), stamp, dice.choice(("rgb8", "bgr8", "8UC3")))
        await detector.frame(source)
    await detector.frame(picture(scene(40, 24, dice), SECOND_NS))  # the source begins anew
    assert detector.events > 1


@cocotb.test()
async def finds_the_largest_disc_of_any_picture(dut):
    """All shapes of blobs: every pixel counts, whatever touches what."""
    detector = await watching(
        dut, confirm=1, rows_permille=1000, diameter_from=2, diameter_to=100, alternates=0
    )
    dice = random.Random(2)
    noise = np.random.default_rng(3)
    stamp = SECOND_NS
    for step in range(40):
        stamp += 33 * MS
        if NODE == "green":
            await detector.other(stamp - MS)
        width, height = dice.choice(((31, 20), (64, 12), (17, 33), (128, 9), (1, 7), (9, 1)))
        if step % 2:
            pixels = scene(width, height, dice, dice.randint(0, 6))
        else:
            share = dice.choice((0.05, 0.3, 0.45, 0.6, 0.9))
            pixels = np.where(
                noise.random((height, width, 1)) < share, np.array(LIT[NODE]), 90
            ).astype(np.uint8)
        await detector.frame(picture(pixels, stamp))
    # Combs: as many blobs in a row as there can be, and all become one.
    for up in (False, True):
        pixels = np.full((10, 128, 3), 90, np.uint8)
        pixels[:, ::2] = LIT[NODE]
        pixels[0 if up else 9] = LIT[NODE]
        stamp += 33 * MS
        if NODE == "green":
            await detector.other(stamp - MS)
        await detector.frame(picture(pixels, stamp))
    assert detector.events > 1


@cocotb.test()
async def tells_the_frame_of_any_name(dut):
    detector = await watching(dut, confirm=1, rows_permille=1000, alternates=0)
    dice = random.Random(4)
    stamp = SECOND_NS
    for length in (0, 1, 7, 8, 9, 16, 33, 64):
        stamp += 33 * MS
        if NODE == "green":
            await detector.other(stamp - MS)
        name = "abcdefghijklmnopqrstuvwxyz0123456789_abcdefghijklmnopqrstuvwxyz_12"[:length]
        await detector.frame(lamp(dice.randint(8, 30), stamp, name))
        assert detector.said == name


@cocotb.test()
@cocotb.parametrize(stall=(0.0, 0.3))
async def says_the_same_whatever_comes_when(dut, stall):
    """The other detector is behind or before, leaves out frames, says things twice, begins anew."""
    detector = await watching(dut, stall, confirm=2)
    dice = random.Random(31)
    stamp = behind = 5 * SECOND_NS
    for step in range(90):
        if dice.random() < 0.5:
            stamp += dice.choice((33 * MS, 33 * MS, 33 * MS, 66 * MS, 0, -40 * MS))
            if step == 60:
                stamp = behind = 2 * SECOND_NS
            await detector.frame(picture(scene(24, 16, dice, 2), stamp, name="ab" * (step % 9)))
        for _ in range(dice.choice((0, 0, 1, 2))):
            behind += dice.choice((33 * MS, 33 * MS, 66 * MS, 0, -33 * MS, 5 * MS + 1))
            behind = min(behind, stamp + 99 * MS)
            if dice.random() < 0.1:
                behind = stamp  # it is done with all that has come
            await detector.other(behind, dice.choice((-1.0, -1.0, -1.0, 4.0, float("nan"), -0.0)))
    assert detector.events > 3
    assert detector.dones > 20
    assert detector.most > 2


@cocotb.test()
async def waits_for_no_more_frames_than_it_holds(dut):
    detector = await watching(dut, confirm=1)
    dice = random.Random(5)
    frames = [SECOND_NS + step * 33 * MS for step in range(20)]
    await detector.frame(picture(scene(24, 16, dice, 2), frames[0]))
    await detector.other(frames[0], -1.0)
    dones = detector.dones
    for stamp in frames[1:15]:  # the other detector hangs
        await detector.frame(picture(scene(24, 16, dice, 2), stamp, name=str(stamp)[:9]))
    assert detector.dones + detector.events > dones + 5
    await detector.other(frames[10], 2.0)
    await detector.other(frames[13], -1.0)
    await detector.other(frames[19], -1.0)
    # A source that begins anew: what waits is of the time before.
    for stamp in frames[15:17]:
        await detector.frame(picture(scene(24, 16, dice, 2), stamp + 9 * SECOND_NS))
    for stamp in frames[:4]:
        await detector.frame(picture(scene(24, 16, dice, 2), stamp))
        await detector.other(stamp, -1.0)


@cocotb.test()
async def hears_of_more_events_than_it_has_room_for(dut):
    detector = await watching(dut, confirm=1)
    dice = random.Random(7)
    stamp = SECOND_NS
    for _ in range(3):
        await detector.frame(picture(scene(24, 16, dice, 3), stamp))
        for _ in range(50):
            await detector.other(stamp + dice.randrange(-10, 60) * 7 * MS, 1.0)
        for step in range(0, 500, 60):
            await detector.frame(picture(scene(24, 16, dice, 3), stamp + step * MS))
        stamp += SECOND_NS
    assert detector.events > 3


@cocotb.test()
@cocotb.parametrize(last=(0, 33))
async def loses_no_event_that_waits(dut, last):
    """One without room is heard, or waits in the place of the earliest: frames look at both."""
    detector = await watching(dut, confirm=1)
    for number in (*range(1, 33), last):
        await detector.other(SECOND_NS + number * 10 * MS)
    await detector.other(SECOND_NS + 340 * MS, -1.0)
    for stamp in (5, 15, 325, 335):
        await detector.frame(lamp(20, SECOND_NS + stamp * MS, name=str(stamp)))
        if stamp in ((15, 325) if last == 0 else (325, 335)):
            assert detector.said == str(stamp)


@cocotb.test()
async def refuses_and_goes_on(dut):
    detector = await watching(dut)
    dice = random.Random(6)
    good = picture(scene(40, 24, dice), SECOND_NS)
    if NODE == "green":
        await detector.other(SECOND_NS // 2)
    refused = (
        (NO_ENCODING, replace(good, encoding="mono16")),
        (NO_SIZE, picture(scene(MAX_WIDTH + 1, 4, dice), SECOND_NS)),
        (SHORT_DATA, replace(good, data=good.data[:-1])),
        # Its data is enough for the lower half of its step.
        (SHORT_DATA, replace(good, step=good.step + 65536)),
        (NO_COLOUR, image(40, 24, "mono8")),
    )
    for number, (reason, wrong) in enumerate(refused):
        got = await ask_each(dut, "s_axis_image", fields(wrong), 0.1)
        assert [one.problem for one in got] == [reason]
        await detector.frame(replace(good, stamp=(2, number)))
    beats = fields(good)
    cuts = sorted({min(n, len(beats) - 1) for n in (0, 5, 14, 40, 200, len(beats))})
    for number, cut in enumerate(cuts):
        got = await ask_each(dut, "s_axis_image", [*beats[:cut], broken(10)], 0.1)
        assert [one.problem for one in got] == [10]
        await detector.frame(replace(good, stamp=(3, number)))
    for number, cut in enumerate((0, 2)):
        got = await ask_each(dut, OTHER, [*point_stamped(SECOND_NS)[:cut], broken(5)])
        assert [one.problem for one in got] == [5]
        await detector.frame(replace(good, stamp=(4, number)))


@cocotb.test()
async def forgets_at_reset(dut):
    detector = await watching(dut)
    dice = random.Random(8)
    for cycles in (13, 60, 400, 900):
        source = picture(scene(40, 24, dice, 4), 9 * SECOND_NS)
        await image_bench.interrupt(dut, {"s_axis_image": fields(source)}, cycles)
        detector.new_kernel()
        for frame in range(4):
            await detector.frame(picture(scene(40, 24, dice, 2), SECOND_NS + frame * 33 * MS))


@pytest.mark.parametrize(
    ("light", "pixels"),
    drive_bench.sweep([("red", 1), ("green", 8)], [("red", 8), ("green", 1)]),
)
def test_driving_light(light, pixels, monkeypatch):
    monkeypatch.setenv("LIGHT", light)
    parameters = {"MAX_WIDTH": WIDTHS[light], "PIXELS": pixels}
    drive_bench.simulate_core("test_driving_light", f"{light}_light", parameters)
