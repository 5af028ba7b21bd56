# SPDX-License-Identifier: Apache-2.0
"""The driving bench: chain alpha and CPU time from runs, peers, goals and their picture."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from ligament.bench.driving import alpha as alphas
from ligament.bench.driving import chain as chains
from ligament.bench.driving import peers, pictures, running
from ligament.bench.driving.goals import FIGURES
from ligament.bench.goals import lines_of
from ligament.bench.measuring import Measured
from ligament.errors import FailureError
from ligament.graph import load_graph
from ligament.report.database import open_events

sys.path.insert(0, str(Path(__file__).parents[1] / "report"))
from made_up_traces import Trace

#: Ids: node k has publisher 100 + k and takes what k - 1 published by subscription 200 + k.
TOPICS = ("/camera/image_raw", "/A", "/B", "/C", "/D", "/cmd_vel")
NAMES = ("/camera", *alphas.NODES)


def trace() -> Trace:
    """The graph's names: each node has one span."""
    found = Trace()
    for k, (name, topic) in enumerate(zip(NAMES, TOPICS, strict=True)):
        found.add(0, "node_init", node=k + 1, name=name)
        found.add(0, "topic_init", topic=10 + k, name=topic, message="m")
        found.add(0, "publisher_init", publisher=100 + k, topic=10 + k, node=k + 1)
        found.add(0, "span_name", span=300 + k, node=k + 1, name="work", category="compute")
    for k in range(len(NAMES)):  # the camera takes the command
        node = k + 2 if k + 1 < len(NAMES) else 1
        found.add(0, "subscription_init", subscription=201 + k, topic=10 + k, node=node)
    return found


def add_frame(found: Trace, start: int, seq: int, work: int = 100) -> None:
    """Each node takes 10 after it was sent, works, and sends after 5, which takes 3."""
    now = start
    found.publish(now, now + 3, 1, 100, seq)
    for k in range(1, len(NAMES)):
        now += 10
        found.take(now, 1 + k, 200 + k, 99 + k, seq)
        found.span(now, now + work * k, 1 + k, 300 + k)
        now += work * k + 5
        found.publish(now, now + 3, 1 + k, 100 + k, seq).end(now + 4, 1 + k, 200 + k)
    found.take(now + 10, 1, 206, 105, seq).end(now + 11, 1, 206)


def test_alpha_goes_from_the_first_take_to_the_command(tmp_path: Path) -> None:
    found = trace()
    for seq in range(1, 5):
        add_frame(found, seq * 10_000, seq, 100 + seq)
    alpha = alphas.alpha_of(open_events(found.write(tmp_path / "events.parquet")), warm_up=1)
    computed = 15 * np.array([102, 103, 104])
    # Five times 5 until it is sent, four times 10 until it is taken, 3 to publish the command.
    assert list(alpha.total) == list(computed + 5 * 5 + 4 * 10 + 3)
    assert list(alpha.passing) == [68] * 3
    assert list(alpha.compute["/lane_control"]) == [510, 515, 520]
    assert {name: list(v) for name, v in alpha.between.items()} == {
        name: [10] * 3 for name in alphas.NODES[1:]
    }
    assert alpha.rate_hz == pytest.approx(1e9 / (10_000 + 15))


@pytest.mark.parametrize(("step", "overlaps"), [(10_000, 0), (1_000, 2)])
def test_images_that_overlap_are_counted_and_told(tmp_path: Path, step: int, overlaps: int) -> None:
    found = trace()
    for seq in range(1, 5):
        add_frame(found, seq * step, seq)
    alpha = alphas.alpha_of(open_events(found.write(tmp_path / "events.parquet")), warm_up=1)
    assert alpha.overlaps == overlaps
    assert len(chains.overlap_notes("one", alpha)) == bool(overlaps)


@pytest.mark.parametrize(
    ("overlaps", "taken"), [([0, 9], 0), ([9, 0], 1), ([9, 9, 9, 0], 2), ([1, 0], 0)]
)
def test_a_pass_with_overlaps_is_run_again_twice_at_most(overlaps: list[int], taken: int) -> None:
    found = iter([(replace(made_up_alpha(1000, 100), overlaps=n), []) for n in overlaps])
    alpha, _ = chains.one_in_flight(lambda: next(found))
    assert alpha.overlaps == overlaps[taken]
    assert len(list(found)) == len(overlaps) - taken - 1


def test_cpu_time_is_that_between_the_first_and_the_last_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [
        {
            "event": "status", "container": container, "t_ns": t_ns,
            "nodes": [{"id": node, "cpu_ns": cpu_ns, "publishers": [{"published": sent}]}],
        }
        for container, node, figures in (
            ("a", "/image_compensation", [(0, 5000, 10), (1000, 9000, 30), (2000, 25_000, 50)]),
            ("b", "/lane_control", [(100, 100, 0), (1100, 1100, 3)]),
            ("c", "/starts", [(0, 7, 1)]),
        )
        for t_ns, cpu_ns, sent in figures
    ]  # fmt: skip
    (tmp_path / "status.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n")
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {3, 4})
    rows = {r["params"].get("node"): r["p50"] for r in chains.cpu_rows(tmp_path, {})}
    # 40 frames in 2000 ns: one in 50 ns.
    assert rows.pop(None) == 2e9 / 550
    assert rows == {"/image_compensation": 500, "/lane_control": 50}


def test_who_computes_longest_is_to_be_accelerated_first() -> None:
    slow = made_up_alpha(1000)
    slow.compute["/image_projection"][:] = 600
    rows = alphas.rows_of([slow], {"variant": "processes", "images": "road"})
    (note,) = chains.first_to_accelerate(rows)
    assert note.startswith("accelerate /image_projection first")
    assert chains.first_to_accelerate([]) == []


def test_a_graph_of_the_bench_has_a_name_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "OUT", tmp_path)
    monkeypatch.setenv("ROS_DOMAIN_ID", "7")
    graph = load_graph(running.own_copy(running.LANES))
    assert graph.name == "bench_driving_lanes_7"
    (simulator,) = graph.executables.values()
    assert Path(simulator.executable) == running.EXAMPLE / "simulator.py"


def test_what_a_run_refuses_costs_its_own_part_alone(tmp_path: Path) -> None:
    result = Measured([])
    with result.attempt("part"), running.run_of(tmp_path / "build.json", {}):
        pass
    assert len(result.failures) == 1 and result.failures[0].startswith("part: ")


def test_a_run_without_the_chain_names_who_is_there(tmp_path: Path) -> None:
    found = Trace().names()
    for seq in range(1, 4):
        found.frame(seq * 10_000, seq)
    with pytest.raises(FailureError) as error:
        alphas.alpha_of(open_events(found.write(tmp_path / "events.parquet")))
    assert "no message passed /image_compensation" in str(error.value)
    assert "/rectify" in (error.value.hint or "")


def test_a_run_that_only_warmed_up_is_no_result(tmp_path: Path) -> None:
    found = trace()
    add_frame(found, 10_000, 1)
    with pytest.raises(FailureError, match="1 whole messages, none after the warm-up"):
        alphas.alpha_of(open_events(found.write(tmp_path / "events.parquet")), warm_up=1)


def made_up_alpha(total: int, count: int = 20) -> alphas.Alpha:
    values = np.array([total] * count)
    part = {name: np.array([total // 10] * count) for name in alphas.NODES}
    return alphas.Alpha(values, part, dict.fromkeys(alphas.NODES[1:], values // 100), 30.0)


def chain_result(dds: int = 3000) -> Measured:
    result = Measured([])
    found = {"processes": [made_up_alpha(1000)] * 6, "dds": [made_up_alpha(dds)] * 6}
    for variant, of in found.items():
        result.rows += alphas.rows_of(of, {"variant": variant, "images": "road"})
    chains.compare(found, result)
    result.rows += chains.floor_of(50.0, result.rows)
    return result


def test_rows_of_all_passes_and_the_ratio_to_shared_memory() -> None:
    result = chain_result()
    rows = {(r["params"].get("variant"), r["metric"]): r for r in result.rows}
    assert rows["processes", "chain"]["n"] == 120
    assert rows["processes", "message_passing"]["p50"] == 500
    assert rows["processes", "jitter"]["p50"] == 0
    assert rows[None, "speed_up"]["p50"] == 3.0
    lines = {line.what: line for line in lines_of(FIGURES, {"rows": result.rows})}
    line = lines["message passing in chain alpha of `processes`, road"]
    assert (line.judged, line.verdict) == (0.5, "missed") and line.goal.why
    assert line.floor == ("futex", 0.2), "four wakes of 50 in a chain of 1000"
    assert lines["chain alpha over `dds`, times that over `shm`"].told == 3.0


def told(node: str, shift: int, count: int = 14) -> dict[str, Any]:
    frames = [(k * 1000, k * 1000 + shift, 50, k * 1000 + shift + 60) for k in range(count)]
    return {"node": node, "frames": frames}


def test_peers_are_joined_by_stamp() -> None:
    names = [node.removeprefix("/") for node in alphas.NODES]
    said = [told(name, 100 * k, 14 - (k == 2)) for k, name in enumerate(names)]
    rows = {(r["metric"], r["params"].get("node")): r for r in peers.rows_of(said, "p")}
    # The last frame is missing at one node, ten warm up.
    assert rows["chain", None]["n"] == 3
    assert rows["chain", None]["p50"] == 400 + 60
    assert rows["message_passing", None]["p50"] == 460 - 5 * 50
    with pytest.raises(FailureError, match="no frame passed all nodes"):
        peers.rows_of(said[:-1], "p")


def test_the_picture_shows_each_variant() -> None:
    bars = pictures.chain_picture(chain_result().rows)
    ElementTree.fromstring(bars)
    assert bars.count("message passing: 1.5 us") == 1
    assert bars.count("<title>") == 2 * 6
