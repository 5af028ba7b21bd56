# SPDX-License-Identifier: Apache-2.0
"""`ligament bench workspace`: benchmarks/workspace/README.md says what and how."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ligament import resources
from ligament.artefacts import write_text
from ligament.bench.goals import Figures, Goal
from ligament.bench.measuring import (
    OURS,
    Measured,
    comparison,
    in_turn,
    make_row,
    output_of,
    say,
)
from ligament.errors import FailureError
from ligament.new import write_new
from ligament.run.ros_python import RosPython, find_ros_python

EMPTY = "an empty package"
GENERATORS = {"make": "Unix Makefiles", "ninja": "Ninja"}
FIGURES = Figures(
    goals=(
        Goal("colcon build, nothing changed, {generator}", "rebuild", 2.0),
        Goal("its CPU time, {generator}", "rebuild_cpu"),
    ),
    results={"workspace": "the package of `ligament new package`"},
    floors=(EMPTY,),
)
_BUILD_S = 1800.0
_PACKAGE = """<?xml version="1.0"?>
<package format="3">
  <name>bench_empty</name> <version>0.0.0</version> <description>Has no targets.</description>
  <maintainer email="nobody@example.org">Nobody</maintainer> <license>Apache-2.0</license>
  <buildtool_depend>ament_cmake</buildtool_depend>
  <export> <build_type>ament_cmake</build_type> </export>
</package>
"""
_LISTS = """cmake_minimum_required(VERSION 3.22)
project(bench_empty NONE)
find_package(ament_cmake REQUIRED)
ament_package()
"""


@dataclass(frozen=True)
class Workspace:
    """A folder with one package in src/, and how colcon builds it."""

    who: str
    root: Path
    command: list[str]
    environment: Mapping[str, str]

    def build(self) -> tuple[float, float]:
        """Run colcon; return the time that it took, and its CPU time with all it started. Unit: s.

        Raises FailureError with what it said last.
        """
        before, began = _cpu_s(), time.perf_counter()
        try:
            done = subprocess.run(
                self.command, cwd=self.root, env=self.environment, check=False, text=True,
                stdin=subprocess.DEVNULL, capture_output=True, timeout=_BUILD_S,
            )  # fmt: skip
        except subprocess.TimeoutExpired as error:
            text = f"colcon did not end within {_BUILD_S:g} s"
            raise FailureError(text, command=self.command) from error
        took = time.perf_counter() - began, _cpu_s() - before
        if done.returncode:
            said = "\n  ".join((done.stdout + done.stderr).splitlines()[-20:])
            raise FailureError(f"colcon failed:\n  {said}", command=self.command)
        return took


def measure(quick: bool) -> Measured:
    """Each generator: our package and an empty one, in turn."""
    if shutil.which("colcon") is None:
        raise FailureError("colcon is missing", hint="dev/setup --test, or: apt install colcon")
    ros = find_ros_python()
    result = Measured([], versions={"cmake": _version("cmake"), "ninja": _version("ninja")})
    with tempfile.TemporaryDirectory(prefix="ligament-bench-") as folder:
        for generator in GENERATORS:
            say("workspace", f"building with {generator}, the first time: a minute")
            both = [new_workspace(Path(folder), who, generator, ros) for who in (OURS, EMPTY)]
            measure_rebuild(generator, both, 3 if quick else 9, result)
    return result


def new_workspace(folder: Path, who: str, generator: str, ros: RosPython) -> Workspace:
    """Write a workspace, and how it is built."""
    root = folder / generator / ("ours" if who == OURS else "empty")
    if who == OURS:
        write_new("package", root / "src" / "bench_package")
    else:
        write_text(root / "src" / "bench_empty" / "package.xml", _PACKAGE)
        write_text(root / "src" / "bench_empty" / "CMakeLists.txt", _LISTS)
    found = {
        "Python3_EXECUTABLE": ros.program,
        "LIGAMENT_PYTHON": sys.executable,
        "CMAKE_PREFIX_PATH": f"{ros.prefix};{resources.prefix()}",
    }
    words = [f"-G{GENERATORS[generator]}", *(f"-D{name}={value}" for name, value in found.items())]
    environment = {**os.environ, "AMENT_PREFIX_PATH": str(ros.prefix)}
    return Workspace(who, root, ["colcon", "build", "--cmake-args", *words], environment)


def measure_rebuild(
    generator: str, workspaces: list[Workspace], passes: int, result: Measured
) -> None:
    """Build each once, then again and again; the first of these passes is left out."""
    for workspace in workspaces:
        workspace.build()
    times: dict[str, list[tuple[float, float]]] = {one.who: [] for one in workspaces}
    for number in range(passes + 1):
        for workspace in in_turn(workspaces, number):
            took = workspace.build()
            if number:
                times[workspace.who].append(took)
    params = {"generator": generator}
    for at, metric in enumerate(("rebuild", "rebuild_cpu")):
        for who, both in times.items():
            values = [one[at] for one in both]
            result.rows.append(make_row("workspace", params, metric, "s", values, who))
    pairs = [(a[0], b[0]) for a, b in zip(times[OURS], times[EMPTY], strict=True)]
    result.comparisons += comparison(params, "rebuild", EMPTY, pairs)


def _cpu_s() -> float:
    """CPU time of all children that have ended, with theirs."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _version(program: str) -> str:
    return output_of([program, "--version"]).split("\n")[0].rpartition(" ")[2]
