# SPDX-License-Identifier: Apache-2.0
"""Parameters of a node on a core, as real rclpy sees and sets them; the core lives by them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
from dds_domain import dds_domain
from mcu_runs import LIGAMENT, emulator_of, ligament, own_domain, require_core
from ros2_wheels import wheels_environment, wheels_python

PEER = Path(__file__).with_name("mcu_parameter_peer.py")
MANIFEST = """
schema: ligament/node/1
type: test/gauge
description: Sends what its parameters say.
ports:
  value: {direction: out, message: std_msgs/msg/Float64, description: The value.}
parameters:
  gain: {type: double, default: 1.0, description: Of the value.}
  is_on: {type: bool, default: true, description: "Else the value is 0."}
  label: {type: string, default: none, description: Fixed.}
  offset: {type: integer, default: 7, range: [-1000, 1000], description: To be sent.}
  rate: {type: integer, default: 20, range: [0, 100], description: How often.}
implementations:
  mcu: {sources: [gauge.c], timers: {send: {rate: rate}}}
"""
CODE = """
#include "test_gauge.h"

void test_gauge_start(test_gauge_t* node) { test_gauge_log(node, node->parameters.label); }

void test_gauge_on_send(test_gauge_t* node) {
  std_msgs__msg__Float64 message = {.data = 0};
  if (node->parameters.is_on) {
    message.data = node->parameters.gain * (double)node->parameters.offset;
  }
  (void)test_gauge_publish_value(node, &message);
}
"""
GRAPH = """
schema: ligament/graph/1
name: gauge
packages: [nodes]
nodes:
  gauge: {type: test/gauge}
variants:
  mcu: {containers: separate, devices: {gauge: mcu0}}
  c99: {containers: separate}
default_variant: mcu
"""


class Peer:
    """The rclpy node."""

    def __init__(self, domain_id: int) -> None:
        self.process = subprocess.Popen(
            [wheels_python("jazzy"), PEER], text=True,
            env=wheels_environment("jazzy", domain_id), stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )  # fmt: skip
        assert self._answer() == "ready"

    def _answer(self) -> Any:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, "the rclpy node has ended"
        return json.loads(line)

    def ask(self, *words: object) -> Any:
        assert self.process.stdin is not None
        print(*words, file=self.process.stdin, flush=True)
        return self._answer()


def project(folder: Path) -> Path:
    node = folder / "nodes" / "gauge"
    node.mkdir(parents=True)
    (node / "node.yaml").write_text(MANIFEST)
    (node / "gauge.c").write_text(CODE)
    (folder / "graph.yaml").write_text(GRAPH)
    return folder / "graph.yaml"


def look_and_set(peer: Peer) -> None:
    done = {"successful": True, "reason": ""}
    assert peer.ask("about") == {
        "gain": ["Of the value.", False, 2.0, []],
        "is_on": ["Else the value is 0.", False, True, []],
        "label": ["Fixed.", True, "none", []],
        "offset": ["To be sent.", False, 7, [[-1000, 1000]]],
    }
    assert peer.ask("until", 14) == 14, "--set reaches the core"
    assert peer.ask("set", "offset", 11) == done
    assert peer.ask("until", 22) == 22
    refused = peer.ask("set", "offset", 5000)
    assert not refused["successful"] and "1000" in refused["reason"]
    assert not peer.ask("set", "label", '"other"')["successful"]
    assert peer.ask("about")["offset"][2] == 11
    assert peer.ask("set", "is_on", "false") == done
    assert peer.ask("until", 0) == 0
    assert peer.ask("set", "is_on", "true") == done
    assert peer.ask("set", "gain", -0.5) == done
    assert peer.ask("set", "rate", 50) == done
    assert peer.ask("until", -5.5) == -5.5


@pytest.mark.timeout(600)
@pytest.mark.parametrize("variant", ["c99", "mcu"])
def test_rclpy_lists_describes_gets_and_sets(tmp_path: Path, variant: str) -> None:
    require_core()
    wheels_python("jazzy")
    graph = project(tmp_path / "project")
    place = ["--variant", variant, "--platform", "mcu_sim", "--out", str(tmp_path / "out")]
    ligament("build", graph, *place)
    with dds_domain() as domain_id:
        words = ["--set", "gauge.gain=2.0", "--edge", "--domain-id", str(domain_id)]
        run = subprocess.Popen(
            [*LIGAMENT, "run", str(graph), *place, *words, *own_domain(), "--duration", "300"],
            env={**os.environ, "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"}, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        peer = None
        try:
            peer = Peer(domain_id)
            look_and_set(peer)
            if variant == "mcu":  # one that starts again knows what was set
                os.kill(emulator_of(run.pid), signal.SIGKILL)
                assert peer.ask("until", -5.5) == -5.5
        finally:
            if peer is not None:
                peer.process.kill()
                peer.process.communicate()
            run.send_signal(signal.SIGINT)
            said, _ = run.communicate(timeout=120)
            print(said)
