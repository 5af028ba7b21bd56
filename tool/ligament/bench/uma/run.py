# SPDX-License-Identifier: Apache-2.0
"""Running the program of the benchmark."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ligament.bench.measuring import program, told_by
from ligament.bench.uma.cells import ARCHITECTURES, COPIED, HANDED_OVER, MODELS, SHARED, Line
from ligament.bench.uma.options import Options

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
    return dict(told_by(command, "the program failed", timeout_s=PATIENCE_S))


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
