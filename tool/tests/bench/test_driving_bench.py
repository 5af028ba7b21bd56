# SPDX-License-Identifier: Apache-2.0
"""The driving bench: chain alpha from a trace, drives from their logs, goals and pictures."""

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

from ligament.bench.driving import Options, drives, measure, peers, pictures, running
from ligament.bench.driving import alpha as alphas
from ligament.bench.driving import chain as chains
from ligament.bench.driving.goals import FIGURES
from ligament.bench.goals import lines_of
from ligament.bench.measuring import Measured
from ligament.errors import FailureError, InputError
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


def log(path: Path, options: dict[str, Any], *, end: bool = True, **last: Any) -> Path:
    """The log of a drive on a line, 12 mm beside its middle."""
    track = {"length": 10.0, "lane_width": 0.3, "stop_line": 0.4, "outline": []}
    lines: list[dict[str, Any]] = [{"event": "start", "track": track, "options": options}]
    lines += [
        {"event": "frame", "frame": k, "t": k / 30, "speed": 0.2, "lateral": -0.012, "lap": 1}
        for k in range(30)
    ]
    lines += [{"event": "lap", "lap": 1, "t": 1.0, "seconds": 51.5}]
    lines += [{"event": "stop", "obeyed": True, "t": 0.5}]
    if end:
        done = {"event": "end", "reason": "laps done", "laps": 1, "missed": 0, "extra": 0}
        lines.append({**done, **last})
    path.write_text("\n".join(map(json.dumps, lines)) + "\n")
    return path


PARAMS = {"weather": "good", "seed": 1, "laps": 1}


def test_a_drive_becomes_rows(tmp_path: Path) -> None:
    figures = drives.figures_of(log(tmp_path / "drive.jsonl", {"seed": 1}))
    rows = {r["metric"]: r for r in drives.rows_of(PARAMS, figures)}
    assert rows["lateral_p95"]["p50"] == pytest.approx(12)
    assert (rows["lap"]["p50"], rows["laps_done"]["p50"]) == (51.5, 1)
    assert (rows["departures"]["p50"], rows["red_lights_run"]["p50"]) == (0, 0)
    assert rows["lap"]["params"]["outcome"] == "laps done"


def test_an_image_without_a_command_makes_a_drive_worthless(tmp_path: Path) -> None:
    path = log(tmp_path / "drive.jsonl", {}, missed=2)
    with pytest.raises(FailureError, match="2 images had no command"):
        drives.figures_of(path)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, "laps done"),
        ({"departures": 1}, "left the lane"),
        ({"red_lights": 2}, "ran a red light"),
        ({"reason": "stuck", "laps": 0}, "safe stop"),
        ({"reason": "stuck", "departures": 1}, "left the lane"),
        ({"reason": "lost", "laps": 0}, "lost"),
    ],
)
def test_outcomes_in_words(change: dict[str, Any], expected: str) -> None:
    figures = {"departures": 0, "red_lights": 1, "stops_obeyed": 1, "reason": "laps done",
               "laps": 1, **change}  # fmt: skip
    assert drives.outcome(figures, 1) == expected


def test_only_a_whole_log_of_the_same_drive_is_taken_again(tmp_path: Path) -> None:
    options = {"seed": 1, "laps": 1, "noise": 12.0}
    patient = {**options, "reply_timeout_s": 120.0}
    driven = {**options, "reply_timeout_s": 5.0, "blur": 0}
    assert drives.is_whole(log(tmp_path / "a", driven), patient)
    assert not drives.is_whole(log(tmp_path / "b", {**driven, "noise": 3.0}), patient)
    assert not drives.is_whole(log(tmp_path / "c", driven, end=False), patient)
    assert not drives.is_whole(log(tmp_path / "d", driven, reason="stopped"), patient)
    assert not drives.is_whole(log(tmp_path / "f", driven, extra=1), patient)
    assert not drives.is_whole(tmp_path / "none", patient)
    (tmp_path / "e").write_text("no log\n")
    assert not drives.is_whole(tmp_path / "e", patient)


def test_kept_drives_are_not_driven_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    driven: list[str] = []

    def drive(one: drives.Planned, path: Path) -> None:
        driven.append(one.name)
        log(path, dict(one.options))

    monkeypatch.setattr(drives, "_drive", drive)
    planned = drives.late_drives(quick=True)
    first, again = Measured([]), Measured([])
    drives.measure_drives(planned, str(tmp_path), first)
    drives.measure_drives(planned, str(tmp_path), again)
    assert driven == [one.name for one in planned]
    assert again.rows == first.rows and not again.failures


def test_what_is_planned() -> None:
    full = drives.weather_drives(quick=False)
    good = [one for one in full if one.params["weather"] == drives.GOOD]
    assert len(good) == 10 and {one.params["laps"] for one in good} == {3}
    assert len({one.name for one in [*full, *drives.late_drives(quick=False)]}) == len(
        [*full, *drives.late_drives(quick=False)]
    )
    assert [one.params["seed"] for one in drives.weather_drives(False, (4, 2))[:2]] == [4, 2]


def test_delays_of_the_command_line_are_driven_alone() -> None:
    late = [one.options["command_delay_ms"] for one in drives.late_drives(False, (0, 274))]
    assert late == [0, 274]


def row_result(**more: Any) -> dict[str, Any]:
    figures = {"departures": 0, "red_lights": 1, "stops_obeyed": 1, "reason": "laps done",
               "laps": 1, "lap_s": [50.0], "lateral_m": {"p95": 0.04, "max": 0.05}}  # fmt: skip
    params = more.pop("params", PARAMS)
    return {"rows": drives.rows_of(params, {**figures, **more})}


def verdicts(result: dict[str, Any]) -> dict[str, str]:
    return {line.what: line.verdict for line in lines_of(FIGURES, result)}


def test_good_weather_has_the_stricter_goal() -> None:
    assert verdicts(row_result())["lateral error p95, good weather"] == "missed"
    worn = {"weather": "worn", "seed": 1, "laps": 1}
    assert verdicts(row_result(params=worn))["lateral error p95, worn"] == "reached"


def test_a_safe_stop_is_allowed_in_bad_weather_only_without_leaving_the_lane() -> None:
    worn = {"weather": "worn", "seed": 1, "laps": 1}
    stopped = verdicts(row_result(params=worn, reason="stuck", laps=0))
    assert stopped["laps, worn: safe stop"] == "reached"
    assert "lateral error p95, worn" not in stopped
    left = verdicts(row_result(params=worn, reason="stuck", laps=0, departures=1))
    assert left["lane departures, worn"] == "missed"
    assert left["laps, worn: left the lane"] == "missed"


def test_pictures_show_each_drive_and_each_variant() -> None:
    rows = []
    for one in drives.late_drives(quick=False):
        rows += row_result(params=dict(one.params))["rows"]
    rows[1]["params"]["outcome"] = "left the lane"
    picture = pictures.delay_picture(rows)
    ElementTree.fromstring(picture)
    assert picture.count("<circle") == 3 + 1 + len(drives.late_drives(quick=False))
    bars = pictures.chain_picture(chain_result().rows)
    ElementTree.fromstring(bars)
    assert bars.count("message passing: 1.5 us") == 1
    assert bars.count("<title>") == 2 * 6


def test_an_unknown_part_is_refused() -> None:
    with pytest.raises(InputError, match="--only 'chains' cannot be used"):
        measure(True, Options(only="chains"))
