# SPDX-License-Identifier: Apache-2.0
"""The model of a bench's top at the other end of two pipes (main.cpp has the requests)."""

from __future__ import annotations

import fcntl
import struct
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path

from bench import BUILD, HDL, RTL, environment_of_tools
from ligament.messages.hdl import Layout

HERE = HDL / "tb" / "lig_messages"
PACKAGES = [RTL / f"lig_{name}.sv" for name in ("stream_pkg", "fields_pkg", "fields_if")]


class Kind(IntEnum):
    """As kind_e of lig_fields_pkg."""

    VALUES = 0
    COUNT = 1
    DONE = 2
    BROKEN = 3


class Problem(IntEnum):
    """As problem_e."""

    NONE = 0
    HEADER_CUT = 1
    ENCAPSULATION = 2
    TOO_SHORT = 3
    OVER_BOUND = 4
    BAD_TEXT = 5
    TOO_LONG = 6
    WRONG_FIELD = 7
    WRONG_LENGTH = 8
    NOTHING = 9
    REFUSED = 10


@dataclass(frozen=True)
class Beat:
    """Of a field stream."""

    kind: Kind
    field: int
    data: bytes

    def packed(self, lanes: int = 8) -> bytes:
        return struct.pack(f"<BBH{lanes}s", self.kind, len(self.data), self.field, self.data)


@dataclass(frozen=True)
class Answer:
    cycles: int
    problem: Problem
    beats: list[Beat]
    frame: bytes


def header_of(length: int, pad: int, sequence: int = 1, kind: int = 0) -> bytes:
    """The 16 bytes in front of a message."""
    return struct.pack("<IHBBQ", length, sequence, 3, pad | kind << 6, 0x0500_1234_5678_9ABC)


def frame_of(stored: bytes, pad: int, length: int | None = None, lanes: int = 8) -> bytes:
    """The frame of a stored message on a stream of that many bytes."""
    header = header_of(len(stored) if length is None else length, pad)
    return header.ljust(lanes, b"\0") + bytes(pad) + stored


def build(parts: str = "lig_messages_program", made: Sequence[Path] = (), lanes: int = 8) -> Path:
    """The program; Verilator and make do only what is needed, for one worker at a time.

    `parts` is what lig_messages_tb has in it; `made` are generated modules for that, packages
    first; `lanes` are the bytes of a beat.
    """
    folder = BUILD / "tb" / f"{parts}-{lanes}"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        sources = [HERE / f"{name}.sv" for name in (parts, "lig_messages_tb")]
        defines = [f"+define+LIG_PARTS={parts}", f"+define+LIG_BITS={8 * lanes}"]
        defines += ["-CFLAGS", f"-DLIG_BYTES={lanes}"]
        return _build_in(folder, defines, [*PACKAGES, *made, *sources])


def _build_in(folder: Path, defines: list[str], sources: list[Path]) -> Path:
    words = ["--cc", "--exe", "--build", "--assert", "-Wall", "-Wno-UNUSEDPARAM", f"-I{RTL}"]
    words += ["+define+LIG_RULES", *defines]
    words += ["--top-module", "lig_messages_tb", "--output-split", "0"]
    words += ["-CFLAGS", "-std=c++20 -O1", "-MAKEFLAGS", "OPT_FAST=-O1 OPT_SLOW=-O0 OPT_GLOBAL=-O1"]
    built = subprocess.run(
        ["verilator", *words, "--prefix", "Vtop", "--Mdir", folder, "-o", "run", *sources,
         HERE / "main.cpp"],
        capture_output=True, text=True, env=environment_of_tools(), check=False, timeout=900,
    )  # fmt: skip
    assert built.returncode == 0, built.stdout[-4000:] + built.stderr[-4000:]
    return folder / "run"


class Model:
    """Asks the program."""

    def __init__(self, process: subprocess.Popen[bytes], lanes: int = 8) -> None:
        self.process = process
        self.lanes = lanes

    def frame_of(self, stored: bytes, pad: int, length: int | None = None) -> bytes:
        """The frame of a stored message at this model's width."""
        return frame_of(stored, pad, length, self.lanes)

    def load(self, layout: Layout) -> None:
        self._write([word.encoded() for word in layout.words])

    def select(self, number: int) -> None:
        """In lig_messages_made, the type with this number."""
        self._write([number])

    def _write(self, words: Sequence[int]) -> None:
        self._send(b"P" + struct.pack(f"<I{len(words)}Q", len(words), *words))

    def frame(self, data: bytes, seed: int = 0) -> Answer:
        self._send(b"F" + struct.pack("<II", seed, len(data)) + data)
        return self._answer()

    def fields(self, header: bytes, beats: list[Beat], seed: int = 0) -> Answer:
        packed = b"".join(beat.packed(self.lanes) for beat in beats)
        self._send(b"T" + struct.pack("<I", seed) + header + struct.pack("<I", len(beats)) + packed)
        return self._answer()

    def interrupt(self, data: bytes) -> None:
        """All of the frame but its last beat, then a reset."""
        self._send(b"R" + struct.pack("<I", len(data)) + data)

    def _send(self, request: bytes) -> None:
        assert self.process.stdin
        self.process.stdin.write(request)
        self.process.stdin.flush()

    def _answer(self) -> Answer:
        cycles, problem, count = struct.unpack("<III", self._read(12))
        beats = []
        for _ in range(count):
            packed = struct.unpack(f"<BBH{self.lanes}s", self._read(4 + self.lanes))
            kind, size, field, data = packed
            beats.append(Beat(Kind(kind), field, data[:size]))
        (size,) = struct.unpack("<I", self._read(4))
        return Answer(cycles, Problem(problem), beats, self._read(size))

    def _read(self, size: int) -> bytes:
        assert self.process.stdout
        data = self.process.stdout.read(size)
        assert len(data) == size, "the model has ended; its last words are on stderr"
        return data
