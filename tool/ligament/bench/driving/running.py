# SPDX-License-Identifier: Apache-2.0
"""Runs of the driving example's graphs: where they are built, what they need, how they end."""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from ligament.artefacts import write_text
from ligament.bench.measuring import REPOSITORY
from ligament.errors import FailureError, InputError
from ligament.pipeline import Request, built
from ligament.resources import node_packages_dir
from ligament.run.display import Quiet
from ligament.run.edge import EdgeOptions
from ligament.run.graph_run import FinishedRun, RunRequest, run_graph
from ligament.run.ros_python import find_ros_python
from ligament.run.supervisor import RunOptions

EXAMPLE = node_packages_dir().parent / "examples" / "driving"
ROAD, LANES = EXAMPLE / "road.yaml", EXAMPLE / "graph_lanes.yaml"
SLAM = EXAMPLE / "graph_slam.yaml"
#: Built once: the second run of the bench compiles nothing.
OUT = REPOSITORY / "build" / "bench-driving"
#: Unless ROS_DOMAIN_ID says another one. No test and no other bench takes this one, and it is the
#: last one that any Linux has ports for.
DOMAIN_ID = 101
#: No drive takes that long in real time, on a busy machine either.
LONGEST_S = 3600.0
_IMPORT_S = 300.0
_OF_ROS = ("AMENT_PREFIX_PATH", "LD_LIBRARY_PATH")
_PATIENT = RunOptions(start_timeout_s=120.0, silence_timeout_s=120.0, drain_timeout_s=30.0)


def domain_id() -> int:
    """The ROS domain of all runs of this bench."""
    return int(os.environ.get("ROS_DOMAIN_ID") or DOMAIN_ID)


def own_copy(graph: Path) -> Path:
    """The same graph under another name: so one that the user runs meanwhile is not met.

    Nor is another run of this bench, which is in another ROS domain.
    """
    text = graph.read_text(encoding="utf-8")
    text = re.sub(r"(?m)^name: (\w+)$", rf"name: bench_\1_{domain_id()}", text)
    text = text.replace("executable: ./", f"executable: {graph.parent}/")
    path = OUT / "graphs" / graph.name
    write_text(path, text)
    return path


@functools.cache
def build_of(graph: Path, variant: str, platform: str = "host") -> Path:
    """Where its build.json is, after it was built; once, as drives are many."""
    return built(Request(own_copy(graph), variant, platform, out=OUT)).build


@contextmanager
def run_of(build: Path, wanted: Mapping[str, Any]) -> Iterator[FinishedRun]:
    """A run, whose folder is removed after use. `wanted`: fields of RunRequest, `duration_s`."""
    fields = dict(wanted)
    duration_s = fields.pop("duration_s", LONGEST_S)
    fields.setdefault("edge", EdgeOptions(domain_id=domain_id()))
    options = replace(_PATIENT, duration_s=duration_s)
    try:
        request = RunRequest(build=build, log_level="warn", options=options, **fields)
        finished = run_graph(request, Quiet())
    except InputError as error:  # it is running already, or something of ROS 2 is missing
        raise FailureError(str(error)) from error
    try:
        yield finished
    finally:
        shutil.rmtree(finished.path.parent, ignore_errors=True)


@functools.cache
def need_simulator() -> None:
    """Find the ROS 2 and the MuJoCo that the simulator needs, for all that is started later.

    As a shell that has sourced that ROS 2: one that is sourced already is taken as it is.
    """
    found = find_ros_python("jazzy")
    os.environ.update({name: found.environment[name] for name in _OF_ROS})
    tried = subprocess.run([str(found.program), "-c", "import mujoco"], capture_output=True,
                           text=True, check=False, timeout=_IMPORT_S)  # fmt: skip
    if tried.returncode != 0:
        said = tried.stderr.strip().rpartition("\n")[2]
        raise FailureError(
            f"the simulator needs MuJoCo in the Python of {found.prefix}: {said}",
            hint="dev/setup --driving",
        )
    os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
