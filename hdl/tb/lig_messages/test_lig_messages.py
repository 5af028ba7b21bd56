# SPDX-License-Identifier: Apache-2.0
"""lig_unpack and lig_pack: every message type from C++ to fields and back, and what is refused.

The bytes come from the C++ builder where its round-trip program was built (dev/setup --test does
that; LIGAMENT_ROUNDTRIP names another one), and the field stream is judged by expected.py.
"""

from __future__ import annotations

import os
import random
import struct
import subprocess
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from bench import BUILD, HDL, RTL
from driver import PACKAGES, Beat, Kind, Model, Problem, build, header_of
from expected import FieldStream
from ligament.messages import load_store
from ligament.messages.files import write_tree
from ligament.messages.hdl import MADE, Layout, layout_of, read_bounds, render_all
from reference import encode
from values import Values

REPOSITORY = HDL.parent
FEATURES = REPOSITORY / "runtime" / "tests" / "message" / "every_feature_msgs"
STORE = load_store("jazzy", [FEATURES])
EXTRA = Path(__file__).with_name("bounds.yaml")
BOUNDS = read_bounds([EXTRA])
#: Random values per type, the first without stalls.
COUNT = 3
#: Types whose generated modules are simulated, in the order of lig_messages_made.
MADE_TYPES = [
    "every_feature_msgs/msg/Nested",
    "sensor_msgs/msg/Image",
    "std_msgs/msg/Empty",
    "example_interfaces/msg/WString",
    "nav_msgs/msg/Odometry",
    "diagnostic_msgs/msg/DiagnosticArray",
    "sensor_msgs/msg/PointCloud2",
    "std_msgs/msg/Bool",
]


class Builder:
    """The C++ builder: fields in, stored bytes out (runtime/tests/message/roundtrip)."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process

    def stored(self, name: str, data: bytes) -> bytes:
        assert self.process.stdin and self.process.stdout
        blocks = b"".join(struct.pack("<I", len(b)) + b for b in (name.encode(), data))
        self.process.stdin.write(b"r" + blocks)
        self.process.stdin.flush()
        problem, _, built = (self._block() for _ in range(3))
        assert problem == b"", problem.decode()
        return built

    def _block(self) -> bytes:
        assert self.process.stdout
        (size,) = struct.unpack("<I", self.process.stdout.read(4))
        return self.process.stdout.read(size)


def roundtrip_program() -> Path | None:
    named = os.environ.get("LIGAMENT_ROUNDTRIP")
    if named:
        return Path(named)
    return next((REPOSITORY / "build" / "runtime").rglob("message_roundtrip"), None)


@pytest.fixture(scope="module", params=(8, 16, 32, 64), ids=lambda lanes: f"{8 * lanes}-bits")
def model(request: pytest.FixtureRequest) -> Iterator[Model]:
    yield from running(build(lanes=request.param), request.param)


def running(program: Path, lanes: int = 8) -> Iterator[Model]:
    with subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        yield Model(process, lanes)
        assert process.stdin
        process.stdin.close()
        assert process.wait() == 0


@pytest.fixture(scope="module")
def builder() -> Iterator[Builder]:
    program = roundtrip_program()
    if program is None:
        required = os.environ.get("LIGAMENT_TEST_REQUIRE_ALL")
        (pytest.fail if required else pytest.skip)(
            "no message_roundtrip: dev/setup --test builds it"
        )
    with subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        yield Builder(process)
        assert process.stdin
        process.stdin.close()
        assert process.wait() == 0


def layout(name: str) -> Layout:
    return layout_of(STORE, STORE.message(name), BOUNDS)


def round_trips(model: Model, builder: Builder, name: str) -> None:
    """Random values of a type, the first without stalls, from the builder's bytes to the same."""
    message, program = STORE.message(name), layout(name)
    values = Values(STORE, seed=zlib.crc32(name.encode()))
    for turn in range(COUNT):
        value = values.message(message)
        stored = builder.stored(name, encode(STORE, name, value))
        assert len(stored) <= program.longest, name
        pad = 0 if turn == 0 else values.random.randint(0, 63)
        answer = model.frame(model.frame_of(stored, pad), seed=turn)
        assert answer.beats == FieldStream(STORE, program, model.lanes).of(message, value), (
            name,
            value,
        )
        assert answer.frame == model.frame_of(stored, pad), (name, value)
        assert answer.problem is Problem.NONE


def test_every_type_round_trips(model: Model, builder: Builder) -> None:
    """C++ to RTL to C++: the fields are those of the value, the frame is that of the builder."""
    names = [message.name for message in STORE]
    assert len(names) > 162
    for name in names:
        model.load(layout(name))
        round_trips(model, builder, name)


def made_of(names: list[str], folder: str) -> list[Path]:
    """The generated modules of these types, packages first."""
    files = render_all(STORE, [STORE.message(name) for name in names], BOUNDS)
    write_tree(BUILD / folder, files, MADE)
    return [BUILD / folder / name for name in sorted(files, key=lambda n: "_pkg.sv" not in n)]


def test_generated_modules_round_trip(builder: Builder) -> None:
    """The same through the modules themselves, of types that have every kind of instruction."""
    kinds = {word.op for name in MADE_TYPES for word in layout(name).words}
    assert kinds == {word.op for message in STORE for word in layout(message.name).words}
    program = build("lig_messages_made", made_of(MADE_TYPES, "made"))
    for made in running(program):
        for number, name in enumerate(MADE_TYPES):
            made.select(number)
            round_trips(made, builder, name)


def test_generated_modules_are_clean() -> None:
    """Those of every type, one elaboration, all warnings."""
    modules = made_of([message.name for message in STORE], "messages")
    words = ["--lint-only", "-Wall", "-Wno-MULTITOP", "-Wno-UNUSEDPARAM", f"-I{RTL}"]
    result = subprocess.run(
        [HDL / "tools" / "verilator", *words, HDL / "tools" / "lint.vlt", *PACKAGES, *modules],
        capture_output=True, text=True, check=False, timeout=900,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr[:4000]


def image(size: int) -> tuple[str, dict[str, object], bytes]:
    name = "sensor_msgs/msg/Image"
    values = Values(STORE, seed=5)
    value = values.message(STORE.message(name))
    value["data"] = list(random.Random(1).randbytes(size))
    return name, value, encode(STORE, name, value)


@pytest.mark.parametrize("pad", range(0, 64, 7))
def test_a_payload_passes_at_a_beat_per_cycle(model: Model, pad: int) -> None:
    name, value, stored = image(4001)
    model.load(layout(name))
    answer = model.frame(model.frame_of(stored, pad))
    assert answer.frame == model.frame_of(stored, pad)
    assert answer.beats == FieldStream(STORE, layout(name), model.lanes).of(
        STORE.message(name), value
    )
    # Header, front padding and eight fields are what is beside the payload's beats.
    assert answer.cycles <= 4001 // model.lanes + 80


def test_text_that_ends_the_frame_in_any_lane(model: Model) -> None:
    name = "std_msgs/msg/String"
    model.load(layout(name))
    for size in range(20):
        stored = encode(STORE, name, {"data": "x" * size})
        assert model.frame(model.frame_of(stored, size)).frame == model.frame_of(stored, size)
        # RTPS may have padded it to a multiple of 4; it leaves without.
        padded = stored + bytes(-len(stored) % 4)
        answer = model.frame(model.frame_of(padded, size, len(stored)))
        assert answer.beats[-1].kind is Kind.DONE
        assert answer.frame == model.frame_of(stored, size)


def test_a_bool_is_one_or_zero(model: Model) -> None:
    name = "std_msgs/msg/Bool"
    model.load(layout(name))
    answer = model.frame(model.frame_of(b"\0\1\0\0\x80", 0))
    assert answer.beats[0] == Beat(Kind.VALUES, 0, b"\1")
    assert answer.frame == model.frame_of(b"\0\1\0\0\1", 0)


def announced(model: Model, frame: bytes) -> int:
    """Bytes of a frame, as its header says."""
    length, pad = struct.unpack_from("<I3xB", frame)
    return max(16, model.lanes) + pad % 64 + length


def broken(model: Model, frame: bytes) -> Problem:
    """What unpack says of a frame; pack then sends a runt, and the next frame passes."""
    answer = model.frame(frame, seed=len(frame))
    last = answer.beats[-1]
    assert last.kind is Kind.BROKEN
    assert answer.problem is Problem.NONE
    assert len(answer.frame) != announced(model, answer.frame)
    return Problem(last.data[0])


def test_broken_frames_are_told_and_survived(model: Model) -> None:
    name, _, stored = image(100)
    model.load(layout(name))
    good = model.frame_of(stored, 5)
    head = max(16, model.lanes)
    assert broken(model, good[:8]) is Problem.HEADER_CUT
    assert broken(model, good[:head]) is Problem.HEADER_CUT
    for size in range(head + 1, len(good), 11):
        assert broken(model, good[:size]) is Problem.TOO_SHORT, size
    big_endian = model.frame_of(b"\0\0" + stored[2:], 5)
    assert broken(model, big_endian) is Problem.ENCAPSULATION
    assert broken(model, good + bytes(4)) is Problem.TOO_LONG
    no_length = model.frame_of(stored[:12] + bytes(4) + stored[16:], 5)
    assert broken(model, no_length) is Problem.BAD_TEXT
    over = model.frame_of(stored[:12] + struct.pack("<I", 66) + stored[16:], 5)
    assert broken(model, over) is Problem.OVER_BOUND
    assert model.frame(good).frame == good


def test_text_without_an_end_is_refused(model: Model) -> None:
    model.load(layout("std_msgs/msg/String"))
    stored = encode(STORE, "std_msgs/msg/String", {"data": "abc"})
    assert broken(model, model.frame_of(stored[:-1] + b"d", 0)) is Problem.BAD_TEXT
    model.load(layout("example_interfaces/msg/WString"))
    stored = encode(STORE, "example_interfaces/msg/WString", {"data": "abc"})
    assert broken(model, model.frame_of(stored[:-2] + b"\1\0", 0)) is Problem.BAD_TEXT


def test_of_two_problems_the_first_one_is_told(model: Model) -> None:
    """The second one is found in the next step, while the first one is on its way."""
    model.load(layout("std_msgs/msg/String"))
    cut = model.frame_of(b"\0\0\0\0", 0)
    assert broken(model, cut) is Problem.ENCAPSULATION
    assert broken(model, header_of(5, 0, kind=3) + cut[16:]) is Problem.REFUSED
    model.load(layout("example_interfaces/msg/WString"))
    stored = encode(STORE, "example_interfaces/msg/WString", {"data": "x" * 40})
    wild = stored[:8] + b"\0\0\1\0" * (model.lanes // 4)
    assert broken(model, model.frame_of(wild, 0)) is Problem.BAD_TEXT


def test_a_node_that_breaks_the_order_is_told(model: Model) -> None:
    """lig_pack ends the frame, says why for a cycle, drops the rest, and goes on."""
    name = "std_msgs/msg/Header"
    model.load(layout(name))
    value = {"stamp": {"sec": 1, "nanosec": 2}, "frame_id": "map"}
    stored = encode(STORE, name, value)
    good = FieldStream(STORE, layout(name), model.lanes).of(STORE.message(name), value)
    header = header_of(len(stored), 3)
    swapped = [good[1], good[0], *good[2:]]
    over = [*good[:2], Beat(Kind.COUNT, 2, struct.pack("<I", 65)), *good[3:]]
    more = [*good[:4], Beat(Kind.VALUES, 2, b"xy"), good[-1]]
    cases = [
        (header, swapped, Problem.WRONG_FIELD),
        (header, [*good[:2], good[-1]], Problem.WRONG_FIELD),
        (header, more, Problem.WRONG_FIELD),
        (header, over, Problem.OVER_BOUND),
        (header_of(len(stored) + 1, 3), good, Problem.WRONG_LENGTH),
    ]
    for seed, (said, beats, problem) in enumerate(cases):
        answer = model.fields(said, beats, seed)
        assert answer.problem is problem
        assert len(answer.frame) != announced(model, answer.frame)
        again = model.fields(header, good, seed)
        assert again.problem is Problem.NONE
        assert again.frame == model.frame_of(stored, 3)


def refusal(code: int) -> list[Beat]:
    """A message that is a Broken beat alone."""
    return [Beat(Kind.BROKEN, 0, bytes([code]))]


def test_a_refusal_is_a_frame_that_says_that_there_is_no_message(model: Model) -> None:
    """Of 4 bytes where its header announces 5; unpack says so, and pack hands it on."""
    name = "std_msgs/msg/Header"
    model.load(layout(name))
    value = {"stamp": {"sec": 1, "nanosec": 2}, "frame_id": "map"}
    stored = encode(STORE, name, value)
    good = FieldStream(STORE, layout(name), model.lanes).of(STORE.message(name), value)
    header = header_of(len(stored), 3)
    frame = header_of(5, 0, kind=3).ljust(model.lanes, b"\0") + bytes(4)
    for seed, code in enumerate((0, 1, 10, 17, 255)):
        answer = model.fields(header, refusal(code), seed)
        assert (answer.frame, answer.problem) == (frame, Problem.NONE), code
        answer = model.frame(frame, seed)
        assert answer.beats == refusal(Problem.REFUSED)
        assert (answer.frame, answer.problem) == (frame, Problem.NONE)
        assert model.fields(header, refusal(Problem.NOTHING), seed).frame == b""
        assert model.fields(header, good, seed).frame == model.frame_of(stored, 3)


def test_a_refusal_to_memory_leaves_no_frame(builder: Builder) -> None:
    for made in running(build("lig_messages_made", made_of(MADE_TYPES, "made"))):
        made.select(MADE_TYPES.index("std_msgs/msg/Bool"))
        for code in (0, Problem.NOTHING, Problem.REFUSED, 17):
            answer = made.fields(header_of(5, 0), refusal(code))
            assert (answer.frame, answer.problem) == (b"", Problem.NONE)
        round_trips(made, builder, "std_msgs/msg/Bool")


def test_text_may_come_in_any_pieces(model: Model) -> None:
    name = "std_msgs/msg/Header"
    model.load(layout(name))
    value = {"stamp": {"sec": -1, "nanosec": 2}, "frame_id": "a longer name of a frame"}
    stored = encode(STORE, name, value)
    beats = FieldStream(STORE, layout(name), model.lanes).of(STORE.message(name), value)
    text = value["frame_id"].encode()
    pieces = [Beat(Kind.VALUES, 2, text[i : i + 3]) for i in range(0, len(text), 3)]
    answer = model.fields(header_of(len(stored), 9), [*beats[:3], *pieces, beats[-1]], seed=3)
    assert answer.problem is Problem.NONE
    assert answer.frame == model.frame_of(stored, 9)


def test_begins_anew_after_a_reset_in_mid_frame(model: Model) -> None:
    name, _, stored = image(200)
    model.load(layout(name))
    frame = model.frame_of(stored, 0)
    for size in (model.lanes + 1, 40, 100, len(frame)):
        model.interrupt(frame[:size])
        assert model.frame(frame).frame == frame
