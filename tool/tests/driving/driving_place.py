# SPDX-License-Identifier: Apache-2.0
"""Where examples/driving is, and the Python in which its simulator runs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

REPO = Path(__file__).resolve().parents[3]
DRIVING = REPO / "examples" / "driving"
JAZZY = REPO / "build" / "ros" / "jazzy"
WATCHDOG_S = 300.0
#: Small pictures, few of them: a lap takes two seconds of a core.
SMALL = {"laps": 1, "width": 160, "height": 120, "rate_hz": 15, "animation": 0}
LAP = """
import json, sys
from pathlib import Path
from sim.drive import Drive
from sim.options import Options
from sim.steering import Steering
options, log, most, change = json.loads(sys.argv[1])
drive = Drive(Options(**options), Path(log))
steering = Steering(drive.options.width, drive.options.height)
for number in range(most):
    if drive.over:
        break
    frame = drive.next_frame()
    if frame.picture is not None:
        command = steering(frame.picture)
        if change:
            command = eval(change, {"command": command, "number": number})
        drive.command(*command)
    drive.advance()
drive.close()
"""


def use_sources() -> None:
    """Let tests import what needs no MuJoCo."""
    if str(DRIVING) not in sys.path:
        sys.path.insert(0, str(DRIVING))


def python() -> Path:
    """The Python with MuJoCo; skips where there is none."""
    if not list(JAZZY.glob("lib/python*/site-packages/mujoco")):
        pytest.skip("MuJoCo is not installed (dev/setup --test)")
    return JAZZY / "bin" / "python"


def run_python(
    code: str, *words: str, environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run code in that Python."""
    clean = {"PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1", **(environment or {})}
    return subprocess.run(
        [str(python()), "-c", code, *words],
        capture_output=True, text=True, timeout=WATCHDOG_S, cwd=DRIVING, env=clean,
    )  # fmt: skip


def drive(log: Path, most: int = 2000, change: str = "", **options: Any) -> list[dict[str, Any]]:
    """Drive with the small driver, without ROS; return the lines of the log.

    `change` is an expression of `command` and `number` that is sent instead of the command.
    """
    words = json.dumps([{**SMALL, **options}, str(log), most, change])
    done = run_python(LAP, words)
    assert done.returncode == 0, done.stdout + done.stderr
    return [json.loads(line) for line in log.read_text().splitlines()]


def frames_of(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The frames, without what is of real time."""
    frames = [dict(line) for line in lines if line["event"] == "frame"]
    for frame in frames:
        frame.pop("reply_ms", None)
    return frames
