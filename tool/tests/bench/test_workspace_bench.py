# SPDX-License-Identifier: Apache-2.0
"""The benchmark of rebuilds, with a stand-in for colcon: what it builds, counts and judges."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from ligament.bench import workspace
from ligament.bench.goals import judged
from ligament.bench.measuring import OURS, Measured, make_row
from ligament.errors import FailureError
from ligament.run.ros_python import RosPython

STAND_IN = f"""#!{sys.executable}
import os, subprocess, sys, time
open(os.environ["TOLD"], "a").write(os.path.basename(os.getcwd()) + "\\n")
if os.environ.get("BROKEN"):
    sys.exit("no such generator")
if os.path.isdir("src/bench_package"):
    time.sleep(0.05)
    busy = "import time\\nwhile time.process_time() < 0.1: pass"
    subprocess.run([sys.executable, "-c", busy])
"""


@pytest.fixture
def both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[workspace.Workspace]:
    """Our workspace and an empty one; colcon writes down where it is started."""
    program = tmp_path / "bin" / "colcon"
    program.parent.mkdir()
    program.write_text(STAND_IN)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    monkeypatch.setenv("TOLD", str(tmp_path / "told"))
    ros = RosPython(Path("/usr/bin/python3"), tmp_path / "ros", {})
    return [workspace.new_workspace(tmp_path, who, "ninja", ros) for who in (OURS, workspace.EMPTY)]


def test_both_are_built_in_turn_and_the_first_builds_do_not_count(
    both: list[workspace.Workspace], tmp_path: Path
) -> None:
    result = Measured([])
    workspace.measure_rebuild("ninja", both, 3, result)
    told = (tmp_path / "told").read_text().split()
    assert told == ["ours", "empty", *["ours", "empty", "empty", "ours"] * 2]
    rows = {(r["peer"], r["metric"]): r for r in result.rows}
    assert {r["n"] for r in result.rows} == {3}
    for metric, least_s in (("rebuild", 0.15), ("rebuild_cpu", 0.1)):  # with what colcon started
        assert rows[OURS, metric]["p50"] >= least_s
        assert rows[OURS, metric]["p50"] > rows[workspace.EMPTY, metric]["p50"]
    (ratio,) = result.comparisons
    assert (ratio["peer"], ratio["kind"], ratio["passes"]) == (workspace.EMPTY, "ratio", 3)
    assert ratio["median"] > 1
    assert (both[0].root / "src" / "bench_package" / "nodes").is_dir()
    assert "-GNinja" in both[0].command


def test_what_colcon_says_last_is_told(
    both: list[workspace.Workspace], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BROKEN", "1")
    broken = workspace.Workspace("x", both[1].root, both[1].command, {**os.environ})
    with pytest.raises(FailureError, match=r"colcon failed:\n  no such generator"):
        broken.build()


@pytest.mark.parametrize(("seconds", "verdict"), [(1.9, "reached"), (2.1, "missed")])
def test_the_goal_is_two_seconds(seconds: float, verdict: str) -> None:
    row = make_row("workspace", {"generator": "make"}, "rebuild", "s", seconds)
    result: dict[str, Any] = {"rows": [row]}
    (line,) = judged(workspace.FIGURES, result)
    assert line.verdict == verdict
