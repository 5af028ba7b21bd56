# SPDX-License-Identifier: Apache-2.0
"""Topics with ends on both sides: what software gives, once each, in the same cycles each time.

Two gateways of one design share a memory port. Processes: the loop, and the design's.

    loop -> /image  => first -> /middle => left  -> /left  -> join -> /result -> loop
                    => right -> /right  ------------------->        (=>: also through a gateway)
                                /middle => loop (side)
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import uuid
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pytest

HERE = Path(__file__).parent
LIGAMENT = [sys.executable, "-m", "ligament.cli.main"]

LOOP = """schema: ligament/graph/1
name: case_gateway
packages: [{nodes}]
nodes:
  loop: {{type: case/loop, parameters: {{file: {file}, side: true}}, remap: {{side: middle}}}}
  first: {{type: case/xor, parameters: {{key: 90}}, remap: {{in: image, out: middle}}}}
  left: {{type: case/xor, parameters: {{key: 15}}, remap: {{in: middle, out: left}}}}
  right: {{type: case/xor, parameters: {{key: 240}}, remap: {{in: image, out: right}}}}
  join: {{type: case/join, remap: {{joined: result}}, on_failure: continue}}
variants:
  # In one process: nodes in processes of their own may miss what is said before they are all there.
  software: {{containers: one}}
  hardware:
    containers: separate
    devices: &devices {{first: fpga0, left: fpga0, right: fpga0, join: fpga0}}
    bound_bytes: &bounds {{image: 4000, middle: 4000, result: 4000}}
    transports: &transports {{image: [gateway, shm], middle: [gateway, shm]}}
  dataflow:
    containers: separate
    devices: *devices
    bound_bytes: *bounds
    transports: *transports
    fpga: {{in_flight: 4}}
    parameters: {{loop: {{ahead: 4, count: 12}}}}
  stuck:
    containers: separate
    devices: *devices
    bound_bytes: *bounds
    transports: *transports
    parameters: {{join: {{answers: 0}}, loop: {{result: false}}}}
"""

# Two processes and a core publish on one topic, two cores and two processes hear it.
BOTH = """schema: ligament/graph/1
name: case_both
packages: [{nodes}]
nodes:
  one: {{type: case/say, parameters: {{mark: 1}}, remap: {{out: image}}}}
  two: {{type: case/say, parameters: {{mark: 2}}, remap: {{out: image}}}}
  three: {{type: case/say, parameters: {{mark: 3}}, remap: {{out: asked}}}}
  core:
    type: case/xor
    parameters: {{key: 0}}
    remap: {{in: asked, out: image}}
    on_failure: continue
  left:
    type: case/xor
    parameters: {{key: 15}}
    remap: {{in: image, out: left}}
    on_failure: continue
  right:
    type: case/xor
    parameters: {{key: 240}}
    remap: {{in: image, out: right}}
    on_failure: continue
  of_image:
    type: case/record
    parameters: {{file: {file}.image, count: 60}}
    remap: {{in: image}}
  of_left:
    type: case/record
    parameters: {{file: {file}.left, count: 60}}
    remap: {{in: left}}
  of_right:
    type: case/record
    parameters: {{file: {file}.right, count: 60}}
    remap: {{in: right}}
  thief:
    type: case/record
    parameters: {{file: {file}.thief, dies_after: 7}}
    remap: {{in: image}}
    on_failure: continue
topics:
  # Who joins late gets what was said before, and nobody has to wait: nothing may be lost.
  image:
    bound_bytes: 4000
    transports: [gateway, shm]
    qos: {{history: keep_all, depth: 64, durability: transient_local}}
  asked: {{bound_bytes: 4000, qos: &last {{depth: 64, durability: transient_local}}}}
  left: {{bound_bytes: 4000, qos: *last}}
  right: {{bound_bytes: 4000, qos: *last}}
variants:
  hardware:
    containers: separate
    devices: &devices {{core: fpga0, left: fpga0, right: fpga0}}
  # It dies in the process of the design, which holds buffers of all the others then.
  killed:
    containers: {{chip: [core, left, right, thief]}}
    devices: *devices
    parameters: {{of_image: {{count: 40, greatest: 2}}}}
"""
#: More than any run needs, so that one that hangs ends.
AT_MOST = ("--duration", "1200")


def ligament(*words: str | Path, status: int = 0) -> str:
    result = subprocess.run(
        [*LIGAMENT, *map(str, words)], capture_output=True, text=True, check=False, env=os.environ
    )
    assert result.returncode == status, result.stdout + result.stderr
    return result.stdout


def build(folder: Path, text: str, *variants: str) -> None:
    values = {"nodes": HERE / "nodes", "file": folder / "results.txt"}
    (folder / "graph.yaml").write_text(text.format(**values))
    for variant in variants:
        words = ["--variant", variant, "--platform", "fpga_sim", "--out", str(folder / "build")]
        ligament("build", folder / "graph.yaml", *words)


@dataclass
class Run:
    """A run's record, its last status line of each container, and its folder."""

    record: dict[str, Any]
    status: dict[str, dict[str, Any]]
    folder: Path

    def hardware(self, node: str) -> dict[str, Any]:
        """What a node in hardware counted."""
        nodes = [n for line in self.status.values() for n in line["nodes"] if n["id"] == node]
        found: dict[str, Any] = nodes[0]["hardware"]
        return found


def run(folder: Path, name: str, variant: str, *words: str, status: int = 0) -> Run:
    built = folder / "build" / name / variant
    domain = f"gateway_{uuid.uuid4().hex[:12]}"
    ligament("run", built / "build.json", "--domain", domain, *words, status=status)
    last = max((built / "runs").iterdir())
    lines = [json.loads(line) for line in (last / "status.jsonl").read_text().splitlines()]
    told = {line["container"]: line for line in lines if line.get("event") == "status"}
    return Run(json.loads((last / "run.json").read_text()), told, last)


def lines_of(folder: Path) -> tuple[list[str], list[str]]:
    """What came back to the loop on each of its two topics."""
    lines = (folder / "results.txt").read_text().splitlines()
    side = [line for line in lines if line.startswith("side")]
    return [line for line in lines if not line.startswith("side")], side


def values_of(folder: Path, name: str) -> list[float]:
    """What the design's spans told under a name, in order."""
    ligament("trace", folder)
    events = folder / "events.parquet"
    names = f"select argument from '{events}' where event = 'value_name' and name = '{name}'"
    query = (
        f"select value from '{events}' where event = 'span_value' and argument in ({names})"
        " order by time_ns"
    )
    # A connection of its own: the shared one may be busy with another test's result.
    with duckdb.connect() as connection:
        return [row[0] for row in connection.execute(query).fetchall()]


@pytest.fixture(scope="module")
def loop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("loop")
    build(folder, LOOP, "software", "hardware", "dataflow", "stuck")
    return folder


def test_both_sides_get_what_software_gives_in_the_same_cycles_each_time(loop: Path) -> None:
    run(loop, "case_gateway", "software")
    expected = lines_of(loop)
    assert [len(lines) for lines in expected] == [5, 5]
    first = run(loop, "case_gateway", "hardware", "--trace")
    assert lines_of(loop) == expected
    second = run(loop, "case_gateway", "hardware", "--trace")
    assert lines_of(loop) == expected
    cycles = values_of(first.folder, "cycles")
    assert len(cycles) == 5
    assert cycles == values_of(second.folder, "cycles")
    # A crossing each way at a beat per cycle, the latency at both ends, and what others take.
    assert all(1000 / 8 + 100 <= number <= 2 * 1028 / 8 + 700 + 10 * 16 for number in cycles)
    assert values_of(first.folder, "/image sent") == [1] * 5
    assert values_of(first.folder, "/middle stored") == [1] * 5


def test_each_message_crosses_memory_once_per_direction(loop: Path) -> None:
    done = run(loop, "case_gateway", "hardware")
    told = done.hardware("/first")
    counts = {gateway["topic"]: gateway for gateway in told["gateways"]}
    # Two cores hear an image, and it is read once; what came from software does not go back.
    assert counts["/image"] == {
        "topic": "/image", "sent": 5, "stored": 0, "filtered": 5, "failed": 0,
    }  # fmt: skip
    assert counts["/middle"] == {
        "topic": "/middle", "sent": 0, "stored": 5, "filtered": 0, "failed": 0,
    }  # fmt: skip
    payload = sum(1000 + 7 * number for number in range(5))
    # What is read is the images; what is written, besides /middle, is the results at their exit.
    for beats, times in ((told["port"]["reads"], 1), (told["port"]["writes"], 2)):
        assert payload / 8 <= beats / times <= (payload + 5 * 128) / 8
    assert told["port"]["busy"] >= told["port"]["reads"]


def test_messages_in_flight_share_the_port(loop: Path) -> None:
    done = run(loop, "case_gateway", "dataflow")
    results, side = lines_of(loop)
    assert (len(results), len(side)) == (12, 12)
    assert all(count == 1 for count in Counter(results).values())
    stored = {g["topic"]: g["stored"] for g in done.hardware("/first")["gateways"]}
    assert stored["/middle"] == 12


def test_a_core_that_never_takes_is_named_and_nothing_comes_twice(loop: Path) -> None:
    run(loop, "case_gateway", "software")
    _, expected = lines_of(loop)
    done = run(loop, "case_gateway", "stuck", status=1)  # of a run whose nodes told errors
    assert lines_of(loop) == ([], expected)
    assert {error["node"] for error in done.record["errors"]} == {"/join"}
    assert "gets no further one" in done.record["errors"][-1]["text"]


def bytes_of(path: Path) -> list[list[int]]:
    """The payload of each message: what is behind its header, whose length differs."""
    return [[int(word) for word in line.split()] for line in path.read_text().splitlines()]


def pattern(number: int) -> list[int]:
    return [(i * 29 + number) % 256 for i in range(2, 40 + 37 * number)]


def said(messages: list[list[int]], key: int) -> dict[int, list[int]]:
    """By mark, the numbers of the messages that came, each checked byte by byte."""
    found: dict[int, list[int]] = {}
    for message in messages:
        # The payload is at the end, and its length is in front of it.
        for number in range(20):
            size = 40 + 37 * number
            payload = [byte ^ key for byte in message[-size:]]
            length = message[-size - 4 : -size]
            if length == list(size.to_bytes(4, "little")) and payload[2:] == pattern(number):
                assert payload[1] == number
                found.setdefault(payload[0], []).append(number)
                break
        else:
            pytest.fail(f"a message that nobody has sent: {message[:80]}")
    return found


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("both")
    build(folder, BOTH, "hardware", "killed")
    return folder


def test_publishers_and_subscriptions_on_both_sides_lose_and_double_nothing(both: Path) -> None:
    words = [word for name in ("image", "left", "right") for word in ("--until", f"/of_{name}")]
    done = run(both, "case_both", "hardware", *words, *AT_MOST)
    for name, key in (("image", 0), ("left", 15), ("right", 240)):
        found = said(bytes_of(both / f"results.txt.{name}"), key)
        # Each publisher's messages in their order, each once, though a process died with a sample.
        assert found == {mark: list(range(20)) for mark in (1, 2, 3)}, name
    (counts,) = done.hardware("/core")["gateways"]
    assert (counts["sent"], counts["stored"], counts["filtered"], counts["failed"]) == (
        40,
        20,
        40,
        0,
    )


def test_a_design_that_is_killed_with_their_buffers_costs_the_others_nothing(both: Path) -> None:
    run(both, "case_both", "killed", "--until", "/of_image", *AT_MOST)
    found = said(bytes_of(both / "results.txt.image"), 0)
    assert found[1] == found[2] == list(range(20))
    # Of what the core said some may not have left it; what has is whole, and in order.
    numbers = found.get(3, [])
    assert numbers == list(range(len(numbers)))
