# SPDX-License-Identifier: Apache-2.0
"""A graph of three nodes: everything that `ligament bench scale` says of large ones."""

from __future__ import annotations

import io
import os
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from ligament.bench import measuring, scale
from ligament.bench import scale_graph as outside
from ligament.bench.goals import judged
from ligament.bench.scale_graph import Graph, Size
from ligament.errors import FailureError, InputError


@pytest.fixture(scope="module")
def three() -> Iterator[tuple[Graph, outside.Start]]:
    try:
        measuring.program("ligament-bench-scale")
    except FailureError as error:
        pytest.skip(str(error))
    with scale.started(Size(3)) as made:
        yield made


def test_all_ends_are_matched_and_the_start_is_timed(three: tuple[Graph, outside.Start]) -> None:
    _, start = three
    assert 0 < start.created_s <= start.matched_s
    assert start.cpu_s > 0


def test_every_topic_has_its_segments(three: tuple[Graph, outside.Start]) -> None:
    graph, _ = three
    kinds = Counter(kind for kind, _ in outside.segments(graph.nodes[1].pid).values())
    assert kinds.pop("chunk") >= 5
    assert kinds == {"writer": 5, "reader": 5, "bell": 1, "directory": 1, "rows": 1}


def test_memory_is_counted_per_process_and_kind(three: tuple[Graph, outside.Start]) -> None:
    graph, _ = three
    rows = {r["metric"]: r for r in scale.memory_rows(graph, outside.available_bytes())}
    assert rows["memory_per_process"]["n"] == 3
    assert rows["memory_per_process"]["p50"] > 100_000
    assert rows["segments_per_process_directory"]["p50"] == 4096
    assert rows["segments_per_process_writer"]["p50"] == 5 * 16384


def test_idle_processes_are_watched_thread_by_thread(three: tuple[Graph, outside.Start]) -> None:
    graph, _ = three
    rows = {r["metric"]: r for r in scale.idle_rows(graph, 0.6)}
    assert rows["idle_cpu"]["p50"] == pytest.approx(rows["idle_cpu_per_node"]["mean"] * 3)
    assert rows["idle_cpu_per_topic"]["p50"] == pytest.approx(rows["idle_cpu"]["p50"] / 15)
    assert "idle_wakes_of_ligament-house" in rows


def test_probes_arrive_and_the_load_is_published(three: tuple[Graph, outside.Start]) -> None:
    graph, _ = three
    before = graph.counts()
    plan = scale.Plan([3], 1, 1, 20, 1000, 1.0, 100.0)
    quiet = scale.one_pass(graph, graph, plan, 0.0)
    between = graph.counts()
    loaded = scale.one_pass(graph, graph, plan, plan.load_hz)
    after = graph.counts()
    # Two warm up; a busy machine may take others too late, which is counted.
    assert 36 - after["lost"] <= len(quiet) + len(loaded) <= 36
    assert all(latency > 0 for latency in quiet + loaded)
    assert between["published"] - before["published"] == 20
    assert after["published"] - between["published"] > 20
    assert after["failed"] == 0


def test_a_node_that_ends_is_named_with_what_it_said(tmp_path: Path) -> None:
    program = tmp_path / "node"
    program.write_text("#!/bin/sh\necho 'no room for it' >&2\nexit 1\n")
    program.chmod(0o755)
    with (
        pytest.raises(FailureError, match=r"node \d of the graph ended: no room for it"),
        outside.graph(program, Size(2), "none") as made,
    ):
        made.start()


def test_a_node_that_hangs_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outside, "PATIENCE_S", 0.3)
    program = tmp_path / "node"
    program.write_text("#!/bin/sh\nread line\n")
    program.chmod(0o755)
    with (
        pytest.raises(FailureError, match="2 of 2 nodes did not get as far as 'created'"),
        outside.graph(program, Size(2), "none") as made,
    ):
        made.start()


def test_the_processes_end_with_the_graph() -> None:
    with tempfile.NamedTemporaryFile("w") as errors:
        graph = Graph(Path("/bin/cat"), Size(2), "none", errors.file)
        graph.nodes = [outside.Node(["/bin/cat"], errors.file) for _ in range(2)]
        pids = [node.pid for node in graph.nodes]
        graph.stop()
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids)


@pytest.mark.parametrize("nodes", ["1", "ten", "10,1000"])
def test_a_senseless_size_is_refused(nodes: str) -> None:
    with pytest.raises(InputError, match="numbers from 2 to 500"):
        scale.plan_of(True, scale.Options(nodes=nodes))


def test_quick_is_ten_nodes_and_the_whole_is_three_sizes() -> None:
    assert scale.plan_of(True, scale.Options()).nodes == [10]
    assert scale.plan_of(False, scale.Options()).nodes == [10, 50, 200]
    assert scale.plan_of(False, scale.Options()).idle_s >= 10


def figures(start_up: float, ratio: float) -> dict[str, Any]:
    params = {"nodes": 200, "topics": 1000}
    row = {"bench": "scale", "params": params, "peer": "ligament", "unit": "s", "n": 1,
           "p99": 1.0, "mean": 1.0, "sd": 0.0}  # fmt: skip
    loaded = params | {"load_hz": 10.0}
    return {
        "rows": [
            row | {"metric": "start_up", "p50": start_up},
            row | {"metric": "latency_one_way", "p50": 9000.0, "unit": "ns", "params": loaded},
            row | {"metric": "memory_per_topic_beyond_declared", "p50": 63_000.0, "unit": "B",
                   "params": {"nodes": 10, "topics": 550, "bytes": 64}},
        ],
        "comparisons": [{"params": loaded, "median": ratio, "low": ratio, "high": ratio,
                         "metric": "latency_one_way", "peer": "two nodes", "kind": "ratio",
                         "passes": 10}],
    }  # fmt: skip


def test_goals_are_judged() -> None:
    result = figures(4.0, 1.3)
    assert [line.sentence() for line in judged(scale.FIGURES, result)] == [
        "start-up, 200 nodes: <= 5 s: reached (4 s)",
        "latency in 200 nodes to that in two, other topics at 10 Hz: "
        "<= 1.2 x two nodes: 1.30 [1.30, 1.30]: missed (9 us)",
        "memory per idle topic beyond depth x size: <= 64 kB: reached (63 kB)",
    ]


@pytest.mark.parametrize(
    ("low", "high", "said"), [(0.9, 1.1, "no difference shown to two"), (1.1, 1.5, "1.30 x two")]
)
def test_a_ratio_is_told_where_its_interval_leaves_out_one(
    low: float, high: float, said: str
) -> None:
    text, result = io.StringIO(), figures(4.0, 1.3)
    result["comparisons"][0] |= {"low": low, "high": high}
    scale.print_result(Console(file=text, width=200), result)
    assert f"topics: {said} nodes [{low:.2f}, {high:.2f}]" in text.getvalue()


def test_the_cpu_clock_of_another_process_is_read() -> None:
    assert outside.process_cpu_s(os.getpid()) > 0


def test_the_descriptors_of_a_process_are_counted() -> None:
    before = outside.descriptors(os.getpid())
    with open(os.devnull), open(os.devnull):
        assert outside.descriptors(os.getpid()) == before + 2
