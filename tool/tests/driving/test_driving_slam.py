# SPDX-License-Identifier: Apache-2.0
"""SLAM in closed loop: its error by the definition of evo, its map, and what the page shows."""

from __future__ import annotations

import json
import math
import re
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from driving_place import DRIVING, WATCHDOG_S, use_sources
from driving_ros import LIGAMENT, dds_domain, environment
from test_driving_report import log, report

use_sources()
from drive_report.log import LogError, read_log  # noqa: E402
from drive_report.trajectory import align, rmse, slam_figures  # noqa: E402

#: Of the path, which a drive of few and small pictures must keep, too.
MOST_SHARE = 0.02
MAP = {"keyframes": 7, "points": 300, "loops_closed": 1}


def told(path: Path, scale: float = 1.0, noise: float = 0.0, count: int = 100) -> Path:
    """A drive with a SLAM whose map is turned, shifted and of another scale than the world."""
    log(path)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    frames = [line for line in lines if line["event"] == "frame"][:count]
    for number, frame in enumerate(frames):
        x, y = scale * frame["x"], scale * frame["y"] + noise * (-1) ** number
        pose = {"x": 3 - y, "y": 2 + x, "yaw": frame["yaw"] + math.pi / 2}
        lines.insert(-1, {"event": "estimate", "t": frame["t"], **pose})
    lines.insert(-1, {"event": "map", "t": 5.0, **MAP})
    lines.insert(-1, {"event": "map_end", "points": [[3, 2], [3.1, 2.1]], "keyframes": [[3, 2]]})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def figures_of(path: Path) -> dict[str, Any]:
    found = slam_figures(read_log(path))
    assert found is not None
    return found


def test_turn_and_shift_of_the_map_are_no_error(tmp_path: Path) -> None:
    found = figures_of(told(tmp_path / "drive.jsonl"))
    assert found["ate_rmse_m"] == pytest.approx(0.0, abs=1e-9)
    assert found["goal_met"] and found["poses"] == 100
    assert found["path_m"] == pytest.approx(2.0, abs=0.2)
    assert found["keyframes"] == 7 and found["laps"] == [{"lap": 1, "keyframes": 7, "points": 300}]


def test_the_error_is_what_is_left(tmp_path: Path) -> None:
    found = figures_of(told(tmp_path / "drive.jsonl", noise=0.01))
    assert found["ate_rmse_m"] == pytest.approx(0.01, rel=0.02)
    assert found["ate_share"] == pytest.approx(0.01 / found["path_m"], rel=0.02)


def test_a_map_of_another_scale_misses_the_goal(tmp_path: Path) -> None:
    found = figures_of(told(tmp_path / "drive.jsonl", scale=1.2))
    assert found["ate_share"] > MOST_SHARE and not found["goal_met"]


def test_a_mirrored_way_is_not_turned_into_the_real_one() -> None:
    real = np.array([(0, 0), (1, 0), (1, 1), (0, 2)], float)
    lies = align(real * [1, -1], real)
    assert np.linalg.det(lies.turn) == pytest.approx(1.0)
    assert rmse(lies.place(real * [1, -1]), real) > 0.1


def test_the_page_shows_the_map_beside_the_path(tmp_path: Path) -> None:
    drive = told(tmp_path / "drive.jsonl")
    done = report(drive, "--json", tmp_path / "out.json", "--html", tmp_path / "page.html")
    assert done.returncode == 0, done.stderr
    assert "SLAM: error 0.0 cm, 0.00 % of" in done.stdout and "1 loops closed" in done.stdout
    (one,) = json.loads((tmp_path / "out.json").read_text())["drives"]
    assert one["slam"]["loops_closed"] == 1
    page = (tmp_path / "page.html").read_text()
    assert "The map of SLAM from above" in page and "told by SLAM" in page
    assert "a loop was closed after 5.0 s" in page
    plain = report(log(tmp_path / "plain.jsonl"), "--html", tmp_path / "plain.html")
    assert plain.returncode == 0 and "SLAM" not in plain.stdout
    assert "SLAM" not in (tmp_path / "plain.html").read_text()


def test_few_poses_are_no_error(tmp_path: Path) -> None:
    done = report(told(tmp_path / "drive.jsonl", count=5), "--html", tmp_path / "page.html")
    assert done.returncode == 0, done.stderr
    assert "SLAM told 5 poses: too few for an error" in done.stdout


@pytest.mark.parametrize("line", [{"event": "estimate", "t": 1.0}, {"event": "map", "t": "late"}])
def test_a_line_that_is_none_of_ours_is_refused(tmp_path: Path, line: dict[str, Any]) -> None:
    drive = log(tmp_path / "drive.jsonl")
    drive.write_text(drive.read_text() + json.dumps(line) + "\n" + '{"event": "end"}\n')
    with pytest.raises(LogError, match=r"line 106: .* has no number"):
        read_log(drive)


#: A lap of few and small pictures; about a minute of a core. Its waits are watchdogs.
LAP = {"laps": 1, "width": 320, "height": 240, "rate_hz": 15, "animation": 0, "red_laps": "[9]",
       "reply_timeout_s": 120.0, "start_timeout_s": 300.0}  # fmt: skip


def test_slam_follows_a_driven_lap(tmp_path: Path) -> None:
    options = [f"--set=simulator.{name}={value}" for name, value in LAP.items()]
    command = [*LIGAMENT, "run", str(DRIVING / "graph_slam.yaml"), "--variant", "one_process",
               "--out", str(tmp_path / "out"), "--quiet", *options]  # fmt: skip
    with dds_domain() as domain_id:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=3 * WATCHDOG_S, cwd=tmp_path,
            env=environment(domain_id),
        )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    (run,) = (tmp_path / "out").glob("*/one_process/runs/*")
    found = figures_of(run / "outputs" / "drive.jsonl")
    assert found["ate_share"] is not None and found["ate_share"] <= MOST_SHARE, found
    # Each image has its pose, but for the first ones and the last one, which nobody waits for.
    assert found["poses"] >= found["frames"] - 3
    assert found["keyframes"] >= 20 and found["points"] >= 200
    assert re.search(r"event\": \"map_end\"", (run / "outputs" / "drive.jsonl").read_text())
