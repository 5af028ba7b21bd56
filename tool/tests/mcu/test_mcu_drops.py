# SPDX-License-Identifier: Apache-2.0
"""What a core refuses is counted where it was refused, as on the processor."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from mcu_runs import ligament, newest_run, own_domain, require_core

MESSAGES = 32
TOO_LONG = 10
"""Of them: each third."""
ASKED = 3
"""Requests that are too long."""

EAR = """
schema: ligament/node/1
type: test/ear
description: Counts what it hears, and says so twice, once with more values than a message may have.
ports:
  first: {direction: in, message: std_msgs/msg/String, description: One, optional: true}
  second: {direction: in, message: std_msgs/msg/String, description: Two, optional: true}
  heard: {direction: out, message: sensor_msgs/msg/ChannelFloat32, description: How many.}
services:
  change: {type: lifecycle_msgs/srv/ChangeState, description: Says yes.}
parameters:
  gain: {type: double, default: 1.0, description: Of what it says.}
implementations:
  mcu: {sources: [ear.c], state: ear_state.h, bounds: [bounds.yaml]}
"""
BOUNDS = """
schema: ligament/bounds/1
bounds:
  std_msgs/msg/String: {data: 8}
  sensor_msgs/msg/ChannelFloat32: {name: 8, values: 2}
  lifecycle_msgs/msg/Transition: {label: 8}
"""
STATE = """
#include <stdint.h>
struct test_ear_state { uint32_t heard; };
"""
HEARS = """
#include "test_ear.h"

void test_ear_start(test_ear_t* node) { test_ear_log(node, "hears"); }

static void hear(test_ear_t* node) {
  static sensor_msgs__msg__ChannelFloat32 message;
  ++node->state.heard;
  message.values.values[0] = (float)(node->parameters.gain * node->state.heard);
  message.values.count = 3;
  (void)test_ear_publish_heard(node, &message);
  message.values.count = 1;
  (void)test_ear_publish_heard(node, &message);
}
void test_ear_on_first(test_ear_t* node, const std_msgs__msg__String* message) {
  (void)message;
  hear(node);
}
void test_ear_on_second(test_ear_t* node, const std_msgs__msg__String* message) {
  (void)message;
  hear(node);
}
void test_ear_on_change(test_ear_t* node, const lifecycle_msgs__srv__ChangeState_Request* request,
                        lifecycle_msgs__srv__ChangeState_Response* response) {
  (void)node;
  response->success = request->transition.id == 7;
}
"""
MOUTH = """
schema: ligament/node/1
type: test/mouth
description: Says texts, of which some are too long; goes on when both ears have heard the others.
ports:
  said: {direction: out, message: std_msgs/msg/String, description: It, qos: {depth: 5}}
  heard: {direction: in, message: sensor_msgs/msg/ChannelFloat32, description: Of one ear.}
  other: {direction: in, message: sensor_msgs/msg/ChannelFloat32, description: Of the other.}
implementations:
  cpu: {sources: [mouth.cpp], class: "test::Mouth"}
state: none
"""
SAYS = """
#include <ligament/lifecycle_msgs/srv/change_state.hpp>
#include <ligament/ligament.hpp>
#include <ligament/sensor_msgs/msg/channel_float32.hpp>
#include <ligament/std_msgs/msg/string.hpp>

namespace test {
class Mouth : public ligament::Node {
 public:
  explicit Mouth(const ligament::NodeOptions& options) : Node("mouth", options) {
    publisher_ = create_publisher<String>("said", ligament::QoS(5));
    for (const char* port : {"heard", "other"}) {
      subscriptions_.push_back(
          create_subscription<Heard>(port, ligament::QoS(10), [this](const Heard& heard) {
            heard_ += heard.values.size() == 1 ? 1 : 100;
            if (heard_ == 2 * short_) {
              count_ == MESSAGES ? ask() : say();
            }
          }));
    }
    client_ = create_client<ChangeState>("/change");
    timer_ = create_wall_timer(std::chrono::milliseconds(20), [this] {
      if (count_ == 0 && publisher_->get_subscription_count() == 2 && client_->service_is_ready()) {
        say();
      }
    });
  }

 private:
  using String = ligament::std_msgs::msg::String;
  using Heard = ligament::sensor_msgs::msg::ChannelFloat32;
  using ChangeState = ligament::lifecycle_msgs::srv::ChangeState;

  void say() {
    String text;
    const bool is_long = ++count_ % 3 == 0;
    text.data = is_long ? "too long for it" : "short";
    short_ += is_long ? 0 : 1;
    publisher_->publish(text);
    if (is_long) {
      say();
    }
  }
  void ask() {
    auto request = std::make_shared<ChangeState::Request>();
    request->transition.id = 7;
    request->transition.label = "too long for it";
    for (int i = 0; i < ASKED; ++i) {
      client_->async_send_request(request, [](auto) {});
    }
    request = std::make_shared<ChangeState::Request>();
    request->transition.id = 7;
    client_->async_send_request(request, [this](ligament::Client<ChangeState>::SharedFuture got) {
      if (got.get() != nullptr && got.get()->success) {
        finish();
      }
    });
  }

  int count_ = 0;
  int short_ = 0;
  int heard_ = 0;
  std::shared_ptr<ligament::Publisher<String>> publisher_;
  std::vector<std::shared_ptr<ligament::SubscriptionBase>> subscriptions_;
  std::shared_ptr<ligament::Client<ChangeState>> client_;
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
  mouth: {type: test/mouth, remap: {said: /said, heard: /heard, other: /other_heard}}
  ear: {type: test/ear, remap: {second: /said, heard: /heard}}
  other: {type: test/ear, remap: {first: /said, heard: /other_heard, change: /other_change}}
variants:
  mcu: {containers: separate, devices: {ear: mcu0, other: mcu0}}
  c99: {containers: separate}
default_variant: mcu
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Write the graph."""
    require_core()
    says = SAYS.replace("MESSAGES", str(MESSAGES)).replace("ASKED", str(ASKED))
    for name, files in {
        "ear": {"node.yaml": EAR, "ear.c": HEARS, "ear_state.h": STATE, "bounds.yaml": BOUNDS},
        "mouth": {"node.yaml": MOUTH, "mouth.cpp": says},
    }.items():
        folder = tmp_path / "nodes" / name
        folder.mkdir(parents=True)
        for file, text in files.items():
            (folder / file).write_text(text)
    (tmp_path / "graph.yaml").write_text(GRAPH)
    return tmp_path / "graph.yaml"


def counted(run: Path) -> dict[tuple[str, str, str], int]:
    """What the run's record counts as lost, by node, topic and kind, but unanswered requests."""
    losses: list[dict[str, Any]] = json.loads((run / "run.json").read_text())["losses"]
    return {
        (loss["node"], loss["topic"], loss["what"]): loss["count"]
        for loss in losses
        if loss["what"] != "dropped"  # a core's container does not give up what nobody answers
    }


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("variant", "platform", "more"),
    [("mcu", "mcu_sim", ()), ("mcu", "mcu_r5_sim", ("--trace",)), ("c99", "mcu_sim", ())],
)
def test_what_exceeds_a_bound_is_counted_at_its_end(
    project: Path, tmp_path: Path, variant: str, platform: str, more: tuple[str, ...]
) -> None:
    place = ["--variant", variant, "--platform", platform, "--out", str(tmp_path / "out")]
    said = ligament("run", project, *place, *own_domain(), *more, status=1)
    run = newest_run(tmp_path / "out" / "bounded" / variant)
    assert counted(run) == {
        ("/ear", "/said", "invalid"): TOO_LONG,
        ("/other", "/said", "invalid"): TOO_LONG,
        ("/ear", "/heard", "loans_failed"): MESSAGES - TOO_LONG,
        ("/other", "/other_heard", "loans_failed"): MESSAGES - TOO_LONG,
        ("/ear", "/change", "invalid"): ASKED,
    }
    assert "a message on /said exceeds a bound of its fields and is dropped" in said
    assert f"/ear was not given {TOO_LONG} of /said: not well formed" in said
    top = json.loads(ligament("top", run, "--once", "--json"))
    (topic,) = (row for row in top["topics"] if row["topic"] == "/said")
    assert topic["dropped"] == 2 * TOO_LONG
    if more:
        ligament("report", run)
        (told,) = json.loads((run / "report.json").read_text())["variants"]
        rows = {row["node"]: row["dropped"] for row in told["nodes"]}
        assert rows["/ear"] == rows["/other"] == MESSAGES
        assert counted(run).keys() <= {(x["node"], x["topic"], x["what"]) for x in told["losses"]}


def test_more_ends_than_a_core_counts_are_refused(tmp_path: Path) -> None:
    port = "  p{}: {{direction: in, message: std_msgs/msg/Bool, description: One, optional: true}}"
    ports = "\n".join(port.format(number) for number in range(129))
    folder = tmp_path / "nodes" / "wide"
    folder.mkdir(parents=True)
    (folder / "wide.c").write_text("")
    (folder / "node.yaml").write_text(
        "schema: ligament/node/1\ntype: test/wide\ndescription: Has many inputs.\n"
        f"ports:\n{ports}\nimplementations:\n  mcu: {{sources: [wide.c]}}\nstate: none\n"
    )
    graph = tmp_path / "graph.yaml"
    graph.write_text(
        "schema: ligament/graph/1\nname: wide\npackages: [nodes]\n"
        "nodes: {one: {type: test/wide}, two: {type: test/wide}}\n"
        "variants: {mcu: {containers: separate, devices: {one: mcu0, two: mcu0}}}\n"
    )
    words = ["--variant", "mcu", "--platform", "mcu_sim", "--out", str(tmp_path / "out")]
    told = " ".join(ligament("generate", graph, *words, status=2).split())
    assert "the nodes of 'mcu0' have 258 ends" in told and "at most 256" in told
