# SPDX-License-Identifier: Apache-2.0
"""One built graph for all tests that run real containers; each test gets a copy to spoil."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from run_chat import LIGAMENT, Chat

HERE = Path(__file__).parent


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
