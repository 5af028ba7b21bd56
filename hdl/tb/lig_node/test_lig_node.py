# SPDX-License-Identifier: Apache-2.0
"""The generated wrapper of a core that calls services, stalled on each of its streams.

The core is that of tool/tests/cores/nodes/caller: it asks one service about even numbers and
another one about odd ones, and says what each response was. The bench gives it numbers, and answers
as both services, out of order. Whatever waits, and for how long: each number is asked about once,
each response makes one answer, and both come in order.
"""

from __future__ import annotations

import random
import struct
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import cocotb
from bench import BUILD, HDL, simulate
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge, with_timeout
from stream import sink, source, stalls, start

TOP = "lig_node_case_caller"
INPUTS = ("number", "add_response", "judge_response")
OUTPUTS = ("answer", "add_request", "judge_request")
STREAMS = (*INPUTS, *OUTPUTS)
MESSAGE, REQUEST, RESPONSE, NO_RESPONSE = range(4)
#: Of lig_fields_pkg: with this code a core ends an answer.
NOTHING = 9
COUNT = 24
#: A service holds so many calls at most before it answers one of them.
OPEN = 10
#: Share of cycles in which each of STREAMS stops; None: in bursts.
Rates = tuple[float | None, ...]
ALL: tuple[Rates, ...] = tuple((share,) * 6 for share in (0.0, 0.2, 0.8, None))
SIDES: tuple[Rates, ...] = ((0.8,) * 3 + (0.0,) * 3, (0.0,) * 3 + (0.8,) * 3)
SINGLE: tuple[Rates, ...] = tuple(
    tuple(0.97 if place == slow else 0.0 for place in range(6)) for slow in range(6)
)


# --- frames --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Frame:
    """A message on a stream: what the header says of it, and its bytes as they are stored."""

    kind: int
    sequence: int
    stored: bytes

    def on_stream(self, pad: int) -> bytes:
        kind = self.kind << 6 | pad
        head = struct.pack("<IHBBQ", len(self.stored), self.sequence, 3, kind, 0x1234)
        return head + bytes(pad) + self.stored


def frame_of(data: bytes) -> Frame:
    length, sequence, _, kind, _ = struct.unpack("<IHBBQ", data[:16])
    body = data[16 + kind % 64 :]
    assert len(body) == length, (body, length)
    return Frame(kind >> 6, sequence, body)


def stored(layout: str, *values: int) -> bytes:
    """Little-endian, behind four bytes that say so (spec/wire/message.md)."""
    return bytes([0, 1, 0, 0]) + struct.pack("<" + layout, *values)


def verdict(success: int, letters: int) -> bytes:
    return stored("B3xI", success, letters + 1) + b"x" * letters + b"\0"


# --- what has to come ----------------------------------------------------------------------------


def is_whole(number: int) -> bool:
    return number % 6 != 5


def number_frame(number: int) -> Frame:
    """Some lack their last bytes: the core then asks nothing."""
    data = stored("q", number)
    return Frame(MESSAGE, number, data if is_whole(number) else data[:8])


def request_frame(number: int) -> Frame:
    data = stored("B", number >> 1 & 1) if number % 2 else stored("qq", number, 1000 * number)
    return Frame(REQUEST, number, data)


def response_of(number: int) -> tuple[Frame, int]:
    """What a service says about a number, and what the core has to say of it."""
    if number % 5 == 3:
        return Frame(NO_RESPONSE, number, bytes(8)), -1 - number
    if number % 7 == 4:
        broken = verdict(1, 33) if number % 2 else stored("q", number)[:8]
        return Frame(RESPONSE, number, broken), -1_000_000 - number
    if number % 2:
        said = (1, number % 32)
        return Frame(RESPONSE, number, verdict(*said)), 1000 * number + said[0] + 10 * said[1]
    return Frame(RESPONSE, number, stored("q", 1001 * number)), 1001 * number


# --- the bench -----------------------------------------------------------------------------------


def bursts(seed: int) -> Iterator[bool]:
    """Some cycles without a stop, and then some with: now and then longer than clocks linger."""
    rng = random.Random(seed)
    while True:
        yield from [False] * rng.randint(1, 9)
        yield from [True] * rng.choice((1, 20, 300))


@dataclass
class Seen:
    """What has passed: frames of the outputs, and pulses of what says that one ended or failed."""

    frames: dict[str, list[Frame]] = field(default_factory=lambda: {name: [] for name in OUTPUTS})
    ends: dict[str, int] = field(default_factory=lambda: dict.fromkeys(OUTPUTS, 0))
    #: Messages at the core's own streams.
    messages: dict[str, int] = field(default_factory=lambda: dict.fromkeys(STREAMS, 0))
    said: list[int] = field(default_factory=list)  # about what, by the services


async def watch(dut, seen: Seen) -> None:
    pulses = [
        (name, getattr(dut, f"problem_{name}_o"), getattr(dut, f"refusal_{name}_o"))
        for name in OUTPUTS
    ]
    while True:
        await RisingEdge(dut.clk_i)
        await ReadOnly()
        for name, problem, refusal in pulses:
            assert int(problem.value) == 0, f"{name}: problem {int(problem.value)}"
            if code := int(refusal.value):
                assert code == NOTHING, f"{name}: refusal {code}"
                seen.ends[name] += 1
        moved = int(dut.probe_valid_o.value) & int(dut.probe_ready_o.value)
        ended = moved & int(dut.probe_last_o.value)
        for place, name in enumerate(STREAMS if ended else ()):
            seen.messages[name] += ended >> place & 1


async def collect(rx, frames: list[Frame]) -> None:
    while True:
        frames.append(frame_of(bytes((await rx.recv()).tdata)))


async def serve(dut, name: str, tx, seen: Seen) -> None:
    """Answer any of the calls that are open, after a while."""
    rng = random.Random(name)
    requests, taken, waiting = seen.frames[f"{name}_request"], 0, []
    while True:
        await ClockCycles(dut.clk_i, rng.choice((1, 3, 60)))
        waiting += [frame.sequence for frame in requests[taken:]]
        taken = len(requests)
        while waiting and (len(waiting) > OPEN or rng.random() < 0.5):
            number = waiting.pop(rng.randrange(len(waiting)))
            seen.said.append(number)
            tx.send_nowait(response_of(number)[0].on_stream(rng.choice((0, 1, 36, 63))))


async def until(dut, seen: Seen, numbers: list[int]) -> None:
    """Until all is said and, if anything came twice, that too."""
    asked = sum(map(is_whole, numbers))
    ends = len(numbers) + asked
    while min(len(seen.frames["answer"]) - asked, *(n - ends for n in seen.ends.values())) < 0:
        await RisingEdge(dut.clk_i)
    await ClockCycles(dut.clk_i, 700)


@cocotb.test()
@cocotb.parametrize(rates=(*ALL, *SIDES, *SINGLE))
async def asks_once_and_answers_once(dut, rates):
    dut.isolate_i.value = 0
    dut.parameter_fault_i.value = 0
    ports = {name: source(dut, f"s_axis_{name}") for name in INPUTS}
    ports |= {name: sink(dut, f"m_axis_{name}") for name in OUTPUTS}
    await start(dut)
    for seed, (name, rate) in enumerate(zip(STREAMS, rates, strict=True)):
        ports[name].set_pause_generator(bursts(seed) if rate is None else stalls(rate, seed))

    seen = Seen()
    cocotb.start_soon(watch(dut, seen))
    for name in OUTPUTS:
        cocotb.start_soon(collect(ports[name], seen.frames[name]))
    for name in ("add", "judge"):
        cocotb.start_soon(serve(dut, name, ports[f"{name}_response"], seen))
    rng = random.Random(5)
    numbers = rng.sample(range(1, 900), COUNT)
    for number in numbers:
        ports["number"].send_nowait(number_frame(number).on_stream(rng.randrange(64)))
    await with_timeout(until(dut, seen, numbers), 800, "us")
    judge(seen, numbers)


def judge(seen: Seen, numbers: list[int]) -> None:
    asked = [number for number in numbers if is_whole(number)]
    clients = {
        name: [n for n in asked if n % 2 == odd] for odd, name in enumerate(("add", "judge"))
    }
    assert all(clients.values()) and len(asked) < len(numbers)
    for name, own in clients.items():
        assert seen.frames[f"{name}_request"] == [request_frame(number) for number in own], name

    answers = seen.frames["answer"]
    assert [frame.sequence for frame in answers] == list(range(1, len(asked) + 1))
    assert {frame.kind for frame in answers} == {MESSAGE}
    values = [frame.stored for frame in answers]
    # Which response the core takes first is its choice; those of a service keep their order.
    for own in clients.values():
        told = [stored("q", response_of(number)[1]) for number in seen.said if number in own]
        assert len(told) == len(own)
        assert [value for value in values if value in told] == told

    taken = len(numbers) + len(asked)
    assert seen.ends == dict.fromkeys(OUTPUTS, taken)
    counts = {"number": len(numbers), "answer": len(asked) + taken}
    for name, own in clients.items():
        counts |= {f"{name}_response": len(own), f"{name}_request": len(own) + taken}
    assert seen.messages == counts


# --- its model -----------------------------------------------------------------------------------

GRAPH = """schema: ligament/graph/1
name: bench_node
packages: [{nodes}]
nodes:
  prompter: {{type: case/prompter}}
  caller: {{type: case/caller, device: fpga0}}
topics: {{number: {{bound_bytes: 100}}, answer: {{bound_bytes: 100}}}}
variants: {{bench: {{}}}}
"""
#: As `ligament.build.verilate`: packages hold more than one core uses.
WARNINGS = ("-Wno-UNUSEDPARAM", "-Wno-UNUSEDSIGNAL", "-Wno-DECLFILENAME")


def generated() -> list[Path]:
    """The wrapper and what it is made of, as `ligament generate` lists them for a design."""
    folder = BUILD / "tb" / "lig_node"
    folder.mkdir(parents=True, exist_ok=True)
    graph = folder / "graph.yaml"
    graph.write_text(GRAPH.format(nodes=HDL.parent / "tool" / "tests" / "cores" / "nodes"))
    words = ["--variant", "bench", "--platform", "fpga_sim", "--out", str(folder / "out")]
    command = [sys.executable, "-m", "ligament.cli.main", "generate", str(graph), *words]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    (listed,) = (folder / "out").glob("**/*-fpga.f")
    sources = [listed.parent / line for line in listed.read_text().splitlines()]
    # Behind the wrapper comes the design, with its memory port.
    return [path for path in sources if not path.stem.startswith("lig_design_")]


def test_lig_node():
    simulate("test_lig_node", TOP, generated(), arguments=WARNINGS)
