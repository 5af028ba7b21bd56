# SPDX-License-Identifier: Apache-2.0
"""The graphs that checks of kernels run: a camera, one node on the platform's device, a sink.

For GPUs and FPGAs it is what `ligament new package` writes, and beside it two such nodes one behind
the other. For microcontrollers it is a node in C99 that gets images small enough for its memory: so
each message goes into the core and out of it.
"""

from __future__ import annotations

from pathlib import Path

from ligament.new import write_new

NAME = "conformance"
"""Of the graph, and of the node that is on the device."""
GRAPH, CHAIN = "graph.yaml", "chain.yaml"
VARIANT = {"fpga": "hardware", "gpu": "gpu", "mcu": "core"}
"""The variant with the node on a device, by the device's kind."""
HOPS = {"fpga": 2, "gpu": 2, "mcu": 3}
"""Topics from the camera to the sink, by the device's kind."""

_CHAIN = """schema: ligament/graph/1
name: conformance_chain
packages: [nodes]
nodes:
  camera:
    type: image/camera
    parameters: {{frames: 6, encoding: mono8, pacing: ack, in_flight: 1}}
    remap: {{image_raw: /image}}
  first: {{type: conformance/conformance, remap: {{image: /image, result: /between}}}}
  second: {{type: conformance/conformance, remap: {{image: /between, result: /result}}}}
  sink: {{type: image/sink, parameters: {{frames: 6}}, remap: {{image: /result}}}}
topics:
  /image: {{bound_bytes: 1000000}}
  /between: {{bound_bytes: 1000000}}
  /result: {{bound_bytes: 1000000}}
variants:
  software: {{description: All on processors.}}
  {variant}:
    description: Both on one device.
    devices: {{first: {device}, second: {device}}}
    containers: {{camera: [camera], kernels: [first, second], sink: [sink]}}
default_variant: software
check: {{sink: sink, compare: exact}}
"""
_CORE = """schema: ligament/graph/1
name: conformance
packages: [nodes]
nodes:
  camera:
    type: image/camera
    parameters: {{frames: 6, encoding: mono8, pacing: ack, in_flight: 1}}
    remap: {{image_raw: /camera/image_raw, camera_info: /camera/camera_info}}
  resize:
    type: image/resize
    parameters: {{scale_height: 0.0625, scale_width: 0.0625}}
    remap: {{image/image_raw: /camera/image_raw, image/camera_info: /camera/camera_info}}
  conformance: {{type: conformance/negative, remap: {{image: /resize/image_raw, result: /result}}}}
  sink: {{type: image/sink, parameters: {{frames: 6}}, remap: {{image: /result}}}}
variants:
  software: {{description: All on processors., containers: separate}}
  core:
    description: One node is firmware.
    containers: separate
    devices: {{conformance: {device}}}
default_variant: software
check: {{sink: sink, compare: exact}}
"""
_NODE = """schema: ligament/node/1
type: conformance/negative
description: Turns each byte of an image into 255 less it.
ports:
  image: {direction: in, message: sensor_msgs/msg/Image, description: The image., qos: {depth: 5}}
  result: {direction: out, message: sensor_msgs/msg/Image, description: Negative., qos: {depth: 5}}
implementations:
  mcu: {sources: [negative.c], bounds: [bounds.yaml]}
state: none
"""
_BOUNDS = """schema: ligament/bounds/1
bounds:
  sensor_msgs/msg/Image: {encoding: 15, data: 2048}
  std_msgs/msg/Header: {frame_id: 31}
"""
_SOURCE = """#include "conformance_negative.h"

void conformance_negative_start(conformance_negative_t* node) { (void)node; }

void conformance_negative_on_image(conformance_negative_t* node,
                                   const sensor_msgs__msg__Image* image) {
  static sensor_msgs__msg__Image out;
  out = *image;
  for (uint32_t i = 0; i < image->data.count; ++i) {
    out.data.values[i] = (uint8_t)(255 - image->data.values[i]);
  }
  (void)conformance_negative_publish_result(node, &out);
}
"""


def write_graphs(folder: Path, kind: str, device: str) -> None:
    """Write the graphs for a device of a kind into a folder, if it is not there."""
    if folder.exists():
        return
    if kind == "mcu":
        node = folder / "nodes" / "negative"
        node.mkdir(parents=True)
        for path, text in {
            folder / GRAPH: _CORE.format(device=device),
            node / "node.yaml": _NODE,
            node / "bounds.yaml": _BOUNDS,
            node / "negative.c": _SOURCE,
        }.items():
            path.write_text(text, encoding="utf-8")
        return
    write_new("package", folder)
    chain = _CHAIN.format(variant=VARIANT[kind], device=device)
    (folder / CHAIN).write_text(chain, encoding="utf-8")
