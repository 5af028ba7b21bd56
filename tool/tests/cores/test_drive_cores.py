# SPDX-License-Identifier: Apache-2.0
"""The driving graph's pixel nodes as one design: every frame as the CPU's, in dataflow and wide."""

from __future__ import annotations

from pathlib import Path

from cases import recorded

FRAMES = 3
ON_FPGA = "{compensate: fpga0, smooth: fpga0, project: fpga0}"
GRAPH = f"""schema: ligament/graph/1
name: case_drive_cores
nodes:
  camera:
    type: image/camera
    parameters: {{frames: {FRAMES}, encoding: bgr8, pacing: ack, ack_timeout_ms: 60000}}
    remap: {{image_raw: raw}}
  compensate: {{type: driving/compensation, remap: {{image: raw, image_compensated: spread}}}}
  smooth: {{type: image/blur, remap: {{image: spread, image_blurred: smoothed}}}}
  project:
    type: driving/projection
    parameters: {{camera_height: 0.2, camera_pitch: 30.0, far_edge: 0.9}}
    remap: {{image: smoothed, image_projected: projected}}
  sink: {{type: image/sink, parameters: {{frames: {FRAMES}}}, remap: {{image: projected}}}}
topics:
  raw: {{bound_bytes: 1000000}}
  projected: {{bound_bytes: 2000000}}
variants:
  software: {{containers: separate}}
  hardware: {{devices: {ON_FPGA}}}
  wide: {{devices: {ON_FPGA}, fpga: {{pixels: 4, in_flight: {FRAMES}}}}}
"""


def test_pixel_cores_give_the_frames_of_the_cpu(tmp_path: Path) -> None:
    (tmp_path / "graph.yaml").write_text(GRAPH)
    (expected,) = recorded(tmp_path, "software", "sink")
    assert len(expected) == FRAMES
    for variant in ("hardware", "wide"):
        assert recorded(tmp_path, variant, "sink") == [expected], variant
