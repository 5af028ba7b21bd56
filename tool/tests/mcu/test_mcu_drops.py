# SPDX-License-Identifier: Apache-2.0
"""Messages that exceed a bound: the core drops them, and the run says so."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from mcu_runs import ligament, newest_run, own_domain, require_core

EAR = """
schema: ligament/node/1
type: test/ear
description: Hears temperatures, and does nothing.
ports:
  first:
    direction: in
    message: sensor_msgs/msg/Temperature
    description: One.
    optional: true
    qos: {depth: 5}
  second:
    direction: in
    message: sensor_msgs/msg/Temperature
    description: Two.
    optional: true
    qos: {depth: 5}
implementations:
  mcu: {sources: [ear.c]}
state: none
"""
HEARS = """
#include "test_ear.h"

void test_ear_start(test_ear_t* node) { test_ear_log(node, "hears"); }
void test_ear_on_first(test_ear_t* node, const sensor_msgs__msg__Temperature* message) {
  (void)node;
  (void)message;
}
void test_ear_on_second(test_ear_t* node, const sensor_msgs__msg__Temperature* message) {
  (void)node;
  (void)message;
}
"""
MOUTH = """
schema: ligament/node/1
type: test/mouth
description: Says temperatures, of which each third names a frame that no core has room for.
ports:
  said: {direction: out, message: sensor_msgs/msg/Temperature, description: It, qos: {depth: 5}}
implementations:
  cpu: {sources: [mouth.cpp], class: "test::Mouth"}
state:
  - {name: count, description: How many it has said.}
"""
SAYS = """
#include <ligament/ligament.hpp>
#include <ligament/sensor_msgs/msg/temperature.hpp>

namespace test {
class Mouth : public ligament::Node {
 public:
  explicit Mouth(const ligament::NodeOptions& options) : Node("mouth", options) {
    publisher_ = create_publisher<Temperature>("said", ligament::QoS(5));
    timer_ = create_wall_timer(std::chrono::milliseconds(20), [this] {
      if (publisher_->get_subscription_count() < 2 || count_ == 30) return;
      Temperature message;
      message.header.frame_id = std::string(++count_ % 3 == 0 ? 100 : 5, 'x');
      publisher_->publish(message);
    });
  }

 private:
  using Temperature = ligament::sensor_msgs::msg::Temperature;
  int count_ = 0;
  std::shared_ptr<ligament::Publisher<Temperature>> publisher_;
  std::shared_ptr<ligament::TimerBase> timer_;
};
}  // namespace test

LIGAMENT_REGISTER_NODE(test::Mouth)
"""
GRAPH = """
schema: ligament/graph/1
name: bounded
packages: [nodes]
nodes:
  mouth: {type: test/mouth, remap: {said: /said}}
  ear: {type: test/ear, remap: {second: /said}}
  other: {type: test/ear, remap: {first: /said}}
topics: {/said: {bound_bytes: 256}}
variants:
  mcu:
    containers: one
    devices: {ear: mcu0, other: mcu0}
default_variant: mcu
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    require_core()
    for name, files in {
        "ear": {"node.yaml": EAR, "ear.c": HEARS},
        "mouth": {"node.yaml": MOUTH, "mouth.cpp": SAYS},
    }.items():
        folder = tmp_path / "nodes" / name
        folder.mkdir(parents=True)
        for file, text in files.items():
            (folder / file).write_text(text)
    (tmp_path / "graph.yaml").write_text(GRAPH)
    return tmp_path / "graph.yaml"


def dropped(run: Path) -> dict[tuple[str, str], int]:
    """What the last status lines count as not well formed, by node and topic."""
    found: dict[tuple[str, str], int] = {}
    for line in (run / "status.jsonl").read_text().splitlines():
        for node in json.loads(line).get("nodes", []):
            for end in node.get("subscriptions", []):
                found[node["id"], end["topic"]] = end.get("invalid", 0)
    return found


@pytest.mark.timeout(600)
def test_messages_over_a_bound_are_counted_where_they_were_dropped(
    project: Path, tmp_path: Path
) -> None:
    place = ["--platform", "mcu_sim", "--out", str(tmp_path / "out")]
    ligament("build", project, *place)
    words = [*place, *own_domain(), "--duration", "5", "--quiet"]
    said = ligament("run", project, *words, status=1)
    run = newest_run(tmp_path / "out" / "bounded" / "mcu")
    counts = dropped(run)
    assert counts["/ear", "/said"] == counts["/other", "/said"] == 10
    assert sum(counts.values()) == 20
    assert "a message on /said exceeds a bound of its fields and is dropped by the core" in said
    record: dict[str, Any] = json.loads((run / "run.json").read_text())
    assert "/ear was not given 10 of /said: not well formed" in str(record["losses"])
    top = json.loads(ligament("top", run, "--once", "--json"))
    (topic,) = [row for row in top["topics"] if row["topic"] == "/said"]
    assert topic["dropped"] == 20
