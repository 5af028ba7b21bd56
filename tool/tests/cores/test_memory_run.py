# SPDX-License-Identifier: Apache-2.0
"""Memory of designs: too little of it, held for long, shared with others; and wide streams.

What `map` would not choose is a mapping that was written by hand, as anybody may.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from cases import NODES, case, ligament, run

PLATFORM = Path(__file__).parents[3] / "platforms" / "fpga_sim" / "platform.yaml"

#: loop -> /image => first -> /middle => loop (side), join -> /result -> loop; => is a gateway, too.
SHORT = case(
    "case_short",
    """
  loop:
    type: case/loop
    parameters: {{file: {file}, side: true, ahead: 4, count: 12, larger: 0}}
    remap: {{side: middle}}
  first: {{type: case/xor, parameters: {{key: 90}}, remap: {{in: image, out: middle}}}}
  join:
    type: case/join
    remap: {{left: middle, right: image, joined: result}}
    on_failure: continue
topics:
  image: {{bound_bytes: 4000, transports: [gateway, shm]}}
  middle: {{bound_bytes: 4000, transports: [gateway, shm]}}
  result: {{bound_bytes: 4000}}
variants:
  hardware:
    containers: separate
    devices: &chip {{first: fpga0, join: fpga0}}
    fpga: {{in_flight: 4}}
  stuck:
    containers: separate
    devices: *chip
    fpga: {{in_flight: 4}}
    parameters: {{join: {{answers: 0}}, loop: {{result: false}}}}
""",
)
#: A core that takes long for what software says in quick succession, on memory that others use.
SLOW = case(
    "case_slow",
    """
  say: {{type: case/say, parameters: {{count: 6, larger: 200000}}, remap: {{out: image}}}}
  core: {{type: case/xor, remap: {{in: image}}}}
  record: {{type: case/record, parameters: {{file: {file}, count: 6}}, remap: {{in: out}}}}
topics:
  image:
    bound_bytes: 300000
    transports: [gateway, shm]
    qos: {{history: keep_all, depth: 1, durability: transient_local}}
  out: {{bound_bytes: 300000, qos: {{depth: 6, durability: transient_local}}}}
variants:
  quick: {{containers: separate, devices: {{core: fpga0}}}}
  slow: {{containers: separate, devices: {{core: fpga0}}, parameters: {{core: {{pause: 15}}}}}}
""",
)


@pytest.fixture(scope="module")
def short(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Networks of 256 bits, and memory for one message where several go in together."""
    folder = tmp_path_factory.mktemp("short")
    graph = folder / "graph.yaml"
    graph.write_text(SHORT.format(nodes=NODES, file=folder / "results.txt"))
    for variant in ("hardware", "stuck"):
        words = ["--out", folder / "build", "--variant", variant, "--platform", "fpga_sim"]
        ligament("map", graph, *words)
        path = folder / "build" / "case_short" / variant / "mapping.json"
        mapping = json.loads(path.read_text())
        for topic in ("/image", "/middle"):
            mapping["topics"][topic]["stream"]["width_bits"] = 256
        mapping["topics"]["/middle"]["gateway"]["rooms"] = 1
        by_hand = folder / f"{variant}.json"
        by_hand.write_text(json.dumps(mapping))
        ligament("build", graph, *words, "--mapping", by_hand)
    return folder


def test_memory_that_runs_out_in_mid_run_is_handed_on_and_lent_again(short: Path) -> None:
    done = run(short / "build" / "case_short" / "hardware", "--trace")
    assert len(done.results) == len(done.side) == 12
    assert max(Counter(done.side).values()) == max(Counter(done.results).values()) == 1
    assert done.record["errors"] == []
    stored = done.values("/middle stored")
    # More messages in one run than there is memory for.
    assert sum(stored) == 12 and max(stored) > 1
    # A beat of 256 bits has four times the payload of one of 64.
    assert sum(done.values("/middle beats")) <= 12 * (1100 / 32 + 8)


def test_what_was_handed_on_before_a_core_hung_does_not_come_twice(short: Path) -> None:
    done = run(short / "build" / "case_short" / "stuck", "--duration", "1200", status=1)
    assert done.results == []
    assert max(Counter(done.side).values()) == 1
    assert {error["node"] for error in done.record["errors"]} == {"/join"}


@pytest.fixture(scope="module")
def slow(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Half of the memory's bandwidth is taken by others."""
    folder = tmp_path_factory.mktemp("slow")
    graph = folder / "graph.yaml"
    graph.write_text(SLOW.format(nodes=NODES, file=folder / "results.txt"))
    platform = folder / "platform.yaml"
    usual = "    contention: 0.1 "
    text = PLATFORM.read_text()
    assert usual in text
    platform.write_text(text.replace(usual, "    contention: 0.5 "))
    for variant in ("quick", "slow"):
        words = ["--variant", variant, "--platform", platform, "--out", folder / "build"]
        ligament("build", graph, *words)
    return folder


def numbers_of(folder: Path) -> list[int]:
    """Of the images that came: each whole and as it was sent."""
    found = []
    for number, line in enumerate((folder / "results.txt").read_text().splitlines()):
        size = 200040 + 37 * number
        payload = [int(word) for word in line.split()][-size:]
        assert payload[0] == 1
        assert payload[2:] == [(i * 29 + number) % 256 for i in range(2, size)]
        found.append(payload[1])
    return found


def test_what_others_take_of_the_memory_counts_and_is_the_same_each_time(slow: Path) -> None:
    built = slow / "build" / "case_slow" / "quick"
    cycles = []
    for _ in range(2):
        done = run(built, "--trace")
        assert numbers_of(slow) == list(range(6))
        cycles.append(done.values("cycles"))
    assert cycles[0] == cycles[1]
    # Alone, an image takes a beat of 8 bytes per cycle and the way through; with half of the
    # bandwidth for what is read and what is written, nearly twice that.
    assert all(1.6 * 200040 / 8 <= number <= 2.4 * 200225 / 8 + 700 for number in cycles[0])


def test_a_slow_core_makes_publishers_wait_and_loses_nothing(slow: Path) -> None:
    done = run(slow / "build" / "case_slow" / "slow")
    assert numbers_of(slow) == list(range(6))
    assert done.record["losses"] == []
