# SPDX-License-Identifier: Apache-2.0
"""A built chat graph that a test may run and spoil."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import uuid
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

LIGAMENT = [sys.executable, "-m", "ligament.cli.main"]


@dataclass
class Chat:
    """A copy of the built graph, with a domain of its own."""

    folder: Path
    domain: str = field(default_factory=lambda: f"run_test_{uuid.uuid4().hex[:12]}")
    started: list[subprocess.Popen[str]] = field(default_factory=list)

    def set(self, node: str, variant: str = "processes", **parameters: object) -> Chat:
        """Change a node's parameters in the generated configuration, by hand as it were."""
        for path in (self.folder / variant / "gen/containers").glob("*.json"):
            data = json.loads(path.read_text())
            for entry in data["nodes"]:
                if entry["id"] == node:
                    entry["parameters"].update(parameters)
            path.write_text(json.dumps(data))
        return self

    def set_qos(self, variant: str = "processes", **policies: object) -> Chat:
        """Change the quality of service of every port in the generated configuration."""
        for path in (self.folder / variant / "gen/containers").glob("*.json"):
            data = json.loads(path.read_text())
            for entry in data["nodes"]:
                for port in entry["qos"].values():
                    port.update(policies)
            path.write_text(json.dumps(data))
        return self

    def start(
        self, *words: str, variant: str = "processes", env: dict[str, str] | None = None
    ) -> subprocess.Popen[str]:
        """Start `ligament run` on it."""
        build = self.folder / variant / "build.json"
        process = subprocess.Popen(
            [*LIGAMENT, "run", str(build), "--domain", self.domain, *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **(env or {})},
        )
        self.started.append(process)
        return process

    def run(
        self, *words: str, variant: str = "processes", env: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run it to its end."""
        process = self.start(*words, variant=variant, env=env)
        out, err = process.communicate(timeout=120)
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    def last_status(self, node: str, variant: str = "processes") -> dict[str, Any]:
        """The last figures of a node in the newest run."""
        path = sorted((self.folder / variant / "runs").glob("*/status.jsonl"))[-1]
        events = [json.loads(line) for line in path.read_text().splitlines()]
        entries = [n for e in events if e["event"] == "status" for n in e["nodes"]]
        found: dict[str, Any] = [entry for entry in entries if entry["id"] == node][-1]
        return found

    def record(self, variant: str = "processes") -> dict[str, Any]:
        """The run.json of the newest run."""
        path = sorted((self.folder / variant / "runs").glob("*/run.json"))[-1]
        data: dict[str, Any] = json.loads(path.read_text())
        return data
