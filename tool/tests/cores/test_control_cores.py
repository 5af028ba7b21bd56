# SPDX-License-Identifier: Apache-2.0
"""Polyfit, Lane Control and both light detectors in an FPGA: the robot drives as with the CPU's.

Each frame that the camera draws follows from the command to the one before. The light turns red and
green again on the way; the detectors hear each other, so the design has a loop of topics.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from cases import recorded

FRAMES = 45
LAMP = "diameter_from: 3, confirm: 2"
GRAPH = f"""schema: ligament/graph/1
name: case_control_cores
nodes:
  road:  # the last node that a container makes: all hear its first frame
    type: driving/road
    parameters:
      {{frames: {FRAMES}, width: 320, height: 240, start: 0.5, offset: 0.05, red_from: 10,
        red_frames: 12, patience_s: 20.0}}
    remap: {{image_raw: raw, clock: /clock}}
  plan:
    type: driving/lane_planner
    parameters: {{width: 250, height: 150}}
    remap: {{image: raw, lane_mask: mask}}
  fit: {{type: driving/polyfit, remap: {{image: mask}}}}
  control: {{type: driving/lane_control, parameters: {{use_sim_time: true, light_delay_ms: 60}}}}
  red_light:
    type: driving/red_light
    parameters: {{{LAMP}, alternates: true}}
    remap: {{image: raw}}
  green_light: {{type: driving/green_light, parameters: {{{LAMP}}}, remap: {{image: raw}}}}
  frames: {{type: image/sink, remap: {{image: raw}}}}
topics:
  raw: {{bound_bytes: 300000}}
  mask: {{bound_bytes: 50000}}
  lane: {{bound_bytes: 256}}
  red: {{bound_bytes: 128}}
  green: {{bound_bytes: 128}}
  cmd_vel: {{bound_bytes: 64}}
variants:
  software: {{containers: one}}
  hardware:
    containers: one
    devices: {{fit: fpga0, control: fpga0, red_light: fpga0, green_light: fpga0}}
    fpga: {{pixels: 4}}
  nodes:
    containers: one
    devices: {{fit: fpga0, control: fpga0, red_light: fpga0, green_light: fpga0}}
    transports: {{raw: [shm], lane: [shm], red: [shm], green: [shm]}}
"""


def run(folder: Path, variant: str) -> list[str]:
    """The hashes of the frames that the sink recorded; it may have missed the first."""
    (frames,) = recorded(folder, variant, "frames", until="road")
    return [frame["hash"] for frame in frames]


@pytest.fixture(scope="module")
def software(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """The folder, and what the CPU's nodes made the camera see."""
    folder = tmp_path_factory.mktemp("control")
    (folder / "graph.yaml").write_text(GRAPH)
    return folder, run(folder, "software")


@pytest.mark.parametrize("variant", ["hardware", "nodes"])
def test_the_robot_drives_and_stops_as_with_the_nodes_of_the_cpu(
    software: tuple[Path, list[str]], variant: str
) -> None:
    folder, frames = software
    # It drives, stands at the red light, and goes on.
    assert len(set(frames)) > FRAMES // 2
    assert any(a == b for a, b in pairwise(frames[5:]))
    assert frames[-1] != frames[-2]
    got = run(folder, variant)
    count = min(len(got), len(frames))
    assert count >= FRAMES - 1
    assert got[-count:] == frames[-count:]
