# SPDX-License-Identifier: Apache-2.0
"""The example of the how-to page, compiled as the page says, and seen by the agent."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from mcu_agent import ROOT, StartAgent
from mcu_core import require_programs
from test_agent_wires import UDP

PAGE = ROOT / "docs" / "how-to" / "microcontrollers.md"


def commands(section: str) -> list[str]:
    """Those of a section that build and run an example."""
    text = PAGE.read_text(encoding="utf-8").split(f"## {section}\n")[1].split("\n## ")[0]
    lines = [
        line
        for block in text.split("```console")[1:]
        for line in block.split("```")[0].replace("\\\n", " ").splitlines()
    ]
    return [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]


def test_the_example_publishes(tmp_path: Path, start_agent: StartAgent) -> None:
    if shutil.which("cc") is None:
        pytest.skip("no C compiler (apt install gcc)")
    agent = start_agent(*UDP)
    generate, compile_, run = (
        words.replace("build/imu", str(tmp_path)) for words in commands("Write firmware")
    )
    generate = generate.replace("python", sys.executable, 1)
    run = run.replace("8888", f"{agent.port} 2")
    for command in (generate, compile_.replace("-std=c99", "-std=c99 -Wall -Wextra -Werror"), run):
        done = subprocess.run(
            ["/bin/sh", "-c", command], cwd=ROOT, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
    count = re.search(r"client 00000001: has ended; from it (\d+) samples", agent.stop())
    # Periods that a loaded machine misses are left out.
    assert count is not None and 0 < int(count[1]) <= 201


def test_its_image_starts_as_the_page_says(tmp_path: Path, start_agent: StartAgent) -> None:
    require_programs()
    (tmp_path / "memory").touch()
    here = {
        "$(which python)": sys.executable,
        "build/images": str(tmp_path),
        "/dev/shm/core": str(tmp_path / "memory"),
        "/tmp/core.bell": str(tmp_path / "bell"),
    }
    *before, run = (
        command
        for command in commands("Run it on a core of this chip")
        if not command.startswith("cargo")  # dev/setup does
    )
    for place, ours in here.items():
        before, run = [c.replace(place, ours) for c in before], run.replace(place, ours)
    for command in before:
        subprocess.run(["/bin/sh", "-c", command], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    start_agent("rpmsg", str(tmp_path / "memory"), "--bell", str(tmp_path / "bell"))
    emulator = subprocess.Popen(
        shlex.split(run), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert emulator.stdout is not None
        assert [emulator.stdout.readline().strip() for _ in range(2)] == ["imu", "ready"]
    finally:
        emulator.kill()
        emulator.communicate()
