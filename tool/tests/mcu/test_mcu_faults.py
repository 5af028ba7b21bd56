# SPDX-License-Identifier: Apache-2.0
"""Firmware that stops, or hangs: this is told, it is started again, and less and less often."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from mcu_runs import (
    LIGAMENT,
    WATCHDOG_S,
    ligament,
    newest_run,
    on_freertos,
    own_domain,
    require_core,
)

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

#include "board.h"

/* No end, but asleep: an emulator would take a processor for as long. */
static void stay(void) {
  for (;;) {
    __asm__ volatile("wfi");
  }
}

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
    case 5:
      board_on_alarm(stay); /* the next deadline's interrupt does not end */
      break;
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


@contextmanager
def started(graph: Path, place: list[str]) -> Iterator[subprocess.Popen[str]]:
    """A run that goes on until it is told to end."""
    words = ["run", str(graph), *place, *own_domain(), "--duration", "300"]
    process = subprocess.Popen(
        [*LIGAMENT, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=120)


def until(process: subprocess.Popen[str], *told: str) -> str:
    """What the run says, until it has said all of this."""
    assert process.stdout is not None
    said = ""
    while not all(text in said for text in told):
        line = process.stdout.readline()
        said += line
        assert line, f"it ended before all was told: {said}"
    return said


def cores(run: Path) -> list[dict[str, Any]]:
    """What the status lines say of the core."""
    return [
        node["core"]
        for line in (run / "status.jsonl").read_text().splitlines()
        for node in json.loads(line).get("nodes", ())
    ]


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
    with started(graph, place) as process:
        said = until(
            process,
            f"mcu0: the core has crashed: {reason}",
            "and is started again in 0.5 s: this was end 2",
        )
        process.send_signal(signal.SIGINT)
        more, _ = process.communicate(timeout=120)
    run = newest_run(tmp_path / "out" / "fragile" / "mcu")
    errors = json.loads((run / "run.json").read_text())["errors"]
    assert len(errors) >= 2, said + more
    assert all(reason in error["text"] for error in errors)
    last = cores(run)[-1]
    assert last["ends"] >= 2 and last["device"] == "mcu0"
    assert reason in last["last_end"]


@pytest.mark.timeout(600)
@pytest.mark.parametrize("platform", ["mcu_sim", "mcu_r5_sim"])
def test_an_interrupt_that_does_not_end_is_seen_by_silence(tmp_path: Path, platform: str) -> None:
    """No fault, and no word: the agent asks for half a minute, then the core starts anew."""
    chosen = str(on_freertos(platform, tmp_path))
    graph = project(tmp_path / "project", 5)
    place = ["--variant", "mcu", "--platform", chosen, "--out", str(tmp_path / "out")]
    ligament("build", graph, *place)
    with started(graph, place) as process:
        said = until(process, "mcu0: the core is gone (it said nothing), and is started again")
        run = newest_run(tmp_path / "out" / "fragile" / "mcu")
        end = time.monotonic() + WATCHDOG_S
        while (core := cores(run)[-1])["starts"] < 2 or core["state"] != "running":
            assert time.monotonic() < end, core
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        more, _ = process.communicate(timeout=120)
    (error,) = json.loads((run / "run.json").read_text())["errors"]
    assert "the core is gone (it said nothing)" in error["text"], said + more
    lives = [(core["state"], core["starts"], core["ends"]) for core in cores(run)]
    assert ("running", 1, 0) in lives and lives[-1] == ("running", 2, 1), lives
    assert "crashed" not in said
