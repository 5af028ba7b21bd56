# SPDX-License-Identifier: Apache-2.0
"""Runs a graph of nodes in Python with a distribution's real rclpy."""

from __future__ import annotations

import json
import os
import subprocess
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ros2_wheels import WHEELS, our_middleware, wheels_environment, wheels_python
from run_chat import LIGAMENT

GRAPH = Path(__file__).with_name("python_graph") / "graph.yaml"
WATCHDOG_S = 120.0


@dataclass(frozen=True)
class Outcome:
    """How a run ended, and what it left."""

    process: subprocess.CompletedProcess[str]
    folder: Path

    @property
    def record(self) -> dict[str, Any]:
        """Its run.json."""
        data: dict[str, Any] = json.loads((self.folder / "run.json").read_text())
        return data

    @property
    def collected(self) -> dict[str, Any]:
        """What the node /collect wrote."""
        data: dict[str, Any] = json.loads((self.folder / "outputs" / "collect.json").read_text())
        return data

    def lines(self, event: str) -> list[dict[str, Any]]:
        """The status lines of a kind."""
        texts = (self.folder / "status.jsonl").read_text().splitlines()
        return [line for line in map(json.loads, texts) if line["event"] == event]

    def log(self, container: str) -> str:
        """What a container printed."""
        return (self.folder / "log" / f"{container}.log").read_text()


@dataclass(frozen=True)
class PythonRuns:
    """Runs graphs into a folder, with one distribution."""

    out: Path
    distro: str

    def __post_init__(self) -> None:
        wheels_python(self.distro)
        our_middleware(self.distro)

    @property
    def environment(self) -> dict[str, str]:
        """That of somebody who has sourced the distribution."""
        return {**os.environ, "AMENT_PREFIX_PATH": str(WHEELS / self.distro)}

    def start(self, variant: str, *words: str, graph: Path = GRAPH) -> subprocess.Popen[str]:
        """Start a variant."""
        own = ["--variant", variant, "--out", str(self.out), "--quiet"]
        if "--ros" not in words:
            own += ["--domain", f"python_test_{uuid.uuid4().hex[:12]}"]
        command = [*LIGAMENT, "run", str(graph), *own, *words]
        pipe = subprocess.PIPE
        return subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env=self.environment)

    def run(self, variant: str, *words: str, graph: Path = GRAPH) -> Outcome:
        """Run a variant to its end."""
        process = self.start(variant, *words, graph=graph)
        try:
            out, errors = process.communicate(timeout=WATCHDOG_S)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
        folders = sorted(self.out.glob(f"*/{variant}/runs/*"))
        assert folders, errors
        told = subprocess.CompletedProcess(process.args, process.returncode, out, errors)
        return Outcome(told, folders[-1])

    def beside(self, program: str, domain_id: int) -> subprocess.Popen[str]:
        """Start a program in a ROS domain, on the same middleware and without an edge."""
        library = our_middleware(self.distro)
        own = {"LD_PRELOAD": str(library), "LIGAMENT_RMW_EDGE": "off"}
        return subprocess.Popen(
            [str(wheels_python(self.distro)), "-c", program],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**wheels_environment(self.distro, domain_id), **own},
        )  # fmt: skip
