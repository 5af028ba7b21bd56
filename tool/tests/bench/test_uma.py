# SPDX-License-Identifier: Apache-2.0
"""`ligament bench uma`: what it makes of times, its tables, and a small real run of each line."""

from __future__ import annotations

import io
import json
from importlib import import_module
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest
from rich.console import Console

from ligament import resources
from ligament.bench import framework, uma
from ligament.bench.awake import ASLEEP
from ligament.bench.measuring import said_last
from ligament.bench.uma import cells, claims, published, sizes
from ligament.bench.uma.bounds import student_quantile, upper_bound
from ligament.bench.uma.cells import COPIED, HANDED_OVER, SERVICE, SHARED, TOPIC, Cell, Line
from ligament.bench.uma.measure import chosen_cells, refusals, run_cell, runs_of
from ligament.bench.uma.measure import rows_of_cell as rows_of
from ligament.bench.uma.paper import LEAST_COPIED, OVERHEAD
from ligament.bench.uma.plot import write_plots
from ligament.bench.uma.sizes import Sizes, Work
from ligament.bench.uma.table import moved
from ligament.errors import FailureError, InputError

FOUND = {
    "native_ns": [1_000_000, 1_000_000, 2_000_000],
    "ros_ns": [1_100_000, 1_200_000, 2_600_000],
    "launch_ns": [3000, 4000, 9000],
    "launch_own_ns": [500, 600, 700],
    "device": "some device",
    "bytes": 4096,
    "rows": 32,
    "columns": 32,
    "steps": 10,
    "cpu_repeats": 3,
    "gpu_repeats": 2,
    "warm_up": 2,
    "messages": 60,
    "copied_out": 60,
    "taken": 60,
    "copied_in": 60,
    "device_copies": 60,
    "device_bytes": 60 * 4096,
    "imported": 4,
    "import_ns": 8000,
}


WORK = Work(step_us=5000, cpu_repeats=3, gpu_repeats=2, cpu_part_us=2400, gpu_part_us=2100)


def rows_of_cell(cell: Cell, found: dict[str, Any]) -> list[dict[str, Any]]:
    return rows_of(cell, found, WORK)


def cell(workload: str, nodes: int, mode: str = SHARED, by: str = TOPIC, model: str = "ZC") -> Cell:
    return Cell(workload, Line(nodes, mode, by, model))


def result(rows: list[dict[str, Any]]) -> dict[str, Any]:
    context: dict[str, Any] = {"machine": {}, "commit": None, "command": ["uma"], "versions": {}}
    return {"schema": framework.SCHEMA, "context": context, "rows": rows, "notes": ["a note"]}


def scaled(factor: float) -> dict[str, Any]:
    return {**FOUND, "ros_ns": [int(n * factor) for n in FOUND["ros_ns"]]}  # type: ignore[attr-defined]


def test_the_overhead_is_that_of_each_pair_of_runs() -> None:
    rows = rows_of_cell(cell("cache", 2), FOUND)
    native, ros, overhead, step, launch, own, copies, size, first = rows
    assert (native["peer"], ros["peer"]) == ("native", "ligament")
    assert native["p50"] == 1.0
    assert (overhead["metric"], overhead["unit"]) == ("overhead", "percent")
    assert overhead["mean"] == pytest.approx(20.0)
    assert overhead["upper95"] == pytest.approx(20.0 + 2.92 * 10.0 / 3**0.5, rel=0.02)
    assert step["p50"] == pytest.approx(20.0)
    assert (launch["metric"], launch["p50"]) == ("launch", 4.0)
    assert (own["metric"], own["p50"]) == ("launch_own", 0.6)
    assert (copies["metric"], copies["mean"]) == ("copies_per_message", 3.0)
    assert (size["metric"], size["mean"], size["unit"]) == (
        "device_bytes_per_message",
        4096,
        "bytes",
    )
    assert (first["metric"], first["mean"]) == ("registration", 8.0)
    assert overhead["params"]["nodes"] == 2
    document = json.loads((resources.spec_dir() / "report" / "bench.schema.json").read_text())
    jsonschema.validate(result(rows), document)


@pytest.mark.parametrize(("freedom", "quantile"), [(4, 2.132), (9, 1.833), (29, 1.699)])
def test_the_bound_is_students(freedom: int, quantile: float) -> None:
    assert student_quantile(0.95, freedom) == pytest.approx(quantile, rel=0.01)


def test_one_run_has_no_bound() -> None:
    assert upper_bound([1.0]) == float("inf")


def test_tables_have_the_papers_figures_beside_ours() -> None:
    rows = rows_of_cell(cell("concurrent", 2), FOUND)
    rows += rows_of_cell(cell("concurrent", 3), FOUND)
    rows += published.rows_of(rows)
    printed = io.StringIO()
    uma.print_result(Console(file=printed, width=100), result(rows))
    text = printed.getvalue()
    assert "1316.1 (33.9)" in text  # TX2, concurrent, ZC without ROS
    assert "256.9 (6.1)" in text
    assert "+20.0%" in text
    assert "-11%" in text
    assert "+76%" in text
    assert "ZC model" in text
    flowing = text.replace("\n", " ")
    assert "4.0 to 4.0 us, of which 0.6 to 0.6 us are ours (goal 5 us: reached)" in flowing
    assert "per message, counted, at most: ZC 0.00 MB; apart" in flowing
    assert "took 8 to 8 us per cell" in flowing


def test_a_cards_copies_are_compared_with_bare_ones() -> None:
    times = {"copy_in_ns": [110], "pinned_in_ns": [100], "copy_out_ns": [200]}
    rows = rows_of_cell(cell("cache", 2, model="SC"), {**FOUND, **times, "pinned_out_ns": [190]})
    shares = {r["metric"]: r["mean"] for r in rows if r["metric"].endswith("_share")}
    assert shares == {
        "copy_in_share": pytest.approx(100 / 110),
        "copy_out_share": pytest.approx(0.95),
    }
    assert "copies reach 91 % of bare pinned ones" in moved(rows)


def test_the_papers_tables_are_whole() -> None:
    assert OVERHEAD["TX2", "concurrent"][2, COPIED, TOPIC, "SC"] == LEAST_COPIED == 343
    assert OVERHEAD["Xavier", "concurrent"][5, COPIED, TOPIC, "SC"] == 11392
    assert OVERHEAD["Xavier", "cache"][2, HANDED_OVER, TOPIC, "ZC"] == 167
    assert OVERHEAD["TX2", "cache"][3, COPIED, SERVICE, "SC"] == 711


def test_the_claim_about_unified_memory_is_checked() -> None:
    rows = rows_of_cell(cell("cache", 2, model="SC"), FOUND)
    rows += rows_of_cell(cell("cache", 2, model="UM"), scaled(1.05))
    rows += rows_of_cell(cell("concurrent", 2, model="SC"), FOUND)
    rows += rows_of_cell(cell("concurrent", 2, model="UM"), scaled(1.2))
    found = claims.unified_memory(rows)
    assert [row["mean"] for row in found] == [pytest.approx(5.0), pytest.approx(20.0)]
    (note,) = claims.unified_memory_note(found)
    assert "holds in 1 of 2 places by the means, in 0 by the whole 95 % interval" in note
    assert note.endswith("the farthest is +20.0 %")
    steady = {**FOUND, "ros_ns": [1_000_000, 1_000_001, 1_000_000]}
    rows = rows_of_cell(cell("cache", 2, model="SC"), steady)
    rows += rows_of_cell(cell("cache", 2, model="UM"), steady)
    assert "in 1 by the whole" in claims.unified_memory_note(claims.unified_memory(rows))[0]
    assert claims.unified_memory_note([]) == []


@pytest.mark.parametrize(("factor", "verdict"), [(1.0, "not reached"), (9.0, "reached")])
def test_the_sizes_are_judged_by_the_least_overhead_of_copies(factor: float, verdict: str) -> None:
    rows = rows_of_cell(cell("cache", 2, COPIED, TOPIC, "SC"), scaled(factor))
    rows += rows_of_cell(cell("cache", 2), FOUND)
    note = claims.calibration(rows)
    assert "(343 asked)" in note
    assert note.rpartition("topic: ")[2].startswith(verdict)
    assert "not measured in this run (343 % asked)" in claims.calibration(rows[9:])


def test_a_step_is_as_long_as_what_copies_add_allows(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[list[str]] = []

    def run(_workload: str, words: list[str], _options: uma.Options) -> dict[str, Any]:
        told.append(words)
        if "--calibrate" in words:
            parts = {"cpu_part_ns": 1_000_000, "gpu_part_ns": 900_000}
            return {"cpu_repeats": 7, "gpu_repeats": 2, **parts}
        without = 1_000_000
        added = sizes.PROBE_STEPS * 17_150_000  # per exchange
        return {"native_ns": [without, without], "ros_ns": [without + added, without + 2 * added]}

    monkeypatch.setattr(sizes, "run_program", run)
    found = Sizes(uma.Options(middleware="pool"))
    works = [found.work_of(cell("cache", nodes)) for nodes in (2, 3, 2)]
    assert [work.step_us for work in works] == [int(17_150 / (3.43 * sizes.MARGIN))] * 3
    assert works[0].words == ["--cpu-repeats=7", "--gpu-repeats=2"]
    assert ["--calibrate" in words for words in told] == [False, True, True]
    assert any("costs 17150 us more" in note and "343 %" in note for note in found.notes)
    told.clear()
    asked = Sizes(uma.Options(middleware="pool", step_us=2500)).work_of(cell("cache", 2))
    assert asked.step_us == 2500
    assert told[0][-2:] == ["--step-us", "2500"]


def test_why_a_program_ended_is_its_own_last_sentence() -> None:
    own = "ligament-bench-uma: the GPU node's sum is wrong"
    name = "ligament-bench-uma"
    edge = "[INFO] an edge is there\n"
    assert said_last(f"{own}\n{edge}", 1, name) == f"{own} (exit 1)"
    assert said_last(f"[ERROR] no memory\n{edge}", 2, name) == "[ERROR] no memory (exit 2)"
    assert said_last("Killed\n", -9, name) == "Killed (exit -9)"
    assert said_last("", 3, name) == "exit 3"


def test_the_published_profile_is_a_model_by_the_papers_factor() -> None:
    rows = rows_of_cell(cell("cache", 2), FOUND)
    native, ros, overhead = published.rows_of(rows)
    factor = 8509.1 / 833.0
    assert native["mean"] == pytest.approx(rows[0]["mean"] * factor)
    assert ros["mean"] - native["mean"] == pytest.approx(rows[1]["mean"] - rows[0]["mean"])
    assert overhead["mean"] < rows[2]["mean"]
    assert {native["peer"], ros["peer"], overhead["peer"]} == {"model-native", "model"}
    assert "caches off" in overhead["params"]["model"]
    assert published.rows_of(rows_of_cell(cell("cache", 2, model="SC"), FOUND)) == []


def test_plots_are_drawings_of_every_line(tmp_path: Path) -> None:
    rows = rows_of_cell(cell("cache", 2), FOUND)
    rows += rows_of_cell(cell("cache", 3, COPIED, TOPIC, "SC"), scaled(50.0))
    (path,) = write_plots(str(tmp_path / "plots"), rows)
    assert path.name == "uma_cache.svg"
    root = ElementTree.fromstring(path.read_text())
    texts = "\n".join(text for text in root.itertext() if text.strip())
    assert "2 nodes, ROS-SHM-ZC + ZC" in texts
    assert "3 nodes, ROS-SC + SC" in texts
    assert "Xavier: +2374 %" in texts


def test_every_combination_is_a_line_or_is_refused_with_a_reason() -> None:
    assert len(cells.all_lines()) == 34
    assert all(not cells.refusal(line) for line in cells.PAPER_LINES)
    assert "no services" in cells.refusal(Line(2, HANDED_OVER, SERVICE, "SC"))
    assert "another address" in cells.refusal(Line(3, HANDED_OVER, TOPIC, "ZC"))
    assert len(refusals()) == 3


def test_lines_are_chosen_by_words() -> None:
    options = uma.Options(only="concurrent 5 ROS-SHM-ZC")
    assert [c.title for c in chosen_cells(options)] == [
        f"concurrent, 5 nodes, ROS-SHM-ZC + {model}" for model in ("SC", "UM", "ZC")
    ]
    with pytest.raises(InputError, match="no line has all of"):
        chosen_cells(uma.Options(only="7 nodes"))


def test_copies_may_have_fewer_runs() -> None:
    options = uma.Options(runs=30, copied_runs=7)
    copied, shared = cell("cache", 2, COPIED, TOPIC, "SC"), cell("cache", 2)
    assert [runs_of(c, False, options) for c in (copied, shared)] == [7, 30]
    assert [runs_of(c, False, uma.Options()) for c in (copied, shared)] == [30, 30]
    assert runs_of(copied, True, options) == 5


@pytest.mark.parametrize("asleep", [True, False])
def test_the_notes_say_whether_processors_sleep(
    asleep: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = import_module("ligament.bench.uma.measure")
    monkeypatch.setattr(module, "run_cell", lambda *_: FOUND)
    monkeypatch.setattr(Sizes, "work_of", lambda *_: WORK)
    options = uma.Options(only="cache 2 ROS-SHM-ZC ZC", middleware="pool", asleep=asleep)
    note = uma.measure(True, options).notes[0]
    if asleep:
        assert note == ASLEEP
    else:
        assert "kept from sleeping" in note or "cannot be opened" in note


def test_cells_of_one_workload_and_number_of_nodes_do_the_same_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told: dict[str, Work] = {}

    def run(cell: Cell, _options: uma.Options, _runs: int, work: Work) -> dict[str, Any]:
        told[cell.title] = work
        return FOUND

    def calibrate(_workload: str, words: list[str], _options: uma.Options) -> dict[str, Any]:
        parts = {"cpu_part_ns": 1_000_000, "gpu_part_ns": 900_000}
        return {"cpu_repeats": len(words), "gpu_repeats": 2, **parts}

    monkeypatch.setattr(import_module("ligament.bench.uma.measure"), "run_cell", run)
    monkeypatch.setattr(sizes, "run_program", calibrate)
    options = uma.Options(only="cache ROS-SHM-ZC", middleware="pool", asleep=True, step_us=2500)
    measured = uma.measure(True, options)
    for nodes in (2, 3, 5):
        of_these = [told[f"cache, {nodes} nodes, ROS-SHM-ZC + {m}"] for m in ("SC", "UM", "ZC")]
        assert of_these[0] == of_these[1] == of_these[2]
    assert measured.rows[0]["params"]["step_us"] == 2500
    assert any("the part of 2 CPU takes 1000 us" in note for note in measured.notes)


SMALL = uma.Options(rows=32, columns=32, step_us=40, steps=4, runs=2, middleware="pool")


@pytest.mark.parametrize("workload", cells.WORKLOADS)
def test_parts_are_calibrated(workload: str) -> None:
    work = Sizes(SMALL).work_of(cell(workload, 2))
    assert work.cpu_repeats >= 1
    assert work.gpu_repeats >= (2 if workload == "cache" else 1)
    assert work.cpu_part_us >= 0


def test_the_length_of_a_step_is_found_from_what_copies_add() -> None:
    options = uma.Options(rows=32, columns=32, middleware="pool")
    found = Sizes(options)
    assert found.work_of(cell("cache", 2)).step_us >= 1
    assert "more than without ROS" in found.notes[0]


@pytest.mark.parametrize("workload", cells.WORKLOADS)
@pytest.mark.parametrize("line", cells.PAPER_LINES, ids=lambda line: line.title)
def test_each_line_runs_and_counts_its_copies(workload: str, line: Line) -> None:
    found = run_cell(Cell(workload, line), SMALL, 2, WORK)
    assert len(found["native_ns"]) == len(found["ros_ns"]) == 2
    assert found["device"]
    launches = zip(found["launch_own_ns"], found["launch_ns"], strict=True)
    assert all(0 < own <= whole for own, whole in launches)
    messages, taken = found["messages"], found["taken"]
    workers = 2 if line.nodes == 2 else line.nodes - 1
    by_service = line.ros_type == SERVICE
    exchanges = (2 + found["warm_up"]) * SMALL.steps
    assert messages == exchanges * workers * (2 if by_service and line.nodes > 2 else 1)
    takers = 1 if line.nodes == 2 or by_service else workers
    assert messages <= taken <= messages * takers
    copied = (found["copied_out"], found["copied_in"])
    if line.ros_mode == COPIED:
        assert copied == (messages, taken)
    elif line.ros_mode == HANDED_OVER:
        assert copied == (0, taken - messages)
    else:
        assert copied == (0, 0)
    in_place = line.device_mode == "ZC"
    gpus = 2 if line.nodes == 5 else 1
    fills = workload == "concurrent" and line.nodes > 2 and not by_service
    launches_of_gpus = gpus * (exchanges - (1 if fills else 0))
    assert found["device_copies"] == (0 if in_place else 2 * launches_of_gpus)
    assert (found["device_bytes"] == 0) == in_place
    assert (found["imported"] > 0) == (found["import_ns"] > 0) == in_place


def test_copies_cross_ros2s_middleware() -> None:
    if not (resources.prefix() / "lib" / "ligament" / "libligament-edge.so").is_file():
        pytest.skip("there is no edge here: it needs Cyclone DDS (Debian: cyclonedds-dev)")
    options = uma.Options(rows=32, columns=32, step_us=40, steps=4, runs=1)
    for by in (TOPIC, SERVICE):
        found = run_cell(cell("cache", 3, COPIED, by, "SC"), options, 1, WORK)
        assert found["copied_out"] == found["messages"]


def test_what_cannot_be_is_refused_by_the_program() -> None:
    with pytest.raises(FailureError, match="another address each time"):
        run_cell(cell("cache", 3, HANDED_OVER, TOPIC, "ZC"), SMALL, 1, WORK)
