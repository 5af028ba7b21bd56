# SPDX-License-Identifier: Apache-2.0
"""lig_axi_ram: bursts and a host's words are the same memory; what is beyond it is refused."""

from __future__ import annotations

import os
import random
from pathlib import Path

import cocotb
import pytest
from bench import RTL, simulate
from cocotb.triggers import RisingEdge, with_timeout
from cocotbext.axi import AxiBus, AxiMaster, AxiResp
from stream import STALLS, stalls, start

SIZE = 4096
LANES = int(os.environ.get("DATA_WIDTH", "64")) // 8


async def begin(dut, share: float = 0.0) -> AxiMaster:
    dut.host_valid_i.value = 0
    port = AxiMaster(AxiBus.from_prefix(dut, "s_axi"), dut.clk_i, dut.rst_i)
    write, read = port.write_if, port.read_if
    channels = (write.aw_channel, write.w_channel, write.b_channel, read.ar_channel, read.r_channel)
    for number, channel in enumerate(channels):
        channel.set_pause_generator(stalls(share, number))
    await start(dut)
    return port


async def host(dut, address: int, value: int | None = None) -> int | None:
    """A word of the host: read, or written; None where it is refused."""
    dut.host_valid_i.value = 1
    dut.host_write_i.value = value is not None
    dut.host_address_i.value = address
    dut.host_data_i.value = value or 0
    while True:
        await RisingEdge(dut.clk_i)
        if dut.host_ready_o.value:
            break
    found = None if dut.host_error_o.value else int(dut.host_data_o.value)
    dut.host_valid_i.value = 0
    await RisingEdge(dut.clk_i)
    return found


@cocotb.test()
@cocotb.parametrize(share=STALLS)
async def bursts_and_words_are_one_memory(dut, share: float) -> None:
    port, rng, model = await begin(dut, share), random.Random(1), bytearray(SIZE)
    assert (await port.write(0, bytes(model))).resp == AxiResp.OKAY
    for _ in range(40):
        beats = rng.randint(1, 16)
        place = rng.randrange(0, SIZE // LANES - beats + 1) * LANES
        data = rng.randbytes(beats * LANES)
        assert (await with_timeout(port.write(place, data), 200, "us")).resp == AxiResp.OKAY
        model[place : place + len(data)] = data
        word = rng.randrange(SIZE // 8) * 8
        value = rng.getrandbits(64)
        assert await with_timeout(host(dut, word, value), 200, "us") is not None
        model[word : word + 8] = value.to_bytes(8, "little")
        word = rng.randrange(SIZE // 8) * 8
        found = await with_timeout(host(dut, word), 200, "us")
        assert found == int.from_bytes(model[word : word + 8], "little")
        answer = await with_timeout(port.read(place, len(data)), 200, "us")
        assert answer.resp == AxiResp.OKAY
        assert answer.data == model[place : place + len(data)]
    # Bytes of a beat.
    assert (await port.write(17, b"\xab\xcd")).resp == AxiResp.OKAY
    model[17:19] = b"\xab\xcd"
    assert (await port.read(0, SIZE)).data == model


@cocotb.test()
async def a_host_gets_its_turn_beside_bursts(dut) -> None:
    port = await begin(dut)
    reading = cocotb.start_soon(port.read(0, SIZE))
    for k in range(20):
        assert await with_timeout(host(dut, 8 * k, k), 200, "us") is not None
        assert await with_timeout(host(dut, 8 * k), 200, "us") == k
    await with_timeout(reading, 200, "us")


@cocotb.test()
async def refuses_what_is_beyond_it(dut) -> None:
    port = await begin(dut)
    assert (await port.write(0, bytes(SIZE))).resp == AxiResp.OKAY
    for place in (SIZE, 1 << 40):
        assert (await port.write(place, bytes([255] * 64))).resp == AxiResp.DECERR
        assert (await port.read(place, 64)).resp == AxiResp.DECERR
    assert await with_timeout(host(dut, SIZE, 1), 10, "us") is None
    assert await with_timeout(host(dut, SIZE), 10, "us") is None
    assert (await port.read(0, SIZE)).data == bytes(SIZE)


@pytest.mark.parametrize("width", [64, 256])
def test_lig_axi_ram(width: int) -> None:
    bench = Path(__file__).with_name("lig_axi_ram_tb.sv")
    sources = [RTL / "lig_axi_ram.sv", bench]
    simulate("test_lig_axi_ram", "lig_axi_ram_tb", sources, {"DATA_WIDTH": width})
