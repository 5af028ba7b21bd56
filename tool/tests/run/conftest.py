# SPDX-License-Identifier: Apache-2.0
"""One built graph for all tests that run real containers; each test gets a copy to spoil."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
LIGAMENT = [sys.executable, "-m", "ligament.cli.main"]


@pytest.fixture(scope="session")
def built_chat(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the built chat graph, with both variants; built once for all workers."""
    root = tmp_path_factory.getbasetemp()
    if os.environ.get("PYTEST_XDIST_WORKER"):
        root = root.parent
    with (root / "chat.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for variant in ("processes", "one_process"):
            if not (root / "chat" / "run_test_chat" / variant / "build.json").exists():
                words = ["build", str(HERE / "chat.yaml"), "-v", variant, "-o", str(root / "chat")]
                subprocess.run([*LIGAMENT, *words], check=True)
    return root / "chat" / "run_test_chat"


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

    def record(self, variant: str = "processes") -> dict[str, Any]:
        """The run.json of the newest run."""
        path = sorted((self.folder / variant / "runs").glob("*/run.json"))[-1]
        data: dict[str, Any] = json.loads(path.read_text())
        return data


@pytest.fixture
def chat(built_chat: Path, tmp_path: Path) -> Iterator[Chat]:
    """A graph to run and to spoil."""
    shutil.copytree(built_chat, tmp_path / "chat", ignore=shutil.ignore_patterns("work", "runs"))
    chat = Chat(tmp_path / "chat")
    yield chat
    for process in chat.started:
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            process.wait()
