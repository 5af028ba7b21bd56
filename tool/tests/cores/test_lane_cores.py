# SPDX-License-Identifier: Apache-2.0
"""Lane Following and Lane Planner in an FPGA: the robot drives as with the CPU's, frame by frame.

Each frame that the camera draws follows from the command to the one before: a lane that differed in
a bit would show in all later frames.
"""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from cases import recorded

FRAMES = 15
GRAPH = f"""schema: ligament/graph/1
name: case_lane_cores
nodes:
  road:  # the last node that a container makes: all hear its first frame
    type: driving/road
    parameters:
      {{frames: {FRAMES}, width: 320, height: 240, start: 1.5, offset: 0.05, patience_s: 20.0}}
    remap: {{image_raw: raw, clock: /clock}}
  project:
    type: driving/projection
    parameters: {{width: 250, height: 150}}
    remap: {{image: raw, image_projected: view}}
  follow: {{type: driving/lane_following, remap: {{image: view}}}}
  control: {{type: driving/lane_control, parameters: {{use_sim_time: true}}}}
  plan:
    type: driving/lane_planner
    parameters: {{width: 250, height: 150}}
    remap: {{image: raw, lane_mask: mask}}
  frames: {{type: image/sink, remap: {{image: raw}}}}
  masks: {{type: image/sink, remap: {{image: mask}}}}
topics:
  raw: {{bound_bytes: 300000}}
  view: {{bound_bytes: 200000}}
  lane: {{bound_bytes: 256}}
  mask: {{bound_bytes: 50000}}
variants:
  software: {{containers: one}}
  hardware: {{containers: one, devices: {{follow: fpga0, plan: fpga0}}}}
  wide: {{containers: one, devices: {{follow: fpga0, plan: fpga0}}, fpga: {{pixels: 4}}}}
"""


def run(folder: Path, variant: str) -> dict[str, list[str]]:
    """The hashes of what each sink recorded, without those of a robot that has not moved."""
    names = ("frames", "masks")
    found = recorded(folder, variant, *names, until="road")
    return {
        name: [hash_ for hash_, _ in itertools.groupby(frame["hash"] for frame in frames)]
        for name, frames in zip(names, found, strict=True)
    }


def common(a: list[str], b: list[str]) -> int:
    """How many frames both have, all alike; a sink or the chain may have missed the first."""
    if b[0] not in a:
        a, b = b, a
    a = a[a.index(b[0]) :]
    length = min(len(a), len(b))
    assert a[:length] == b[:length]
    return length


@pytest.fixture(scope="module")
def software(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, list[str]]]:
    folder = tmp_path_factory.mktemp("lane")
    (folder / "graph.yaml").write_text(GRAPH)
    return folder, run(folder, "software")


# Four pixels per cycle: the cores' own benches have them, too, and no other width.
@pytest.mark.parametrize("variant", ["hardware", pytest.param("wide", marks=pytest.mark.full)])
def test_the_robot_drives_as_with_the_nodes_of_the_cpu(
    software: tuple[Path, dict[str, list[str]]], variant: str
) -> None:
    folder, expected = software
    got = run(folder, variant)
    for name, hashes in expected.items():
        assert common(hashes, got[name]) >= FRAMES - 5, name
