# SPDX-License-Identifier: Apache-2.0
"""Build a module with Verilator, and run a bench's cocotb tests in it.

Each bench file holds both halves: the cocotb tests, and pytest functions that call `simulate` once
per set of parameters. Models lie in build/hdl/; ccache keeps the objects that all of them share.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from cocotb_tools.check_results import get_results
from cocotb_tools.runner import get_runner

HDL = Path(__file__).resolve().parents[2]
RTL = HDL / "rtl"
BUILD = HDL.parent / "build" / "hdl"

#: -O0: a bench runs a few thousand cycles, and the C++ compiler is what one waits for.
BUILD_ARGS = [
    "-Wall", "--assert", "--output-split", "0", "-O1", "-CFLAGS", "-O0",
    "-MAKEFLAGS", "OPT_FAST=-O0", "-MAKEFLAGS", "OPT_SLOW=-O0", "-MAKEFLAGS", "OPT_GLOBAL=-O0",
    "-I" + str(RTL), "+define+LIG_RULES",
]  # fmt: skip


def environment_of_tools() -> dict[str, str]:
    """The environment in which `verilator` is ours, and objects are compiled once."""
    path = f"{HDL / 'tools'}:{os.environ['PATH']}"
    cache = "ccache" if shutil.which("ccache") else ""
    # cocotb calls make itself, and Verilator's makefile asks for a `python`: Debian has none.
    make = f"PYTHON3={sys.executable} {os.environ.get('MAKEFLAGS', '')}"
    return {"OBJCACHE": cache, **os.environ, "PATH": path, "MAKEFLAGS": make}


def simulate(
    bench: str,
    top: str,
    sources: list[Path],
    parameters: dict[str, object] | None = None,
    seed: int = 1,
    environment: dict[str, str] | None = None,
    arguments: Sequence[str] = (),
) -> None:
    """Run all cocotb tests of module `bench`; raise AssertionError if one fails or none ran."""
    os.environ.update(environment_of_tools())
    parameters = parameters or {}
    words = [f"{key}{value}" for key, value in sorted(parameters.items())]
    folder = BUILD / "tb" / bench.removeprefix("test_") / "-".join(words).replace("'", "")
    folder.mkdir(parents=True, exist_ok=True)
    runner = get_runner("verilator")
    runner.build(
        sources=sources,
        hdl_toplevel=top,
        build_dir=folder,
        build_args=[*BUILD_ARGS, *arguments],
        parameters=parameters,
        log_file=folder / "build.log",
    )
    extra = {key: str(value) for key, value in parameters.items()}
    # At INFO every frame is printed, which takes longer than to simulate it.
    extra["COCOTB_LOG_LEVEL"] = os.environ.get("COCOTB_LOG_LEVEL", "WARNING")
    results = runner.test(
        hdl_toplevel=top,
        test_module=bench,
        test_dir=folder,
        build_dir=folder,
        seed=seed,
        results_xml=str(folder / "results.xml"),
        extra_env={"PYTHONPATH": os.environ.get("PYTHONPATH", ""), **extra, **(environment or {})},
        log_file=folder / "test.log",
    )
    count, failed = get_results(results)
    assert count > 0, f"no cocotb test ran: {folder / 'test.log'}"
    assert failed == 0, f"{failed} of {count} cocotb tests failed: {folder / 'test.log'}"
