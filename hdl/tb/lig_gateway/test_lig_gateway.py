# SPDX-License-Identifier: Apache-2.0
"""lig_gateway, and with it lig_smt_sub, lig_smt_pub, lig_axi_read, lig_axi_write, lig_axi_mux:
messages both ways at once, whole and once, on one memory port; and all that can go wrong."""

from __future__ import annotations

import itertools
import os
import random
from pathlib import Path

import cocotb
import pytest
from bench import RTL, simulate
from cocotb.triggers import ClockCycles, with_timeout
from cocotb.utils import get_sim_time
from memory import (
    SOFTWARE,
    Events,
    Ram,
    Status,
    Words,
    frame_of,
    header_of,
    room_of,
    send_of,
)
from stream import scopes, sink, source, stalls, start

MODULES = (
    "lig_gateway", "lig_smt_sub", "lig_smt_pub", "lig_axi_read", "lig_axi_write", "lig_axi_mux",
    "lig_port_stats", "lig_arbiter", "lig_fifo", "lig_axis_rules",
)  # fmt: skip
BURST = int(os.environ.get("BURST_BEATS", "16"))
TIMEOUT = int(os.environ.get("TIMEOUT", "0"))
GUARD = 0xEE
#: Cycles of the bench's memory between two bursts.
BURST_OVERHEAD = 4
#: Where messages to send lie, and where rooms do; a piece of 4096 bytes per message and gateway.
SENDS, ROOMS, PIECE = 0x0000, 0x8000, 0x1000


class Gateway:
    """One of them with its software and hardware sides."""

    def __init__(self, dut, index: int) -> None:
        scope = scopes(dut, "g")[index]
        self.scope = scope
        self.topic = 7 + index
        self.send, self.room = Words(scope, "send", dut), Words(scope, "room", dut)
        self.sent, self.stored = Events(scope, "sent", dut), Events(scope, "stored", dut)
        self.tx = source(scope, "s_axis", dut.clk_i, dut.rst_i)
        self.rx = sink(scope, "m_axis", dut.clk_i, dut.rst_i)
        self.beat = len(scope.s_axis.tdata) // 8
        # 4 messages of each direction and gateway have their places in memory.
        self.sends = SENDS + index * 4 * PIECE
        self.rooms = ROOMS + index * 4 * PIECE

    def stall(self, share: float, seed: int) -> None:
        ports = (
            self.send.source,
            self.room.source,
            self.sent.sink,
            self.stored.sink,
            self.tx,
            self.rx,
        )
        for number, port in enumerate(ports):
            port.set_pause_generator(stalls(share, seed + number))

    def idle(self) -> bool:
        return not self.sent.count() and not self.stored.count() and self.rx.count() == 0


async def begin(dut) -> tuple[Ram, list[Gateway]]:
    dut.recall_i.value = 0
    ram = Ram(dut)
    gateways = [Gateway(dut, i) for i in range(len(scopes(dut, "g")))]
    await start(dut)
    ram.put(0, bytes([GUARD]) * ram.writes.size)
    return ram, gateways


async def soon(what, microseconds: int = 400):
    return await with_timeout(what, microseconds, "us")


def message_of(rng: random.Random, number: int, beat: int) -> tuple[bytes, int]:
    """A message and its padding: edges of beats and bursts first."""
    edges = (5, beat, beat + 1, BURST * beat, BURST * beat + 1, 2 * BURST * beat - 1)
    size = edges[number] if number < len(edges) else rng.randint(5, 3000)
    pad = 0 if number % 2 else rng.randint(0, 63)
    return rng.randbytes(min(max(size, 5), PIECE - 64 - pad)), pad


async def send_all(ram: Ram, gateway: Gateway, messages, check_events) -> None:
    """Software's side, downwards: a block is used again when its event says so."""
    for number, (message, pad) in enumerate(messages):
        place = gateway.sends + number % 4 * PIECE + 64 * (number % 7)
        ram.put(place + pad, message)
        header = header_of(len(message), pad, SOFTWARE + number % 100, gateway.topic)
        gateway.send.put(send_of(number, place, header))
        if number >= 3:
            check_events.append(await gateway.sent.next())
    while len(check_events) < len(messages):
        check_events.append(await gateway.sent.next())


async def expect_all(gateway: Gateway, messages) -> None:
    """Hardware's side, downwards: header, and the body from its boundary."""
    for number, (message, pad) in enumerate(messages):
        frame = bytes((await gateway.rx.recv()).tdata)
        header = header_of(len(message), pad, SOFTWARE + number % 100, gateway.topic)
        body = -(-16 // gateway.beat) * gateway.beat
        assert frame[:body] == header.ljust(body, b"\0")
        assert frame[body + pad :] == message


async def store_all(ram: Ram, gateway: Gateway, messages) -> None:
    """Both sides, upwards: every byte where it belongs and none beside."""
    for message, pad in messages:
        gateway.tx.send_nowait(
            frame_of(message, gateway.beat, pad, publisher=3, topic=gateway.topic)
        )
    places = [gateway.rooms + slot * PIECE for slot in range(4)]
    for slot in range(min(4, len(messages))):
        gateway.room.put(room_of(slot, places[slot], PIECE))
    for number, (message, pad) in enumerate(messages):
        event = await gateway.stored.next()
        assert (event.status, event.tag) == (Status.DONE, number % 4)
        assert event.header == header_of(len(message), pad, 3, gateway.topic)
        place = places[number % 4]
        assert ram.get(place + pad, len(message)) == message
        rest = ram.get(place + pad + len(message), PIECE - pad - len(message))
        assert rest == bytes([GUARD]) * len(rest)
        ram.put(place, bytes([GUARD]) * PIECE)
        if number + 4 < len(messages):
            gateway.room.put(room_of(number % 4, place, PIECE))


@cocotb.test()
@cocotb.parametrize(share=(0.0, 0.3, 0.7))
async def carries_messages_both_ways_at_once(dut, share):
    ram, gateways = await begin(dut)
    rng = random.Random(11)
    tasks, events = [], []
    for number, channel in enumerate(ram.channels.values()):
        channel.set_pause_generator(stalls(share, 90 + number))
    for index, gateway in enumerate(gateways):
        gateway.stall(share, 10 * index)
        down = [message_of(rng, n, gateway.beat) for n in range(9)]
        up = [message_of(rng, n, gateway.beat) for n in range(9)]
        events.append([])
        tasks += [
            cocotb.start_soon(send_all(ram, gateway, down, events[-1])),
            cocotb.start_soon(expect_all(gateway, down)),
            cocotb.start_soon(store_all(ram, gateway, up)),
        ]
    for task in tasks:
        await soon(task, 4000)
    for gateway, told in zip(gateways, events, strict=True):
        assert [(event.status, event.tag) for event in told] == [(Status.DONE, n) for n in range(9)]
        assert gateway.idle()
        assert gateway.scope.looped.value == gateway.scope.dropped.value == 0
    assert int(dut.busy_o.value) >= max(int(dut.reads_o.value), int(dut.writes_o.value)) > 0


@cocotb.test()
async def stops_loops_on_both_sides(dut):
    ram, (gateway, *_) = await begin(dut)
    # A frame that came from software is dropped before memory, unknown publishers too.
    for publisher in (SOFTWARE, 255, 2):
        frame = frame_of(b"hello", gateway.beat, publisher=publisher, topic=gateway.topic)
        gateway.tx.send_nowait(frame)
    gateway.room.put(room_of(9, gateway.rooms, PIECE))
    event = await soon(gateway.stored.next())
    assert (event.status, event.tag, event.header[6]) == (Status.DONE, 9, 2)
    assert int(gateway.scope.looped.value) == 2
    # A message that came from hardware is not sent there again.
    ram.put(gateway.sends, b"hello")
    for tag, publisher in ((1, 63), (2, SOFTWARE)):
        header = header_of(5, publisher=publisher, topic=gateway.topic)
        gateway.send.put(send_of(tag, gateway.sends, header))
    assert (await soon(gateway.sent.next())).status == Status.LOOP
    assert (await soon(gateway.sent.next())).status == Status.DONE
    assert len((await soon(gateway.rx.recv())).tdata) > 5
    await ClockCycles(dut.clk_i, 50)
    assert gateway.idle()


@cocotb.test()
async def refuses_what_breaks_the_rules(dut):
    ram, (gateway, *_) = await begin(dut)
    beat, topic = gateway.beat, gateway.topic
    body = -(-16 // beat) * beat

    def upwards(frame: bytes, capacity: int = PIECE) -> None:
        gateway.tx.send_nowait(frame)
        gateway.room.put(room_of(5, gateway.rooms, capacity))

    whole = frame_of(bytes(range(200)), beat, publisher=1, topic=topic)
    cases = {
        "runt": (whole[: body + beat], PIECE, Status.MALFORMED),
        "short tail": (whole[:-1], PIECE, Status.MALFORMED),
        "a byte longer": (whole + b"\x55", PIECE, Status.MALFORMED),
        "a beat longer": (whole + bytes(3 * beat), PIECE, Status.MALFORMED),
        "too long for its room": (whole, 199, Status.TOO_LONG),
        "just fits": (whole, 200, Status.DONE),
    }
    for name, (frame, capacity, status) in cases.items():
        upwards(frame, capacity)
        event = await soon(gateway.stored.next())
        assert (event.status, event.tag) == (status, 5), name
        # Nothing beyond the announced length, whatever came.
        assert set(ram.get(gateway.rooms + 200, 1000)) == {GUARD}, name
    # These take no room.
    for frame in (
        whole[:body],
        whole[:9],
        frame_of(b"hello", beat, topic=99),
        frame_of(b"hello", beat, topic=topic, kind=2),
    ):
        gateway.tx.send_nowait(frame)
    upwards(whole)
    assert (await soon(gateway.stored.next())).status == Status.DONE
    assert int(gateway.scope.dropped.value) == 4
    # Downwards: no length, an impossible one, an address off the boundary.
    for length, address in ((0, 0), (0xFFFFFFF0, 0), (5, 8)):
        gateway.send.put(send_of(1, address, header_of(length, publisher=SOFTWARE, topic=topic)))
        assert (await soon(gateway.sent.next())).status == Status.MALFORMED
    assert gateway.rx.empty()


def broken(frame: bytes, beat: int) -> bool:
    """Its length is not the announced one."""
    body = -(-16 // beat) * beat
    length = int.from_bytes(frame[:4], "little") + (frame[7] & 63)
    return len(frame) != body + length


@cocotb.test()
async def tells_errors_of_memory(dut):
    ram, (gateway, *_) = await begin(dut)
    beat, topic = gateway.beat, gateway.topic
    size = 3 * BURST * beat + 1
    ram.put(gateway.sends, bytes(size))
    header = header_of(size, publisher=SOFTWARE, topic=topic)
    # The first beat, one in the middle, the last one; the next message is whole again.
    for place in (0, BURST * beat + beat, size - 1):
        ram.reads.fault = range(gateway.sends + place, gateway.sends + place + 1)
        ram.reads.fault = range(ram.reads.fault.start // beat * beat, ram.reads.fault.stop)
        gateway.send.put(send_of(1, gateway.sends, header))
        assert (await soon(gateway.sent.next())).status == Status.BUS_ERROR
        assert broken(bytes((await soon(gateway.rx.recv())).tdata), beat), place
        ram.reads.fault = range(0)
        gateway.send.put(send_of(2, gateway.sends, header))
        assert (await soon(gateway.sent.next())).status == Status.DONE
        assert not broken(bytes((await soon(gateway.rx.recv())).tdata), beat)
    for place in (0, BURST * beat, size // beat * beat):
        ram.writes.fault = range(gateway.rooms + place, gateway.rooms + place + 1)
        for status in (Status.BUS_ERROR, Status.DONE):
            gateway.room.put(room_of(3, gateway.rooms, PIECE))
            gateway.tx.send_nowait(frame_of(bytes(size), beat, publisher=1, topic=topic))
            assert (await soon(gateway.stored.next())).status == status
            ram.writes.fault = range(0)


@cocotb.test()
async def a_full_topic_holds_up_nobody_else(dut):
    """A subscriber of one gateway stops: its data wait in its queue, and the port goes on."""
    ram, gateways = await begin(dut)
    if len(gateways) < 2:
        return
    stopped, other = gateways[0], gateways[1]
    stopped.rx.pause = True
    stopped.tx.send_nowait(frame_of(bytes(2000), stopped.beat, publisher=1, topic=stopped.topic))
    for gateway in gateways[:2]:
        ram.put(gateway.sends, bytes(3000))
        for tag in range(3):
            header = header_of(3000, publisher=SOFTWARE, topic=gateway.topic)
            gateway.send.put(send_of(tag, gateway.sends, header))
    for tag in range(3):
        assert (await soon(other.sent.next())).tag == tag
        assert len((await soon(other.rx.recv())).tdata) > 3000
    await soon(store_all(ram, other, [(bytes(100), 0)] * 3))
    assert stopped.sent.count() == stopped.stored.count() == 0
    stopped.rx.pause = False
    for tag in range(3):
        assert (await soon(stopped.sent.next())).tag == tag
    stopped.room.put(room_of(0, stopped.rooms, PIECE))
    assert (await soon(stopped.stored.next())).status == Status.DONE


@cocotb.test()
async def where_a_message_lies_in_a_burst_costs_less_than_a_burst(dut):
    """Bytes are right wherever it begins; its last burst is longer or shorter, and no more."""
    ram, (gateway, *_) = await begin(dut)
    message = bytes(range(200)) * 10
    header = header_of(len(message), publisher=SOFTWARE, topic=gateway.topic)
    read, written = [], []
    # Slower than memory, as a core of 64 bits is: the last burst alone is left with the last beat.
    gateway.tx.set_pause_generator(itertools.cycle((True, True, True, False)))
    for place in range(0, BURST * gateway.beat, 64):
        ram.put(gateway.sends + place, message)
        began = clock_of(dut)
        gateway.send.put(send_of(1, gateway.sends + place, header))
        assert (await soon(gateway.sent.next())).status == Status.DONE
        read.append(clock_of(dut) - began)
        assert bytes((await soon(gateway.rx.recv())).tdata)[-len(message) :] == message
        gateway.room.put(room_of(2, gateway.rooms + place, PIECE))
        await ClockCycles(dut.clk_i, 8)
        gateway.tx.send_nowait(frame_of(message, gateway.beat, publisher=1, topic=gateway.topic))
        await gateway.tx.wait()
        began = clock_of(dut)
        assert (await soon(gateway.stored.next())).status == Status.DONE
        written.append(clock_of(dut) - began)
        assert ram.get(gateway.rooms + place, len(message)) == message
    # One burst more takes this memory's own cycles; the data of all of them are behind each other.
    assert max(read) - min(read) <= BURST_OVERHEAD
    assert max(written) - min(written) < BURST + BURST_OVERHEAD


def clock_of(dut) -> int:
    """Cycles since the simulation began."""
    return round(get_sim_time("ns") / 10)  # the period of start()


@cocotb.test()
async def each_room_is_answered_once_whenever_it_is_recalled(dut):
    """A frame of fixed length comes, and the recall in every cycle around it."""
    ram, (gateway, *_) = await begin(dut)
    body = bytes(range(40))
    won = {Status.DONE: 0, Status.RECALLED: 0}
    for wait in range(24):
        gateway.room.put(room_of(wait, gateway.rooms, PIECE))
        await ClockCycles(dut.clk_i, 8)
        gateway.tx.send_nowait(frame_of(body, gateway.beat, publisher=1, topic=gateway.topic))
        await ClockCycles(dut.clk_i, wait)
        dut.recall_i.value = 1
        event = await soon(gateway.stored.next())
        assert event.tag == wait
        won[event.status] += 1
        dut.recall_i.value = 0
        if event.status == Status.RECALLED:
            # The frame has waited and takes the next room.
            gateway.room.put(room_of(wait + 100, gateway.rooms, PIECE))
            event = await soon(gateway.stored.next())
            assert (event.status, event.tag) == (Status.DONE, wait + 100)
        assert ram.get(gateway.rooms, 40) == body
        await ClockCycles(dut.clk_i, 20)
        assert gateway.stored.count() == 0
    assert min(won.values()) > 0
    # What is sent while recall is high comes back unread.
    dut.recall_i.value = 1
    gateway.send.put(
        send_of(3, gateway.sends, header_of(5, publisher=SOFTWARE, topic=gateway.topic))
    )
    assert (await soon(gateway.sent.next())).status == Status.RECALLED
    dut.recall_i.value = 0


@cocotb.test()
async def gives_up_what_is_late_and_tells_when_it_is_safe(dut):
    if not TIMEOUT:
        return
    ram, (gateway, *_) = await begin(dut)
    beat, topic = gateway.beat, gateway.topic
    # A publisher that stops in mid-frame.
    gateway.room.put(room_of(1, gateway.rooms, PIECE))
    gateway.tx.send_nowait(frame_of(bytes(300), beat, publisher=1, topic=topic))
    await ClockCycles(dut.clk_i, 6)
    gateway.tx.pause = True
    assert (await soon(gateway.stored.next())).status == Status.LATE
    gateway.tx.pause = False
    gateway.room.put(room_of(2, gateway.rooms, PIECE))
    gateway.tx.send_nowait(frame_of(bytes(300), beat, publisher=1, topic=topic))
    assert (await soon(gateway.stored.next())).status == Status.DONE
    # Memory that stops before the frame (at all), in it, and before its last beat.
    size = 4 * beat
    ram.put(gateway.sends, bytes(size))
    header = header_of(size, publisher=SOFTWARE, topic=topic)
    for given in (0, 1, 3):
        channel = ram.reads.r_channel
        cocotb.start_soon(stop_after(dut, channel, given))
        gateway.send.put(send_of(4, gateway.sends, header))
        await ClockCycles(dut.clk_i, 3 * TIMEOUT + 60)
        # The topic is free again, but the block is not: memory may still read it.
        assert gateway.rx.count() == (given > 0)
        if given:
            assert broken(bytes((await gateway.rx.recv()).tdata), beat), given
        assert gateway.sent.count() == 0
        assert gateway.scope.late.value
        channel.pause = False
        assert (await soon(gateway.sent.next())).status == Status.LATE
        gateway.send.put(send_of(5, gateway.sends, header))
        assert (await soon(gateway.sent.next())).status == Status.DONE
        assert not broken(bytes((await gateway.rx.recv()).tdata), beat)


async def stop_after(dut, channel, beats: int) -> None:
    """Let that many beats of read data pass."""
    channel.pause = beats == 0
    while beats:
        await ClockCycles(dut.clk_i, 1)
        beats -= int(dut.m_axi.rvalid.value) and int(dut.m_axi.rready.value)
        channel.pause = beats == 0


@cocotb.test()
async def forgets_at_reset(dut):
    ram, (gateway, *_) = await begin(dut)
    beat, topic = gateway.beat, gateway.topic
    ram.put(gateway.sends, bytes(3000))
    header = header_of(3000, publisher=SOFTWARE, topic=topic)
    gateway.rx.pause = True
    for tag in range(3):
        gateway.send.put(send_of(tag, gateway.sends, header))
        gateway.room.put(room_of(tag, gateway.rooms, PIECE))
        gateway.tx.send_nowait(frame_of(bytes(3000), beat, publisher=1, topic=topic))
    await ClockCycles(dut.clk_i, 60)
    dut.rst_i.value = 1
    for port in (gateway.tx, gateway.send.source, gateway.room.source):
        port.clear()
    await ClockCycles(dut.clk_i, 3)
    dut.rst_i.value = 0
    for port in (gateway.rx, gateway.sent.sink, gateway.stored.sink):
        port.clear()
    gateway.rx.pause = False
    await ClockCycles(dut.clk_i, 3)
    rng = random.Random(4)
    messages = [message_of(rng, n, beat) for n in range(4)]
    ram.put(ROOMS, bytes([GUARD]) * 4 * PIECE)
    events: list = []
    tasks = [
        cocotb.start_soon(send_all(ram, gateway, messages, events)),
        cocotb.start_soon(expect_all(gateway, messages)),
        cocotb.start_soon(store_all(ram, gateway, messages)),
    ]
    for task in tasks:
        await soon(task)
    assert {event.status for event in events} == {Status.DONE}
    assert gateway.idle()


@pytest.mark.parametrize(
    ("width", "gateways", "burst", "outstanding", "queue", "timeout"),
    [(64, 1, 16, 4, 4, 40), (128, 2, 4, 2, 2, 0), (512, 1, 8, 8, 4, 40)],
)
def test_lig_gateway(width, gateways, burst, outstanding, queue, timeout):
    packages = [RTL / f"{name}.sv" for name in ("lig_stream_pkg", "lig_transfer_pkg")]
    bench = Path(__file__).with_name("lig_gateway_tb.sv")
    files = [*packages, bench, *(RTL / f"{name}.sv" for name in MODULES)]
    parameters = {
        "DATA_WIDTH": width,
        "GATEWAYS": gateways,
        "BURST_BEATS": burst,
        "DEPTH": 2 * burst if width == 128 else 64,
        "OUTSTANDING": outstanding,
        "QUEUE": queue,
        "TIMEOUT": timeout,
    }
    environment = {"BURST_BEATS": str(burst), "TIMEOUT": str(timeout)}
    simulate("test_lig_gateway", "lig_gateway_tb", files, parameters, environment=environment)
