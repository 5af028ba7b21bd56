# SPDX-License-Identifier: Apache-2.0
"""Nodes of one FPGA that nothing joins in hardware: one design, in which each goes on for itself.

loop -> /image -> first -> /middle -> second -> /result -> loop    /middle lies in the pool
               -> join (twice) -> /side -> loop
"""

from __future__ import annotations

import json
import uuid
from itertools import pairwise
from pathlib import Path

import pytest
from cases import NODES, as_software, build, case, ligament, run
from two_fpgas import two_fpgas

GRAPH = case(
    "case_device",
    """
  loop: {{type: case/loop, parameters: {{file: {file}, side: true}}}}
  first: {{type: case/xor, parameters: {{key: 90}}, remap: {{in: image, out: middle}}}}
  second: {{type: case/xor, parameters: {{key: 15}}, remap: {{in: middle, out: result}}}}
  join:
    type: case/join
    remap: {{left: image, right: image, joined: side}}
    on_failure: continue
topics:
  image: &late
    bound_bytes: 100000
    transports: [shm]
    qos: {{depth: 10, durability: transient_local}}
  middle: *late
  result: *late
  side: *late
variants:
  # In one process: nodes in processes of their own may miss what is said before they are all there.
  software: {{containers: one}}
  hardware:
    containers: separate
    devices: &devices {{first: fpga0, second: fpga0, join: fpga0}}
  dataflow:
    containers: separate
    devices: *devices
    fpga: {{in_flight: 5}}
    parameters: {{loop: {{ahead: 5, count: 10, larger: 0}}}}
  stuck:
    containers: separate
    devices: *devices
    parameters: {{join: {{answers: 0}}, loop: {{side: false}}}}
""",
)
#: Two cores send each other what `say` began with, through software, until `record` has enough.
# The loop turns while the recorder starts: of a full queue a late reader loses rounds.
ROUND = case(
    "case_round",
    """
  say: {{type: case/say, parameters: {{count: 1}}, remap: {{out: to}}}}
  there: {{type: case/xor, device: fpga0, parameters: {{key: 90}}, remap: {{in: to, out: back}}}}
  here: {{type: case/xor, device: {other}, parameters: {{key: 15}}, remap: {{in: back, out: to}}}}
  record: {{type: case/record, parameters: {{file: {file}, count: 6}}, remap: {{in: back}}}}
topics:
  to: {{bound_bytes: 1000, transports: [shm], qos: &q {{depth: 500, durability: transient_local}}}}
  back: {{bound_bytes: 1000, transports: [shm], qos: *q}}
variants:
  hardware: {{containers: separate}}
""",
)


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(
        tmp_path_factory.mktemp("device"), GRAPH, "software", "hardware", "dataflow", "stuck"
    )


def test_one_container_and_one_design_hold_all_nodes_of_the_device(graph: Path) -> None:
    built = graph / "hardware"
    mapping = json.loads((built / "mapping.json").read_text())
    assert mapping["containers"]["fpga0"] == ["/first", "/join", "/second"]
    assert all(topic["transports"] == ["shm"] for topic in mapping["topics"].values())
    sources = {path.name: path.read_text() for path in built.parent.glob("gen/fpga-*/*.f")}
    assert set(sources) == {f"{name}-fpga0-fpga.f" for name in ("hardware", "dataflow", "stuck")}
    # What drives it differs between variants; the hardware does not, and is compiled once.
    assert len(set(sources.values())) == 1
    models = list(built.parent.rglob("Vlig_design_*__ALL.a"))
    assert len(models) == 1


def test_nodes_that_only_software_joins_give_what_software_gives(graph: Path) -> None:
    first, second = as_software(graph)
    # Each message of each node goes in when nothing else is owed, so it takes what it takes alone,
    # in whatever order the host lets them come.
    cycles = [sorted(done.values("cycles")) for done in (first, second)]
    assert len(cycles[0]) == 15
    assert cycles[0] == cycles[1]


def test_nodes_at_work_together_wait_for_each_other_at_the_port(graph: Path) -> None:
    done = run(graph / "dataflow", "--trace")
    assert len(done.results) == len(done.side) == 10
    assert max(done.results.count(line) for line in done.results) == 1
    # What goes in together depends on when the messages came. All of it goes over one port: what
    # is read and written has its bandwidth of 16 bytes per cycle, and not that for each node.
    told = [done.values(name) for name in ("cycles", "port reads", "port writes")]
    assert sum(told[1]) >= 10 * 4 * 1000 / 8 and sum(told[2]) >= 10 * 3 * 1000 / 8
    for cycles, reads, writes in zip(*told, strict=True):
        assert 8 * (reads + writes) <= 16 * cycles


def test_a_node_that_hangs_costs_the_others_nothing(graph: Path) -> None:
    expected = run(graph / "software")
    done = run(graph / "stuck", status=1)  # of a run whose nodes told errors
    assert done.results == expected.results
    assert {error["node"] for error in done.record["errors"]} == {"/join"}
    texts = [error["text"] for error in done.record["errors"]]
    assert all("no whole message on joined within" in text for text in texts)
    assert "gets no further one" in texts[-1]


@pytest.mark.parametrize("other", ["fpga0", "fpga1"])
def test_a_loop_of_cores_through_software_goes_round(tmp_path: Path, other: str) -> None:
    """On one FPGA they are one design, on two they are two, and are the same hardware."""
    file = tmp_path / "results.txt"
    (tmp_path / "graph.yaml").write_text(ROUND.format(nodes=NODES, file=file, other=other))
    words = ["--platform", two_fpgas(tmp_path), "--out", tmp_path / "build"]
    domain = f"device_{uuid.uuid4().hex[:12]}"
    ligament("run", tmp_path / "graph.yaml", *words, "--domain", domain, "--until", "/record")
    images = [[int(word) for word in line.split()] for line in file.read_text().splitlines()[:6]]
    # Each round the bytes have been combined with both keys once more.
    payload = [image[-38:] for image in images]
    for before, after in pairwise(payload):
        assert after == [byte ^ 90 ^ 15 for byte in before]
