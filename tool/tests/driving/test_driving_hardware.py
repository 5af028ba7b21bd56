# SPDX-License-Identifier: Apache-2.0
"""The whole driving graph as one design in a simulated FPGA: the robot drives as in software."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

from driving_graph import GRAPH, Driven, drive_graph
from driving_ros import LIGAMENT

VARIANT = "hardware_topics"
#: Simulated seconds: it drives, and stands at the red light.
SHORT: dict[str, Any] = {"seconds": 4, "rate_hz": 10}
VIEW: dict[str, Any] = {"image_projection__width": 250, "image_projection__height": 150}


def driven(run: Driven) -> list[Any]:
    assert run.code == 0, run.said
    assert (run.end["missed"], run.end["extra"]) == (0, 0)
    return [(frame["command"], frame["x"], frame["y"]) for frame in run.frames]


def test_the_robot_drives_and_stops_as_in_software(lanes: Path, domain_id: int) -> None:
    words = ["build", str(GRAPH), "-v", VARIANT, "-p", "fpga_sim", "-o", str(lanes.parent)]
    subprocess.run([*LIGAMENT, *words], check=True)
    expected = driven(drive_graph(lanes, domain_id, variant="one_process", **SHORT, **VIEW))
    run = drive_graph(lanes, domain_id, variant=VARIANT, **SHORT, **VIEW)
    assert driven(run) == expected
    assert len(expected) == SHORT["seconds"] * SHORT["rate_hz"] + 1
    speeds = [command[0] for command, _, _ in expected]
    assert max(speeds) > 0.1 and speeds[-1] == 0.0
    assert run.frames[-1]["light"] == "red"
