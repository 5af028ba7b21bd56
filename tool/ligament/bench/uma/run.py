# SPDX-License-Identifier: Apache-2.0
"""Running the program of the benchmark."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ligament.bench.framework import program
from ligament.bench.uma.cells import ARCHITECTURES, COPIED, HANDED_OVER, MODELS, SHARED, Line
from ligament.errors import FailureError

if TYPE_CHECKING:
    from ligament.bench.uma.measure import Options

NAME = "ligament-bench-uma"
#: DDS domain of ROS-SC's nodes; the network is our own where we may have one.
DDS_DOMAIN = 87
PATIENCE_S = 1800


def run_program(workload: str, words: Sequence[str], options: Options) -> dict[str, Any]:
    """Run it with these words, and the matrix of the options; what it printed."""
    command = [str(program(NAME)), "--workload", workload, *words]
    for name in ("rows", "columns"):
        command += [f"--{name}", str(getattr(options, name))]
    command += ["--pinned"] if options.pinned else []
    try:
        ended = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=PATIENCE_S
        )
    except subprocess.TimeoutExpired as error:
        raise FailureError(f"it did not end within {PATIENCE_S} s", command=command) from error
    if ended.returncode != 0:
        raise FailureError(said(ended.stderr, ended.returncode), command=command)
    return dict(json.loads(ended.stdout.splitlines()[-1]))


def said(stderr: str, status: int) -> str:
    """Why it ended: its own last sentence, else an error of the runtime; with the exit status."""
    lines = stderr.strip().splitlines()
    for mark in (f"{NAME}: ", "[ERROR]", ""):
        if found := [line for line in lines if line.startswith(mark)]:
            return f"{found[-1]} (exit {status})"
    return f"exit {status}"


def architecture_words(line: Line, middleware: str) -> list[str]:
    """The program's words for a line."""
    cpus, gpus, has_scheduler = ARCHITECTURES[line.nodes]
    way = {SHARED: "shared", HANDED_OVER: "handed_over", COPIED: line.ros_type}[line.ros_mode]
    words = ["--way", way, "--model", MODELS[line.device_mode]]
    words += ["--cpus", str(cpus), "--gpus", str(gpus)]
    words += ["--scheduler"] if has_scheduler else []
    if line.ros_mode == COPIED and middleware == "dds":
        words += ["--dds", "--dds-domain", str(DDS_DOMAIN)]
    return words
