# SPDX-License-Identifier: Apache-2.0
"""Calibrations for the benches of the cores that rectify, as field streams of CameraInfo."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, replace

import cocotb
from cocotb.triggers import ClockCycles, with_timeout
from image_bench import COUNT, DONE_BEAT, Answer, Beat, Image, Port, fields, interrupt
from image_bench import answer as read_answer

IDENTITY = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


@dataclass(frozen=True)
class Lens:
    """The fields of sensor_msgs/CameraInfo."""

    width: int
    height: int
    k: tuple[float, ...]
    d: tuple[float, ...]
    p: tuple[float, ...]
    r: tuple[float, ...] = IDENTITY
    model: str = "plumb_bob"
    binning: tuple[int, int] = (0, 0)
    region: tuple[int, int, int, int] = (0, 0, 0, 0)  # x, y, height, width
    frame_id: str = "camera"

    @property
    def golden(self) -> tuple[Sequence[float], Sequence[float], Sequence[float]]:
        """What OpenCV is given."""
        return self.k, (*self.d, *([0.0] * (5 - len(self.d))))[:5], self.p


#: The calibration of OpenCV's photographs (left_intrinsics.yml), which the demo uses.
PHOTOGRAPHS = Lens(
    640,
    480,
    (535.91573396163199, 0, 342.28315473308373, 0, 535.91573396163199, 235.57082909788173, 0, 0, 1),
    (
        -0.26637260909660682,
        -0.038588898922304653,
        0.0017831947042852964,
        -0.00028122100441115472,
        0.23839153080878486,
    ),
    (
        *(535.91573396163199, 0, 342.28315473308373, 0),
        *(0, 535.91573396163199, 235.57082909788173, 0),
        *(0, 0, 1, 0),
    ),
)


def scaled(lens: Lens, factor: float) -> Lens:
    """The same lens on a sensor of another size."""
    k, p = list(lens.k), list(lens.p)
    for place in (0, 2, 4, 5):
        k[place] *= factor
    for place in (0, 2, 5, 6):
        p[place] *= factor
    size = {"width": round(lens.width * factor), "height": round(lens.height * factor)}
    return replace(lens, k=tuple(k), p=tuple(p), **size)


def _word(number: int, value: int, size: int = 4) -> list[Beat]:
    return [Beat(value, (1 << size) - 1, 0, number)]


def _text(number: int, text: str) -> list[Beat]:
    data = text.encode()
    beats = [Beat(len(data), 0x0F, COUNT, number)]
    for place in range(0, len(data), 8):
        piece = data[place : place + 8]
        beats.append(Beat(int.from_bytes(piece, "little"), (1 << len(piece)) - 1, 0, number))
    return beats


def _doubles(number: int, values: Sequence[float]) -> list[Beat]:
    return [
        Beat(int.from_bytes(struct.pack("<d", value), "little"), 0xFF, 0, number)
        for value in values
    ]


def lens_fields(lens: Lens) -> list[Beat]:
    """The message as lig_unpack gives it."""
    regions = [beat for i, value in enumerate(lens.region) for beat in _word(12 + i, value)]
    return [
        *_word(0, 12),
        *_word(1, 345),
        *_text(2, lens.frame_id),
        *_word(3, lens.height),
        *_word(4, lens.width),
        *_text(5, lens.model),
        Beat(len(lens.d), 0x0F, COUNT, 6),
        *_doubles(6, lens.d),
        *_doubles(7, lens.k),
        *_doubles(8, lens.r),
        *_doubles(9, lens.p),
        *_word(10, lens.binning[0]),
        *_word(11, lens.binning[1]),
        *regions,
        *_word(16, 0, 1),
        DONE_BEAT,
    ]


async def reset_amid(dut, given: Image, lens: Lens, cycles: int) -> None:
    """A reset after so many cycles of an image and its calibration."""
    streams = {"s_axis_image": fields(given), "s_axis_camera_info": lens_fields(lens)}
    await interrupt(dut, streams, cycles)


async def rectified(
    dut,
    image_beats: Sequence[Beat],
    lens_beats: Sequence[Beat],
    stall: float = 0.0,
    late: bool = False,
) -> Answer:
    """Send both and wait for the answer; `late`: the calibration comes second."""
    image_port = Port(dut, "s_axis_image", stall, 1)
    lens_port = Port(dut, "s_axis_camera_info", stall, 2)
    out = Port(dut, "m_axis", stall, 3)

    async def send_lens() -> None:
        if late:
            await ClockCycles(dut.clk_i, 300)
        await lens_port.send(lens_beats)

    sending = [cocotb.start_soon(image_port.send(image_beats)), cocotb.start_soon(send_lens())]
    got = await with_timeout(read_answer(out), 100, "ms")
    for task in sending:
        await with_timeout(task, 100, "ms")
    return got


def same_size(image: Image, lens: Lens) -> Lens:
    """The calibration, said to be of the image's size."""
    return replace(lens, width=image.width, height=image.height)
