# SPDX-License-Identifier: Apache-2.0
"""HLS C++ of messages, compiled natively: every type comes back as it went in; broken ones do not.

The field streams are those that lig_unpack and lig_pack are held to (tb/lig_messages/expected.py),
so that a node may be in either language.
"""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
import sys
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from bench import BUILD, HDL
from ligament.artefacts import write_text
from ligament.messages import load_store
from ligament.messages.files import write_tree
from ligament.messages.hdl import layout_of, read_bounds
from ligament.messages.hls import render_hls
from reference import encode
from values import Values

sys.path.insert(0, str(HDL / "tb" / "lig_messages"))
from driver import Beat, Kind, Problem
from expected import FieldStream

FEATURES = HDL.parent / "runtime" / "tests" / "message" / "every_feature_msgs"
STORE = load_store("jazzy", [FEATURES])
BOUNDS = read_bounds([HDL / "tb" / "lig_messages" / "bounds.yaml"])
HERE = HDL / "tb" / "lig_hls"
NAMES = sorted(message.name for message in STORE)
ODOMETRY = "nav_msgs/msg/Odometry"


@dataclass(frozen=True)
class Answer:
    good: bool
    length: int
    left: int
    beats: list[Beat]


class Program:
    """The driver at the other end of two pipes; main.cpp has the requests."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process

    def exchange(self, name: str, beats: list[Beat]) -> Answer:
        assert self.process.stdin
        word = name.encode()
        packed = b"".join(beat.packed() for beat in beats)
        self.process.stdin.write(b"F" + struct.pack("<I", len(word)) + word)
        self.process.stdin.write(struct.pack("<I", len(beats)) + packed)
        self.process.stdin.flush()
        good, length, left, count = struct.unpack("<BIII", self._read(13))
        made = []
        for _ in range(count):
            kind, size, field, data = struct.unpack("<BBH8s", self._read(12))
            made.append(Beat(Kind(kind), field, data[:size]))
        return Answer(bool(good), length, left, made)

    def emulate(self, node: bytes, name: str, stored: bytes) -> tuple[Problem, bytes]:
        assert self.process.stdin
        word = name.encode()
        self.process.stdin.write(node + struct.pack("<I", len(word)) + word)
        self.process.stdin.write(struct.pack("<I", len(stored)) + stored)
        self.process.stdin.flush()
        problem, size = struct.unpack("<BI", self._read(5))
        return Problem(problem), self._read(size)

    def _read(self, size: int) -> bytes:
        assert self.process.stdout
        data = self.process.stdout.read(size)
        assert len(data) == size, "the program has ended; its last words are on stderr"
        return data


def cpp_of(name: str) -> str:
    return "lig_hls::" + name.replace("/", "::")


def compiler() -> str:
    """CXX, or what is twice as quick as GCC; with LIGAMENT_TEST_FULL=1 the default."""
    quick = None if os.environ.get("LIGAMENT_TEST_FULL") == "1" else shutil.which("clang++")
    return os.environ.get("CXX") or quick or "c++"


def build() -> Path:
    folder = BUILD / "tb" / "lig_hls"
    files = render_hls(STORE, list(STORE), BOUNDS)
    write_tree(folder / "gen", files)
    headers = "".join(f"#include <{name}>\n" for name in sorted(files))
    write_text(folder / "gen" / "headers.inc", headers)
    lines = "".join(f'MESSAGE("{name}", {cpp_of(name)})\n' for name in NAMES)
    write_text(folder / "gen" / "types.inc", lines)
    launcher = ["ccache"] if shutil.which("ccache") else []
    program = [*launcher, compiler(), "-std=c++17", "-O0", "-Wall", "-Wextra"]
    includes = [f"-I{folder / 'gen'}", f"-I{HDL / 'hls'}", f"-I{HDL / 'hls' / 'native'}"]
    commands = (
        [*program, "-Werror", *includes, "-c", str(HERE / "main.cpp"), "-o", "main.o"],
        [*program, "main.o", "-o", "run"],
    )
    for words in commands:
        built = subprocess.run(
            words, capture_output=True, text=True, check=False, cwd=folder, timeout=900
        )
        assert built.returncode == 0, built.stderr[:4000]
    return folder / "run"


@pytest.fixture(scope="module")
def program() -> Iterator[Program]:
    with subprocess.Popen([build()], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        yield Program(process)
        assert process.stdin
        process.stdin.close()
        assert process.wait() == 0


def drawn(name: str, turn: int) -> tuple[list[Beat], int]:
    """The field stream of a random value, and the bytes of its stored message."""
    message = STORE.message(name)
    values = Values(STORE, seed=zlib.crc32(name.encode()) + turn)
    value = values.message(message)
    beats = FieldStream(STORE, layout_of(STORE, message, BOUNDS)).of(message, value)
    return beats, len(encode(STORE, name, value))


def test_every_type_round_trips(program: Program) -> None:
    assert len(NAMES) > 162
    for name in NAMES:
        for turn in range(3):
            beats, size = drawn(name, turn)
            answer = program.exchange(name, beats)
            assert answer.good and answer.left == 0, name
            assert answer.beats == beats, name
            # Behind the last field there may be padding, up to a multiple of 4.
            assert size - 4 < answer.length <= size, name


def test_a_message_that_ends_early_is_broken_and_takes_nothing_of_the_next(
    program: Program,
) -> None:
    beats, _ = drawn(ODOMETRY, 0)
    for cut in range(len(beats) - 1):
        answer = program.exchange(ODOMETRY, [*beats[:cut], beats[-1], *beats])
        assert not answer.good and answer.left == len(beats), cut


def test_broken_at_the_end_is_broken(program: Program) -> None:
    beats, _ = drawn(ODOMETRY, 1)
    answer = program.exchange(ODOMETRY, [*beats[:-1], Beat(Kind.BROKEN, 0, b"\x03")])
    assert not answer.good and answer.left == 0 and answer.beats == []


def test_another_field_or_more_than_there_is_is_broken(program: Program) -> None:
    beats, _ = drawn(ODOMETRY, 2)
    wrong = Beat(beats[3].kind, beats[3].field + 1, beats[3].data)
    assert not program.exchange(ODOMETRY, [*beats[:3], wrong, *beats[4:]]).good
    more = program.exchange(ODOMETRY, [*beats[:-1], beats[-2], beats[-1]])
    assert not more.good and more.left == 0


def test_a_count_over_the_bound_writes_nothing_beyond(program: Program) -> None:
    name = "std_msgs/msg/String"
    bound = layout_of(STORE, STORE.message(name), BOUNDS).leaves[0].argument
    text = [Beat(Kind.VALUES, 0, b"x" * 8)] * (bound // 8 + 1)
    count = Beat(Kind.COUNT, 0, struct.pack("<I", bound + 8))
    assert not program.exchange(name, [count, *text, Beat(Kind.DONE, 0, b"\0")]).good


def stored_of(name: str, turn: int) -> tuple[dict[str, object], bytes]:
    values = Values(STORE, seed=zlib.crc32(name.encode()) + turn)
    value = values.message(STORE.message(name))
    return value, encode(STORE, name, value)


def test_a_node_natively_passes_every_type_on(program: Program) -> None:
    for name in NAMES:
        for turn in range(2):
            _, stored = stored_of(name, turn)
            problem, answer = program.emulate(b"S", name, stored)
            assert problem is Problem.NONE, name
            assert stored.startswith(answer) and len(stored) - len(answer) < 4, name


def test_a_node_natively_works_beat_by_beat(program: Program) -> None:
    name = "sensor_msgs/msg/Image"
    value = {
        "header": {"stamp": {"sec": 1, "nanosec": 2}, "frame_id": "eye"},
        "height": 3, "width": 7, "encoding": "mono8", "is_bigendian": 0, "step": 7,
        "data": list(range(21)),
    }  # fmt: skip
    problem, answer = program.emulate(b"I", name, encode(STORE, name, value))
    assert problem is Problem.NONE
    expected = encode(STORE, name, {**value, "data": [255 - v for v in range(21)]})
    assert expected.startswith(answer) and len(expected) - len(answer) < 4


def test_a_node_that_waits_for_more_is_unwound_and_told(program: Program) -> None:
    for name in ("std_msgs/msg/String", "sensor_msgs/msg/Imu", ODOMETRY):
        _, stored = stored_of(name, 0)
        assert program.emulate(b"W", name, stored) == (Problem.WRONG_LENGTH, b"")
        assert program.emulate(b"S", name, stored)[0] is Problem.NONE


def test_broken_messages_do_not_reach_the_node(program: Program) -> None:
    name = "std_msgs/msg/String"
    stored = encode(STORE, name, {"data": "hello"})
    assert program.emulate(b"S", name, stored[:3])[0] is Problem.TOO_SHORT
    assert program.emulate(b"S", name, stored[:9])[0] is Problem.TOO_SHORT
    assert program.emulate(b"S", name, b"\0\0" + stored[2:])[0] is Problem.ENCAPSULATION
    assert program.emulate(b"S", name, stored[:8] + b"helloo")[0] is Problem.BAD_TEXT
    assert program.emulate(b"S", name, stored + bytes(4))[0] is Problem.TOO_LONG
