# SPDX-License-Identifier: Apache-2.0
"""Advice on a run: what it says, what it predicts, which commands it names, what it refuses."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from made_up_runs import CALL, LATENCY, WAKE, WORKED, case_of, line, write_run

from ligament import resources
from ligament.advise.changes import Change, find_changes
from ligament.advise.check import Checked, why_off
from ligament.advise.known import SCHEMA, Costs, NodeTime, read_table
from ligament.advise.predict import UnpredictableError, predict, replayed
from ligament.advise.setting import SHM, THREAD, Kind
from ligament.advise.stage import Asked, advise, costs_of
from ligament.advise.terminal import advice_text, checked_text
from ligament.cli.main import main
from ligament.graph import load_graph
from ligament.mapping import load_mapping, load_platform, map_graph

TABLE: dict[str, Any] = {
    "messages": [
        {"way": THREAD, "asleep": asleep, "one_core": False, "bytes": 0, "p50": 4, "p99": 4}
        for asleep in (False, None)
    ],
    "nodes": [
        {"type": f"image/{name}", "device": "fpga", "bytes": 921_600, "cycles": cycles,
         "around_ns": 50}
        for name, cycles in (("rectify", 300), ("resize", 200))
    ],
}  # fmt: skip
STREAMED = """  streamed:
    devices: {rectify: fpga0, resize: fpga0}
    bound_bytes: {raw: 1000000, rect: 1000000, info: 4096, resize/image_raw: 1000000}
"""


def asked(graph_file: Path, *runs: Path, only: tuple[str, ...] = ()) -> Asked:
    return Asked(graph_file, str(graph_file), runs, runs[0].parents[3], only)


def lines_of(graph_file: Path, run_dir: Path, *only: str) -> dict[str, dict[str, Any]]:
    found = advise(asked(graph_file, run_dir, only=only)).data
    return {one["name"]: one for one in found["changes"]}


@pytest.fixture(autouse=True)
def table(monkeypatch: pytest.MonkeyPatch) -> None:
    """A table of known costs with times that nobody measured."""
    monkeypatch.setattr("ligament.advise.stage.read_table", lambda: TABLE)


def test_the_run_is_described_and_replayed(graph_file: Path, run_dir: Path) -> None:
    found = advise(asked(graph_file, run_dir)).data
    chain = found["chain"]
    assert chain["frames"] == 50
    assert (chain["p50_ns"], chain["replayed_p50_ns"]) == (LATENCY, LATENCY)
    assert (chain["p99_ns"], chain["replayed_p99_ns"]) == (LATENCY, LATENCY)
    assert found["warnings"] == []
    assert found["holds"][0] == "/rectify computes for 50 % of the chain's time (600 ns on average)"
    schema = json.loads((resources.spec_dir() / "report" / "advice.schema.json").read_text())
    jsonschema.validate(found, schema)


def test_each_change_is_predicted(graph_file: Path, run_dir: Path) -> None:
    found = lines_of(graph_file, run_dir)
    # In one process: three hops by the table, and the callbacks' ends.
    one = found["one_process"]["p50"]
    assert one == {"ns": 3 * (4 + 10 + 4) + 900, "low_ns": 954, "high_ns": 954}
    assert found["one_process"]["cost"]["processes"] == -3
    assert found["fuse_rectify_resize"]["p50"]["ns"] == 2 * (CALL + WAKE) + 900
    # 300 cycles of 10 ns and what is around them, in place of 600 ns.
    rectify = found["fpga_rectify"]
    assert rectify["p50"]["ns"] == pytest.approx(LATENCY - WORKED[1] + 3000 + 50)
    assert rectify["cycles"] == 300
    assert rectify["cost"]["cells"]["dsp"] > 100
    assert "300 cycles for 921,600 bytes" in rectify["based_on"][0]
    assert found["gpu_rectify"]["p50"] is None
    assert "what image/rectify takes on a GPU" in found["gpu_rectify"]["unpredicted"]


def test_a_run_with_a_simulated_device_takes_the_devices_time(
    graph_file: Path, tmp_path: Path
) -> None:
    folder = write_run(tmp_path / "modelled", simulated=7000)
    found = advise(asked(graph_file, folder)).data
    assert found["chain"]["p50_ns"] == LATENCY
    assert found["chain"]["replayed_p50_ns"] == LATENCY
    # The wait behind the simulator is no wait of the way.
    one = next(line for line in found["changes"] if line["name"] == "one_process")
    assert one["p50"]["ns"] == 3 * (4 + 10 + 4) + 900


def test_the_best_change_comes_first(graph_file: Path, run_dir: Path) -> None:
    found = advise(asked(graph_file, run_dir)).data["changes"]
    times = [one["p50"]["ns"] for one in found if one["p50"]]
    assert times == sorted(times)
    assert found[0]["name"] == "one_process"


def test_a_command_names_a_variant_or_a_mapping(graph_file: Path, run_dir: Path) -> None:
    found = lines_of(graph_file, run_dir, "one_process", "fuse_rectify_resize")
    words = shlex.split(found["one_process"]["command"])
    # The graph calls it `together`.
    assert words == ["ligament", "run", str(graph_file), "--variant", "together", "--trace"]
    words = shlex.split(found["fuse_rectify_resize"]["command"])
    assert words[3] == "--mapping"
    mapping = load_mapping(words[4])
    assert mapping.nodes["/rectify_resize"].replaces == ("/rectify", "/resize")


def test_it_is_told_in_sentences(graph_file: Path, run_dir: Path) -> None:
    text = advice_text(advise(asked(graph_file, run_dir)).data)
    assert "p50 1.2 us, p99 1.2 us; a replay of the run gives 1.2 us" in text
    assert "run all nodes in one process: p50 954 ns [954 ns, 954 ns] (-20.5%)" in text
    assert "put /rectify on the GPU: not predicted, as no run and no table tells" in text


def test_two_nodes_in_hardware_work_at_once_with_a_stream_between(graph_file: Path) -> None:
    text = graph_file.read_text()
    graph_file.write_text(text.replace("  together:", f"{STREAMED}  together:"))
    case = case_of(line(40, 50_000), graph_file)
    graph = load_graph(graph_file)
    costs = Costs(case.measured.samples, table=TABLE)
    change = next(c for c in find_changes(case, graph) if c.name == "streamed")
    assert change.mapping is not None
    assert change.mapping.topics["/rect"].mapped == "hardware"
    found = predict(case, change, costs)
    assert found.cycles == 300
    assert found.p50.value == 2 * (CALL + WAKE) + 3000 + 50


def test_a_topic_that_was_kept_in_memory_may_become_a_stream(graph_file: Path) -> None:
    text = graph_file.read_text()
    kept = STREAMED.replace("streamed", "kept") + "    transports: {rect: [shm]}\n"
    graph_file.write_text(text.replace("  together:", f"{kept}{STREAMED}  together:"))
    graph = load_graph(graph_file)
    mapping = map_graph(graph, load_platform("fpga_sim"), "kept")
    assert mapping.topics["/rect"].mapped == "software"
    case = replace(case_of(line(40, 50_000), graph_file), mapping=mapping)
    nodes = {(f"image/{name}", "fpga"): NodeTime("told", None, cycles, 50.0)
             for name, cycles in (("rectify", 300), ("resize", 200))}  # fmt: skip
    costs = Costs(case.measured.samples, table=TABLE, nodes=nodes)
    change = next(c for c in find_changes(case, graph) if c.name == "free_rect")
    assert (change.variant.name, change.platform) == ("streamed", "fpga_sim")
    found = predict(case, change, costs)
    # Both work at once now: the longer one counts, at 10 ns a cycle.
    assert (found.cycles, found.p50.value) == (300, 2 * (CALL + WAKE) + 3000 + 50)


def changes(graph_file: Path, **entry: Any) -> dict[str, Change]:
    hop = {"from": "/camera", "to": "/rectify", "between_ns": {"executor_wait": 500.0}}
    described = {"hops": [hop], "latency_ns": {"mean": 1200.0}} | entry
    case = case_of(line(40, 5000), graph_file, **described)
    return {change.name: change for change in find_changes(case, load_graph(graph_file))}


def test_what_is_proposed_depends_on_the_run(graph_file: Path) -> None:
    found = changes(graph_file)
    assert {"one_process", "together_camera_rectify", "one_core", "poll"} <= set(found)
    # Each node is alone in its process, and nobody took a core from it.
    assert not [name for name in found if name.startswith(("own_", "threads_", "priority"))]
    busy = [{"node": "/rectify", "cpu_ns": 1}]
    assert "priority" in changes(graph_file, nodes=busy)


def test_a_time_that_nobody_knows_is_not_invented(graph_file: Path) -> None:
    case = case_of(line(40, 5000), graph_file)
    change = next(c for c in find_changes(case, load_graph(graph_file)) if c.name == "one_process")
    with pytest.raises(UnpredictableError, match="publish call of a message to the same thread"):
        predict(case, change, Costs(case.measured.samples))


def _time_in(took: Any, node: int, frame: int) -> int:
    return int(took[node, frame])


def test_an_interval_holds_the_median_that_is_behind_it(graph_file: Path) -> None:
    """Of runs of the same system, at least nine in ten; 95 % are meant."""
    inside = 0
    for seed in range(40):
        took = np.tile(np.array(WORKED, dtype=np.int64)[:, None], 101)
        took[1] = np.random.default_rng(seed).lognormal(6, 0.4, 101)
        case = case_of(line(100, 50_000, partial(_time_in, took)), graph_file)
        found = replayed(case, Costs(case.measured.samples), seed)
        truth = 3 * (CALL + WAKE) + WORKED[2] + np.exp(6)
        inside += found.p50.low <= truth <= found.p50.high
    assert inside >= 36


def test_the_table_is_scaled_to_the_run(graph_file: Path) -> None:
    case = case_of(line(40, 5000), graph_file)
    slow = {"way": SHM, "asleep": True, "one_core": False, "bytes": 0, "p50": WAKE / 2, "p99": 90}
    costs = Costs(case.measured.samples, table={"messages": [*TABLE["messages"], slow]})
    change = next(c for c in find_changes(case, load_graph(graph_file)) if c.name == "one_process")
    # Here a wake takes twice as long as in the table, so all else does, too.
    assert predict(case, change, costs).p50.value == 3 * (8 + 10 + 8) + 900


def test_other_runs_tell_what_messages_cost(graph_file: Path) -> None:
    case = case_of(line(40, 5000), graph_file)
    pools = {Kind(THREAD, None): case.measured.samples[Kind(SHM, None)] * 0 + 7,
             Kind(THREAD, False): case.measured.samples[Kind(SHM, None)] * 0 + 1}  # fmt: skip
    costs = Costs(case.measured.samples, [("run 2", pools)], TABLE)
    change = next(c for c in find_changes(case, load_graph(graph_file)) if c.name == "one_process")
    found = predict(case, change, costs)
    assert found.p50.value == 3 * (7 + 10 + 1) + 900
    assert found.basis == ("messages of run 2",)


def test_a_node_of_another_run_is_scaled_by_what_both_runs_have(graph_file: Path) -> None:
    """The other computer is twice as fast, and only there it is known what /rectify takes."""
    own = case_of(line(40, 5000), graph_file, span_values=[])
    own.work.jobs[:] = [
        replace(job, compute_ns=0) if job.node == "/rectify" else job for job in own.work.jobs
    ]
    half = line(40, 5000, lambda node, _: WORKED[node] // 2)
    known = costs_of(own, [case_of(half, graph_file, span_values=[])]).nodes
    ((_, time),) = known.items()
    assert time.samples_ns is not None
    assert set(time.samples_ns) == {float(WORKED[1])}
    assert time.basis.endswith("times 2")


def test_what_ships_is_a_table() -> None:
    found = read_table()
    assert found["schema"] == SCHEMA
    assert {row["way"] for row in found["messages"]} >= {THREAD, SHM}
    assert all(row["p50"] >= 0 for row in found["messages"])


def test_a_check_says_how_far_it_was_off(graph_file: Path) -> None:
    checked = Checked("one_process", "run all nodes in one process")
    for predicted, measured in ((100.0, 110.0), (100.0, 150.0), (100.0, 108.0)):
        checked.note("p50", predicted, measured)
    assert checked.error("p50") == pytest.approx(1 - 100 / 110)
    assert not checked.is_missed("p50")
    checked.note("cycles", 100.0, 104.0)
    assert checked.is_missed("cycles")
    assert "cycles: predicted 100, measured 104; off by 3.8%, missed" in checked_text(checked)
    before = case_of(line(40, 5000), graph_file)
    after = case_of(line(40, 5000, lambda n, _: WORKED[n] * (2 if n == 1 else 1)), graph_file)
    checked.off = why_off(before, after)
    assert checked.why() == ["/rectify computed 2.00 times as long as in the run before"]
    checked.off.append(replace(checked.off[0], values=(1.5,)))
    assert checked.why() == ["/rectify computed 1.50 to 2.00 times as long as in the run before"]


@pytest.mark.parametrize(
    ("run", "says"),
    [
        ({"graph": "other"}, "is a run of the graph 'other'"),
        ({"schema": "ligament/run/9"}, "is no run"),
    ],
)
def test_a_run_that_does_not_fit_is_refused(
    graph_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], run: Any, says: str
) -> None:
    folder = write_run(tmp_path / "wrong", run=run)
    assert main(["advise", str(graph_file), "--runs", str(folder)]) == 2
    assert says in capsys.readouterr().err


def test_a_run_without_a_trace_says_what_to_record(
    graph_file: Path, run_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (run_dir / "events.parquet").unlink()
    data = json.loads((run_dir / "run.json").read_text())
    (run_dir / "run.json").write_text(json.dumps({**data, "trace": None}))
    assert main(["advise", str(graph_file), "--runs", str(run_dir)]) == 2
    assert "hint: record one: ligament run GRAPH --variant processes --trace" in (
        capsys.readouterr().err
    )


def test_a_short_run_says_how_much_is_needed(
    graph_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_run(tmp_path / "short", frames=12)
    assert main(["advise", str(graph_file), "--runs", str(folder)]) == 2
    told = capsys.readouterr().err
    assert "only 2 messages went from a source to the end of a chain" in told
    assert "expected: at least 20" in told


def test_a_recording_of_another_system_is_refused(
    graph_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_run(tmp_path / "ros", provider="ros2")
    assert main(["advise", str(graph_file), "--runs", str(folder)]) == 2
    assert "a recording of ros2_tracing's events" in capsys.readouterr().err


def test_bad_options_are_told(
    graph_file: Path, run_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["advise", str(graph_file)]) == 2
    assert "advice needs a traced run" in capsys.readouterr().err
    assert main(["advise", str(graph_file), "--runs", str(run_dir), "--only", "one_proces"]) == 2
    assert "did you mean 'one_process'?" in capsys.readouterr().err
    (run_dir.parents[1] / "mapping.json").unlink()
    assert main(["advise", str(graph_file), "--runs", str(run_dir)]) == 2
    assert "has no mapping.json above it" in capsys.readouterr().err


def test_json_is_printed_and_kept(
    graph_file: Path, run_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = run_dir.parents[3]
    words = ["advise", str(graph_file), "--runs", str(run_dir), "--out", str(out), "--json"]
    assert main(words) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed == json.loads((run_dir.parents[1] / "advise" / "advice.json").read_text())
