# SPDX-License-Identifier: Apache-2.0
"""The image nodes that work on bytes, and convert, as one design: every frame as the CPU's."""

from __future__ import annotations

from pathlib import Path

from cases import recorded

FRAMES = 3
GRAPH = f"""schema: ligament/graph/1
name: case_image_cores
nodes:
  camera:
    type: image/camera
    parameters: {{frames: {FRAMES}, encoding: rgb8, pacing: ack, ack_timeout_ms: 60000}}
    remap: {{image_raw: raw}}
  swap:
    type: image/convert
    parameters: {{encoding: bgra8}}
    remap: {{image: raw, image_converted: swapped}}
  grey:
    type: image/convert
    parameters: {{encoding: mono8}}
    remap: {{image: swapped, image_converted: greyed}}
  level:
    type: image/threshold
    parameters: {{type: to_zero, threshold: 60}}
    remap: {{image: greyed, image_thresholded: levelled}}
  spread: {{type: image/equalise, remap: {{image: levelled, image_equalised: even}}}}
  sum: {{type: image/checksum, remap: {{image: even, image_copy: copied}}}}
  sink: {{type: image/sink, parameters: {{frames: {FRAMES}}}, remap: {{image: copied}}}}
topics:
  raw: {{bound_bytes: 1000000}}
  even: {{bound_bytes: 400000}}
  copied: {{bound_bytes: 400000}}
  checksum: {{bound_bytes: 64}}
variants:
  software: {{containers: separate}}
  hardware: {{devices: {{swap: fpga0, grey: fpga0, level: fpga0, spread: fpga0, sum: fpga0}}}}
  wide:
    devices: {{swap: fpga0, grey: fpga0, level: fpga0, spread: fpga0, sum: fpga0}}
    fpga: {{pixels: 4}}
  natively: {{devices: {{sum: fpga0}}}}
"""


def test_cores_give_the_frames_of_the_cpu(tmp_path: Path) -> None:
    (tmp_path / "graph.yaml").write_text(GRAPH)
    (expected,) = recorded(tmp_path, "software", "sink")
    assert len(expected) == FRAMES
    # "wide": all on streams of 128 bits, four pixels of four channels per cycle.
    for variant in ("hardware", "wide"):
        assert recorded(tmp_path, variant, "sink") == [expected], variant
    assert recorded(tmp_path, "natively", "sink", platform="fpga_sw_emu") == [expected]
