# SPDX-License-Identifier: Apache-2.0
"""Firmware that stops: its reason is told, it is started again, and less and less often."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path

import pytest
from mcu_runs import LIGAMENT, ligament, newest_run, on_freertos, own_domain, require_core

MANIFEST = """
schema: ligament/node/1
type: test/fragile
description: Fails a few ticks after its start.
ports:
  alive: {direction: out, message: std_msgs/msg/UInt32, description: Ticks since the start.}
parameters:
  kind: {type: integer, description: How it fails., default: 0, read_only: true}
implementations:
  mcu:
    sources: [fragile.c]
    state: fragile_state.h
    timers: {tick: {rate: 50}}
"""
STATE = """
#include <stdint.h>
struct test_fragile_state { uint32_t ticks; };
"""
CODE = """
#include "test_fragile.h"

#include <assert.h>
#include <stdlib.h>

static void fail(int64_t kind) {
  switch (kind) {
    case 1:
      __asm__ volatile("udf #0");
      break;
    case 2:
      *(volatile uint32_t*)0xE8000000u = 1; /* nothing is there */
      break;
    case 3:
      assert(kind == 4);
      break;
    case 4:
      abort();
    default:
      break;
  }
}

void test_fragile_start(test_fragile_t* node) { test_fragile_log(node, "starts"); }

void test_fragile_on_tick(test_fragile_t* node) {
  std_msgs__msg__UInt32 message = {.data = ++node->state.ticks};
  if (node->state.ticks == 5) {
    fail(node->parameters.kind);
  }
  (void)test_fragile_publish_alive(node, &message);
}
"""
ASSERTION = 1 + next(n for n, line in enumerate(CODE.splitlines()) if "assert(" in line)
GRAPH = """
schema: ligament/graph/1
name: fragile
packages: [nodes]
nodes:
  fragile: {type: test/fragile, parameters: {kind: KIND}}
variants:
  mcu:
    containers: separate
    devices: {fragile: mcu0}
default_variant: mcu
"""


def project(folder: Path, kind: int) -> Path:
    """Write a graph with one node that fails in this way."""
    node = folder / "nodes" / "fragile"
    node.mkdir(parents=True)
    (node / "node.yaml").write_text(MANIFEST)
    (node / "fragile_state.h").write_text(STATE)
    (node / "fragile.c").write_text(CODE)
    (folder / "graph.yaml").write_text(GRAPH.replace("KIND", str(kind)))
    return folder / "graph.yaml"


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("platform", "os", "kind", "reason"),
    [
        ("mcu_sim", "bare", 1, "undefined instruction, at 0x0000"),
        ("mcu_sim", "bare", 2, "access to 0xe8000000, where no memory is, at 0x0000"),
        ("mcu_sim", "freertos", 4, "abort(), at 0x0000"),
        ("mcu_r5_sim", "bare", 1, "undefined instruction, at 0x0010"),
        (
            "mcu_r5_sim",
            "bare",
            3,
            f"assertion in line {ASSERTION} of the file on its console, at 0x0010",
        ),
    ],
)
def test_firmware_that_fails_is_told_and_started_again(
    tmp_path: Path, platform: str, os: str, kind: int, reason: str
) -> None:
    require_core()
    graph = project(tmp_path / "project", kind)
    chosen = str(on_freertos(platform, tmp_path)) if os == "freertos" else platform
    place = ["--variant", "mcu", "--platform", chosen, "--out", str(tmp_path / "out")]
    ligament("build", graph, *place)
    words = ["run", graph, *place, *own_domain(), "--duration", "120"]
    process = subprocess.Popen(
        [*LIGAMENT, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert process.stdout is not None
    told = [
        f"mcu0: the core has crashed: {reason}",
        "and is started again in 0.5 s: this was end 2",
    ]
    said = ""
    while not all(text in said for text in told):
        line = process.stdout.readline()
        said += line
        assert line, f"it ended before all was told: {said}"
    process.send_signal(signal.SIGINT)
    more, _ = process.communicate(timeout=120)
    run = newest_run(tmp_path / "out" / "fragile" / "mcu")
    errors = json.loads((run / "run.json").read_text())["errors"]
    assert len(errors) >= 2, said + more
    assert all(reason in error["text"] for error in errors)
    cores = [
        node["core"]
        for line in (run / "status.jsonl").read_text().splitlines()
        for node in json.loads(line).get("nodes", ())
    ]
    assert cores[-1]["ends"] >= 2 and cores[-1]["device"] == "mcu0"
    assert reason in cores[-1]["last_end"]
