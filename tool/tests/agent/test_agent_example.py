# SPDX-License-Identifier: Apache-2.0
"""The example of the how-to page, compiled as the page says, and seen by the agent."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from mcu_agent import ROOT, StartAgent
from test_agent_wires import UDP

PAGE = ROOT / "docs" / "how-to" / "microcontrollers.md"


def commands() -> list[list[str]]:
    """Those of the section that builds and runs it."""
    section = PAGE.read_text(encoding="utf-8").split("## Write firmware")[1]
    block = section.split("```console")[1].split("```")[0].replace("\\\n", " ")
    return [line.removeprefix("$ ").split() for line in block.strip().splitlines()]


def test_the_example_publishes(tmp_path: Path, start_agent: StartAgent) -> None:
    if shutil.which("cc") is None:
        pytest.skip("no C compiler (apt install gcc)")
    agent = start_agent(*UDP)
    generate, compile_, run = (
        " ".join(words).replace("build/imu", str(tmp_path)) for words in commands()
    )
    generate = generate.replace("python", sys.executable, 1)
    run = run.replace("8888", f"{agent.port} 2")
    for command in (generate, compile_.replace("-std=c99", "-std=c99 -Wall -Wextra -Werror"), run):
        done = subprocess.run(
            ["/bin/sh", "-c", command], cwd=ROOT, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
    count = re.search(r"client 00000001: has ended; from it (\d+) samples", agent.stop())
    assert count is not None and int(count[1]) == 200
