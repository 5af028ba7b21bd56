# SPDX-License-Identifier: Apache-2.0
"""image_checksum: the image as it came, and the checksum of its data."""

from __future__ import annotations

import cocotb
import image_bench
import pytest
from cocotb.triggers import with_timeout
from image_bench import BROKEN, BROKEN_BEAT, DONE, Beat, Port, fields, header_of, image
from stream import start

#: Stored bytes of std_msgs/UInt64.
LENGTH = 12


def checksum_of(data: bytes) -> int:
    total = 0
    for at in range(0, len(data), 8):
        word = int.from_bytes(data[at : at + 8], "little")
        total = ((total << 1 | total >> 63) + word) % 2**64
    return total


async def send(
    dut, source: image_bench.Image, beats: list[Beat], stall: float
) -> tuple[list[Beat], list[Beat]]:
    """What comes out: the copy, and the checksum."""
    copies, sums = (
        Port(dut, f"m_axis_{port}", stall, seed)
        for seed, port in enumerate(("image_copy", "checksum"), 2)
    )
    dut.s_axis.header.value = header_of(source)
    sending = cocotb.start_soon(Port(dut, "s_axis", stall).send(beats))
    copying = cocotb.start_soon(copies.receive())
    told = await with_timeout(cocotb.start_soon(sums.receive()), 50, "ms")
    copied = await with_timeout(copying, 50, "ms")
    await with_timeout(sending, 50, "ms")
    assert copies.header == header_of(source)
    assert told[-1].kind == BROKEN or sums.header & 0xFFFF_FFFF == LENGTH
    return copied, told


@cocotb.test()
@cocotb.parametrize(stall=(0.0, 0.5))
async def passes_images_on_and_tells_the_sum(dut, stall):
    await start(dut)
    for number, size in enumerate(((1, 1), (8, 1), (9, 3), (40, 20))):
        source = image(*size, "rgb8", seed=number, gap=number)
        beats = fields(source)
        copied, told = await send(dut, source, beats, stall)
        assert copied == beats
        assert [beat.kind for beat in told] == [image_bench.VALUES, DONE]
        assert (told[0].data, told[0].keep, told[0].field) == (checksum_of(source.data), 0xFF, 0)


@cocotb.test()
async def a_broken_image_is_broken_on_both(dut):
    await start(dut)
    source = image(20, 5, "mono8")
    beats = fields(source)
    for cut in sorted({min(n, len(beats) - 1) for n in (0, 6, 18, len(beats))}):
        copied, told = await send(dut, source, [*beats[:cut], BROKEN_BEAT], 0.2)
        assert copied == [*beats[:cut], BROKEN_BEAT]
        assert [beat.kind for beat in told] == [BROKEN]
        copied, told = await send(dut, source, beats, 0.0)
        assert copied == beats
        assert told[0].data == checksum_of(source.data)


@cocotb.test()
async def forgets_at_reset(dut):
    await start(dut)
    good = image(20, 5, "mono8")
    for cycles in (10, 20, 60, 120):
        outputs = ("m_axis_image_copy", "m_axis_checksum")
        await image_bench.interrupt(
            dut, {"s_axis": fields(image(31, 17, "rgba8"))}, cycles, outputs
        )
        copied, told = await send(dut, good, fields(good), 0.0)
        assert copied == fields(good)
        assert told[0].data == checksum_of(good.data)


@pytest.mark.parametrize("pixels", [1, 4, 8])
def test_image_checksum(pixels):
    image_bench.simulate_core("test_image_checksum", "checksum", {"PIXELS": pixels})
