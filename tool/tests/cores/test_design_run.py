# SPDX-License-Identifier: Apache-2.0
"""Several cores of one graph in one design: what software gives, in the same cycles each time.

One design has it all: a chain, a topic with three subscriptions, a core with two inputs, two exits.

    loop -> /image -> first -> /middle -> left  -> /left  -> join -> /result
                                       -> right -> /right ->
                                       -> tail  -> /side
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cases import TAILED, as_software, build, case, run, shown, waved
from fst import read_fst

from ligament.report.limits import limits_of

GRAPH = case(
    "case_design",
    TAILED
    + """  join: {{type: case/join, remap: {{joined: result}}, on_failure: continue}}
variants:
  # In one process: nodes in processes of their own may miss what is said before they are all there.
  software: {{containers: one}}
  hardware:
    devices: &devices {{first: fpga0, left: fpga0, right: fpga0, tail: fpga0, join: fpga0}}
    bound_bytes: &bounds {{image: 100000, result: 100000, side: 100000}}
  dataflow:
    devices: *devices
    bound_bytes: *bounds
    fpga: {{in_flight: 5}}
    parameters:
      right: {{pause: 3}}
      loop: {{ahead: 5, count: 10, larger: 0}}
  stuck:
    devices: *devices
    bound_bytes: *bounds
    parameters:
      join: {{answers: 0}}
      loop: {{result: false}}
""",
)
# Topics between cores declare no bound: their queues make publishers wait, and nothing is lost.

#: Three cores hear what goes in together: one as quickly as it comes, two in 16 times as long.
QUEUES = case(
    "case_queues",
    """
  say: {{type: case/say, parameters: {{count: 20, larger: 1000}}, remap: {{out: image}}}}
  first: {{type: case/xor, remap: {{in: image, out: middle}}}}
  all: {{type: case/xor, remap: {{in: middle}}, qos: {{in: {{history: keep_all}}}}}}
  some:
    type: case/xor
    parameters: &slow {{pause: 15}}
    remap: {{in: middle, out: rest}}
    qos: {{in: {{reliability: best_effort}}}}
  newest:
    type: case/xor
    parameters: *slow
    remap: {{in: middle, out: last}}
    qos: {{in: {{depth: 1}}}}
  record: {{type: case/record, parameters: {{file: {file}, count: 20}}, remap: {{in: out}}}}
topics:
  image: {{bound_bytes: 2000, qos: &late {{depth: 20, durability: transient_local}}}}
  middle: {{bound_bytes: 2000}}
  out: {{bound_bytes: 2000, qos: *late}}
variants:
  hardware:
    devices: {{first: fpga0, all: fpga0, some: fpga0, newest: fpga0}}
    bound_bytes: {{rest: 2000, last: 2000}}
    fpga: {{in_flight: 20}}
""",
)


#: One of two cores that hear the same refuses a message; behind them both are joined again.
REFUSED = case(
    "case_refused",
    """
  say: {{type: case/say, parameters: {{count: 9}}, remap: {{out: image}}}}
  first: {{type: case/xor, parameters: {{key: 90}}, remap: {{in: image, out: middle}}}}
  left: {{type: case/xor, parameters: {{key: 15, refuses: 3}}, remap: {{in: middle, out: left}}}}
  right: {{type: case/xor, parameters: {{key: 240}}, remap: {{in: middle, out: right}}}}
  join: {{type: case/join}}
  after: {{type: case/xor, remap: {{in: joined}}}}
  record: {{type: case/record, parameters: {{file: {file}, count: 9}}, remap: {{in: out}}}}
topics:
  image: {{bound_bytes: 2000, qos: &late {{depth: 20, durability: transient_local}}}}
  out: {{bound_bytes: 2000, qos: *late}}
variants:
  software: {{containers: one}}
  hardware:
    devices: &devices {{first: fpga0, left: fpga0, right: fpga0, join: fpga0, after: fpga0}}
    parameters: &less {{record: {{count: 8}}}}
  dataflow: {{devices: *devices, parameters: *less, fpga: {{in_flight: 5}}}}
""",
)


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(
        tmp_path_factory.mktemp("design"), GRAPH, "software", "hardware", "dataflow", "stuck"
    )


def test_a_design_gives_what_software_gives_in_the_same_cycles_each_time(graph: Path) -> None:
    first, second = as_software(graph)
    cycles = first.values("cycles")
    assert len(cycles) == 5
    assert cycles == second.values("cycles")
    # The nodes of the chain work at the same time: a message takes its beats once, an input and two
    # outputs share 16 bytes of memory per cycle, both ends wait for it, each node adds some cycles,
    # and what others take of the memory, in pieces of 16 cycles.
    assert all(
        1.5 * 1000 / 8 + 100 <= number <= 1.5 * 1028 / 8 + 300 + 10 * 16 for number in cycles
    )


def test_messages_in_flight_overlap_and_the_slowest_node_sets_the_pace(graph: Path) -> None:
    done = run(graph / "dataflow", "--trace")
    assert len(done.results) == len(done.side) == 10
    assert [int(line.split()[-1]) for line in done.results] != [0] * 10
    # Messages of 1000 bytes and some single fields; `right` takes a beat in four cycles, and the
    # other nodes wait for it. What went in together depends on when the loop's messages came.
    cycles = done.values("cycles")
    beats = done.values("/middle beats")
    frame = sum(beats) / 10
    together = [count / frame for count in beats]
    assert sum(together) == 10 and all(count in (1, 2, 3, 4, 5) for count in together)
    assert max(together) > 1
    slowest = 4 * (1000 / 8 + 14)
    # It is named as what holds the design back, and those in front of it are not.
    (design,) = limits_of(done.folder / "status.jsonl")["designs"]
    assert (design["kind"], design["node"], design["port"]) == ("core", "/right", "in")
    assert design["share"] > 0.5 and f"{design['text']}.".endswith(" of the time.")
    full = {node: done.hardware(node)["full"] for node in ("/first", "/left", "/right")}
    assert full["/right"] > 5 * max(full["/first"], full["/left"])
    for count, number in zip(together, cycles, strict=True):
        # The way of the first message through all nodes, once; of five: 10 % of it all.
        assert count * 4 * 1000 / 8 <= number <= count * slowest + 300


def test_a_waveform_has_the_signals_of_the_nodes_that_are_asked_for(graph: Path) -> None:
    done = waved(graph, "hardware", "--wave", "2", "--wave-node", "left", "--wave-node", "/join")
    (file,) = (done.folder / "outputs").glob("*.fst")
    names = read_fst(file).names
    scopes = {name.split(".")[2] for name in names if name.count(".") > 2}
    found = {scope for scope in scopes if scope.startswith("node_")}
    assert {scope.rpartition("_")[2] for scope in found} == {"left", "join"}
    # The views show what is there, and nothing else.
    view = file.with_suffix(".gtkw").read_text()
    assert [view.count(f"\n-core /{node} ") for node in ("first", "left", "join")] == [0, 2, 2]
    assert "@@" not in view
    signals = shown(file.with_suffix(".gtkw"))
    assert signals == shown(file.with_suffix(".sucl"))
    assert signals <= {name.partition("[")[0] for name in names}


def test_a_core_that_never_answers_is_named_and_the_others_go_on(graph: Path) -> None:
    done = run(graph / "stuck", status=1)  # of a run whose nodes told errors
    assert len(done.side) == 5
    told = [error for error in done.record["errors"] if error["node"] == "/join"]
    assert told and all("no whole message on joined within" in error["text"] for error in told)
    assert "`ligament run --wave " in told[0]["text"]
    # Who waits for whom: this core takes neither of its inputs.
    for port in ("left", "right"):
        assert f"its input {port} has a beat that it does not take" in told[0]["text"]
    assert "gets no further one" in told[-1]["text"]
    assert not [error for error in done.record["errors"] if error["node"] != "/join"]


def test_queues_drop_for_those_who_may_lose_and_count_it(tmp_path: Path) -> None:
    built = build(tmp_path, QUEUES, "hardware") / "hardware"
    mapping = json.loads((built / "mapping.json").read_text())
    queues = mapping["topics"]["/middle"]["stream"]["queues"]
    assert {q["node"]: q["kind"] for q in queues} == {
        "/all": "keep-all",
        "/some": "best-effort",
        "/newest": "keep-last",
    }
    done = run(built, "--until", "/record")
    told = {node: done.hardware(node) for node in ("/first", "/all", "/some", "/newest")}
    (network,) = (n for n in told["/first"]["networks"] if n["topic"] == "/middle")
    taken = {node: told[node]["messages"] for node in ("/all", "/some", "/newest")}
    assert network["frames"] == taken["/all"] == 20
    # Each frame was answered or dropped by each of the two, and counted.
    assert taken["/some"] < 20 and taken["/newest"] < 20
    assert taken["/some"] + taken["/newest"] + network["drops"] == 40


def test_behind_a_refused_message_the_others_keep_their_partners(tmp_path: Path) -> None:
    """The refusal goes on through the design: it is that of each node behind it, and no shift."""
    built = build(tmp_path, REFUSED, "software", "hardware", "dataflow")
    expected = run(built / "software").results
    for variant in ("hardware", "dataflow"):
        done = run(built / variant, status=1)
        assert done.results == expected[:2] + expected[3:], variant
        told = {error["node"]: error["text"] for error in done.record["errors"]}
        assert told.keys() == {"/left", "/join", "/after"}
        assert "the node in front of it has refused it" in told["/after"]
        refused = {node: done.hardware(node)["refused"] for node in ("/left", "/right", "/after")}
        assert refused == {"/left": 1, "/right": 0, "/after": 1}
