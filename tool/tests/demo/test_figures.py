# SPDX-License-Identifier: Apache-2.0
"""The demo's own figures, from made-up reports."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

from ligament.bench.perception import rows_of_report
from ligament.demo import demo, terminal
from ligament.demo import runs as runs_of_demo
from ligament.demo.demo import demonstrate
from ligament.demo.figures import (
    four_ways,
    hardware_entry,
    kernel_entries,
    paced_entry,
    unpinned_entry,
)
from ligament.demo.reference import Reference, first_frames
from ligament.demo.runs import (
    SIMULATED,
    SIMULATED_FASTER,
    SIMULATED_LARGER,
    DemoOptions,
    DemoRuns,
    in_hardware,
    in_software,
    not_here,
    platform_for,
    run_unpinned,
)
from ligament.demo.terminal import conclusions, four_ways_table, hardware_table, unpinned_table
from ligament.errors import LigamentError
from ligament.graph import load_graph
from ligament.mapping import load_platform
from ligament.report.terminal import print_hardware
from ligament.resources import node_packages_dir

SUMMARY = {"n": 3, "p50": 1000.0, "p99": 1.0, "mean": 1.0, "sd": 1.0}


def times(p50: float) -> dict[str, float]:
    return {"n": 3, "p50": p50}


def variant(passing: float = 100.0) -> dict[str, Any]:
    return {
        "name": "one", "run_dir": "d", "frames": 3, "equal": True, "equality": {"text": "equal"},
        "latency_ns": SUMMARY, "message_passing_ns": SUMMARY | {"p50": passing},
        "message_passing": 0.04, "message_passing_p50": 0.03,
        "hops": [{"wakes": 1.0}, {"wakes": 0.5}], "drops": 0, "lost_events": 0,
        "spans": [
            {"node": "/a", "span": "remap", "category": "compute", "time_ns": times(700.0)},
            {"node": "/a", "span": "resize", "category": "compute", "time_ns": times(100.0)},
            {"node": "/a", "span": "pack", "category": "copy", "time_ns": times(50.0)},
        ],
    }  # fmt: skip


def bare(p50: float) -> list[dict[str, Any]]:
    head = {"bench": "kernels", "peer": "opencv", "metric": "time", "unit": "ns"}
    return [{**head, **SUMMARY, "params": {"kernel": "remap+resize"}, "p50": p50}]


def floors(*values: float) -> list[dict[str, Any]]:
    head = {"bench": "floor", "params": {}, "peer": "futex", "metric": "one_way", "unit": "ns"}
    return [{**head, **SUMMARY, "p50": value} for value in values]


def test_the_overhead_is_above_the_wakes_of_both_floors() -> None:
    entry = paced_entry(variant(), floors(20, 40))
    assert (entry["wakes"], entry["floor_ns"]) == (1.5, 30)
    assert entry["overhead"] == pytest.approx((100 - 1.5 * 30) / 1000)


def test_a_paced_run_without_chain_has_no_overhead() -> None:
    empty = variant() | {"latency_ns": None, "message_passing_ns": None, "hops": []}
    assert paced_entry(empty, floors(20, 40))["overhead"] is None


def unpinned() -> dict[str, Any]:
    (floor,), (any_core,) = floors(20), floors(60)
    pinned = variant(100) | {"latency_ns": SUMMARY | {"p50": 900.0}}
    loose = variant(passing=180) | {"message_passing": 0.07}
    wakes = {"pinned": floor, "unpinned": any_core}
    return {"wakes": wakes, "variants": [unpinned_entry(loose, pinned, wakes)]}


def test_what_any_core_costs_is_told_beside_one_core() -> None:
    (entry,) = unpinned()["variants"]
    assert entry["more_ns"] == 180 - 100
    assert entry["more_by_wakes_ns"] == 1.5 * (60 - 20)
    assert (entry["message_passing"], entry["pinned_message_passing"]) == (0.07, 0.04)
    assert entry["floor_ns"] == 60 and entry["overhead"] == pytest.approx((180 - 90) / 1000)
    console = Console(width=200, record=True)
    console.print(unpinned_table(unpinned()))
    text = " ".join(console.export_text().split())
    assert "to wake it costs 60 ns where a process of the same core costs 20 ns" in text
    assert "yes │ 900 ns │ 1 us │ 4.00 % │ 7.00 % │ 80 ns │ 60 ns" in text


def test_a_run_without_chain_costs_nothing_more() -> None:
    empty = variant() | {"latency_ns": None, "message_passing_ns": None, "hops": []}
    (floor,) = floors(20)
    entry = unpinned_entry(empty, variant(), {"pinned": floor, "unpinned": floor})
    assert (entry["more_ns"], entry["more_by_wakes_ns"]) == (None, 0)


def test_runs_on_any_core_are_those_of_software_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, int, Any]] = []

    def run(build: Path, options: DemoOptions, count: int, core: str | None = "?") -> Path:
        asked.append((build.name, count, core))
        return build

    monkeypatch.setattr(runs_of_demo, "_run_fast", run)
    monkeypatch.setattr(
        runs_of_demo, "measure_floor", lambda rate, wakes, core: {"core": core, "p50": wakes}
    )
    graph = node_packages_dir().parent / "examples" / "perception" / "graph.yaml"
    runs = DemoRuns()
    builds = {name: tmp_path / name for name in ("processes", "fused", "dds", "gpu")}
    run_unpinned(builds, DemoOptions(graph, frames=90), lambda text: None, runs)
    assert asked == [("processes", 90, None), ("fused", 90, None)]
    assert list(runs.unpinned) == ["processes", "fused"]
    assert runs.wakes["pinned"]["core"] and runs.wakes["unpinned"]["core"] is None


def test_kernels_are_the_compute_spans() -> None:
    (entry,) = kernel_entries([variant()], bare(1000.0))
    assert entry["ours_p50_ns"] == 800
    assert entry["ratio"] == pytest.approx(0.8)
    assert entry["spans"] == ["/a remap", "/a resize"]


def test_a_kernel_that_ran_once_counts_as_once() -> None:
    one = variant()
    table = {"n": 1, "p50": 3000.0}
    one["spans"].append({"node": "/a", "span": "table", "category": "compute", "time_ns": table})
    (entry,) = kernel_entries([one], bare(1000.0))
    assert entry["ours_p50_ns"] == pytest.approx(800 + 3000 / 3)


def report() -> dict[str, Any]:
    paced = paced_entry(variant(passing=500), floors(20, 40))
    return {
        "variants": [variant()],
        "kernels": {"bare": bare(1000.0), "variants": kernel_entries([variant()], bare(1000.0))},
        "paced": {"rate_hz": 30.0, "variants": [paced]},
    }


def test_conclusions_say_what_was_reached_and_what_not() -> None:
    text = "\n".join(conclusions(report()))
    assert "message passing of one: 4.00 % of the chain (goal < 5% reached)" in text
    assert "paced, one: 45.50 % above the bare wake-ups (goal < 5% MISSED)" in text
    assert "(x 0.800)" in text


@pytest.mark.parametrize(
    ("base", "words"),
    [
        (None, "as long as a thread waited for them"),
        ("device", "by its own clock"),
        ("modelled", "modelled by its cycles"),
    ],
)
def test_what_a_device_does_is_told_and_compared(
    monkeypatch: pytest.MonkeyPatch, base: str | None, words: str
) -> None:
    nodes = {
        "/a": SimpleNamespace(kind="cpu", device="cpu0"),
        "/b": SimpleNamespace(kind="gpu", device="gpu0"),
    }
    mapping = SimpleNamespace(nodes=nodes, edge=SimpleNamespace(per=None))
    monkeypatch.setattr(terminal, "_mapping_of", lambda entry: mapping)
    made = report()
    if base is not None:
        made["variants"][0]["time_base"] = base
    text = "\n".join(conclusions(made))
    assert "MISSED" not in text and "reached" not in text
    assert "4.00 % of the chain (outside of host and gpu0 kernels, to compare with)" in text
    assert f"kernels of one on gpu0, {words}: 800 ns per frame" in text


def test_the_benchmark_has_the_same_figures_as_rows() -> None:
    rows = rows_of_report(report())
    assert [row["metric"] for row in rows] == [
        "chain", "message_passing", "chain", "message_passing", "one_way", "time",
    ]  # fmt: skip
    assert rows[2]["params"]["pacing_us"] == pytest.approx(1e6 / 30)


def test_first_frames_are_by_index(tmp_path: Path) -> None:
    path = tmp_path / "sink.jsonl"
    path.write_text("".join(json.dumps({"index": i}) + "\n" for i in (0, 2, 1, 3)))
    kept = first_frames(path, 2).read_text().splitlines()
    assert [json.loads(line)["index"] for line in kept] == [0, 1]


def test_own_input_is_passed_on_with_its_full_path(tmp_path: Path) -> None:
    options = DemoOptions(tmp_path, source="a/b.mcap")
    assert options.input_parameters() == {"source": str(Path.cwd() / "a/b.mcap")}


def test_a_graph_that_is_missing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(LigamentError):
        demonstrate(DemoOptions(tmp_path / "graph.yaml", out=tmp_path), lambda text: None)


def test_variants_for_several_computers_are_left_out_with_the_reason() -> None:
    graph = load_graph(node_packages_dir().parent / "examples" / "perception" / "graph.yaml")
    assert "desk, robot" in not_here(graph, "two_hosts")
    assert [name for name in graph.variants if not not_here(graph, name)][:3] == [
        "processes",
        "one_process",
        "fused",
    ]


def told(node: str, value: str, p50: float) -> dict[str, Any]:
    return {
        "node": node,
        "span": "simulator",
        "value": value,
        "n": 9,
        "p50": p50,
        "min": p50,
        "max": p50 + 2,
    }


def in_fpga_variant(
    name: str, chain: float = 1.0, clock: float = 100e6, cycles: float = 350_000
) -> dict[str, Any]:
    values = [told("/a", "cycles", cycles - 50_000), told("/b", "cycles", 50_000.0)]
    values += [told(node, "clock_hz", clock) for node in ("/a", "/b")]
    values += [told("/c", "bytes", 7.0)]
    made = variant() | {"name": name, "latency_ns": SUMMARY | {"p50": chain}}
    passed = SUMMARY | {"p50": 50e6}
    return made | {"span_values": values, "time_base": "modelled", "wall_latency_ns": passed}


def in_fpga(*words: Any) -> dict[str, Any]:
    return hardware_entry(in_fpga_variant(*words))


def test_cycles_of_all_designs_of_a_frame_are_added() -> None:
    entry = in_fpga("one", 1.0)
    assert entry["cycles_per_frame"] == 350_000
    assert entry["clock_hz"] == 100e6
    assert entry["cycles"]["/b"] == {"n": 9, "p50": 50_000.0, "min": 50_000.0, "max": 50_002.0}
    faster = in_fpga("one", 1.0, 250e6, 360_000)
    console = Console(width=200, record=True)
    console.print(hardware_table({"variants": [entry, faster]}))
    text = console.export_text()
    assert "3.5 ms" in text and "1.44 ms" in text  # its own cycles at 100 and at 250 MHz
    assert "100 MHz" in text and "250 MHz" in text
    assert "wall time is in none of these" in " ".join(text.split())
    assert "modelled" in text and entry["frames"] == 3


def test_tables_of_topics_in_hardware_say_at_which_clock() -> None:
    counted = {"topics": [{"topic": "/middle", "frames": 12}]}
    console = Console(width=200, record=True)
    at_100 = in_fpga_variant("one") | {"hardware": counted}  # as a report has it
    print_hardware(at_100, console)
    print_hardware(hardware_entry(at_100), console)
    print_hardware(in_fpga("one", 1.0, 250e6, 360_000) | {"hardware": counted}, console)
    text = " ".join(console.export_text().split())
    assert text.count("one at 100 MHz: topics in hardware") == 2
    assert text.count("one at 250 MHz: topics in hardware") == 1


def test_all_variants_are_told_at_the_usual_clock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[list[Path], str]] = []

    def report(folders: list[Path], options: Any) -> dict[str, Any]:
        asked.append((folders, options.expected.name))
        return {"variants": [in_fpga_variant(folder.name) for folder in folders]}

    monkeypatch.setattr(demo, "make_report", report)
    frames = tmp_path / "sink.jsonl"
    frames.write_text("")
    options, reference = DemoOptions(tmp_path, hardware_frames=60), Reference(frames, [], tmp_path)
    usual = [Path("a/fpga_resize"), Path("a/fpga_fused")]
    runs = DemoRuns(faster={"fpga_fused": Path("b/fpga_fused")})
    entries = demo._hardware(usual, runs, options, reference)
    assert [entry["name"] for entry in entries] == ["fpga_resize", "fpga_fused", "fpga_fused"]
    assert asked == [(usual, "first-70.jsonl"), ([Path("b/fpga_fused")], "first-16.jsonl")]
    alone = demo._hardware(usual[:1], DemoRuns(), options, reference)
    assert [entry["name"] for entry in alone] == ["fpga_resize"]
    assert asked[2:] == [(usual[:1], "first-70.jsonl")], "there is no report of nothing"


def rows_at_rate(report: dict[str, Any]) -> dict[tuple[str, float], float]:
    return {
        (row["params"]["variant"], row["params"]["clock_hz"]): row["p50"]
        for row in rows_of_report(report | {"kernels": {"bare": []}})
        if row["metric"] == "change_paced"
    }


def test_the_published_comparison_is_told_at_each_clock() -> None:
    software = variant() | {"name": "processes", "latency_ns": SUMMARY | {"p50": 1000.0}}
    entries = [in_fpga("fpga_offloaded", 2000.0), in_fpga("fpga_streamed", 1500.0)]
    entries += [in_fpga("fpga_offloaded", 800.0, 250e6), in_fpga("fpga_fused", 600.0, 250e6)]
    entries += [in_fpga("fpga_resize", 1.0)]
    report = {"variants": [software], "hardware": {"variants": entries}}
    ways = {(way["name"], way["clock_hz"]): way for way in four_ways(report)}
    assert {name for name, _ in ways} == {"fpga_offloaded", "fpga_streamed", "fpga_fused"}
    assert ways["fpga_offloaded", 100e6]["change"] == pytest.approx(1.0)
    assert ways["fpga_streamed", 100e6]["over_offloaded"] == pytest.approx(-0.25)
    fused = ways["fpga_fused", 250e6]
    assert fused["change"] == pytest.approx(-0.4)
    assert fused["published"] == -0.2696
    assert fused["published_over_offloaded"] == pytest.approx(0.7304 / 0.9378 - 1)
    console = Console(width=200, record=True)
    console.print(four_ways_table(list(ways.values())))
    text = console.export_text()
    assert "-40.0%" in text and "-27.0%" in text and "-24.4%" in text and "-6.2%" in text
    assert four_ways({"variants": [], "hardware": {"variants": entries}}) == []
    assert fused["change_paced"] is None and not rows_at_rate(report)
    slower = software | {"latency_ns": SUMMARY | {"p50": 2000.0}, "floors": [{"metric": "x"}]}
    report["paced"] = {"rate_hz": 30, "variants": [slower]}
    assert rows_at_rate(report)["fpga_fused", 250e6] == pytest.approx(-0.7)
    rows = rows_of_report(report | {"kernels": {"bare": []}})
    found = {
        (row["peer"], row["params"]["variant"], row["params"]["clock_hz"]): row["p50"]
        for row in rows
        if row["metric"] == "change"
    }
    assert found["ligament", "fpga_streamed", 100e6] == pytest.approx(0.5)
    assert found["published", "fpga_fused", 250e6] == -0.2696
    assert ("published", "fpga_streamed", 100e6) not in found
    assert {row["p50"] for row in rows if row["metric"] == "simulated"} == {20.0}
    cycles = [row for row in rows if row["metric"] == "cycles"]
    assert len(cycles) == len(entries) and cycles[0]["p50"] == 350_000
    assert cycles[0]["params"]["time_base"] == "modelled"


def test_both_simulated_platforms_have_the_same_latency_of_memory() -> None:
    usual, faster = (load_platform(name) for name in (SIMULATED, SIMULATED_FASTER))
    assert [p.links[0].latency_ns for p in (usual, faster)] == [500, 500]
    assert faster.clocks["fabric"]["frequency_hz"] == 2.5 * usual.clocks["fabric"]["frequency_hz"]


def test_the_larger_fpga_differs_from_the_faster_one_in_the_part_alone() -> None:
    faster, larger = (load_platform(name) for name in (SIMULATED_FASTER, SIMULATED_LARGER))
    assert (larger.links, larger.clocks["fabric"]["frequency_hz"]) == (faster.links, 250e6)
    part = load_platform("zcu104").devices["fpga0"]
    fpga = larger.devices["fpga0"]
    assert (fpga.family, fpga.budgets) == (part.family, part.budgets)


def test_variants_with_cores_run_on_the_simulated_fpga() -> None:
    path = node_packages_dir().parent / "examples" / "perception" / "graph.yaml"
    graph = load_graph(path)
    assert platform_for(graph, "fpga_resize") == "fpga_sim"
    assert platform_for(graph, "gpu") == platform_for(graph, "processes") == "host"
    builds = {name: Path(name) for name in ("processes", "fpga_resize", "gpu")}
    assert in_hardware(builds, DemoOptions(path)) == ["fpga_resize"]
    assert platform_for(graph, "fpga_fused") == "fpga_sim"


def test_a_variant_for_a_larger_fpga_runs_where_it_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = node_packages_dir().parent / "examples" / "perception" / "graph.yaml"
    graph = load_graph(path)
    assert platform_for(graph, "fpga_widest") == SIMULATED_LARGER
    assert "fpga_widest" not in in_software(graph)
    assert "fpga_widest" not in in_hardware(graph.variants, DemoOptions(path))
    both = ["fpga_wide", "fpga_widest"]
    assert in_hardware(both, DemoOptions(path, larger=True)) == both
    # Its one clock is the faster one already.
    asked: list[tuple[str | None, str]] = []

    def built(request: Any) -> Any:
        asked.append((request.variant, request.platform))
        return SimpleNamespace(build=Path())

    monkeypatch.setattr(runs_of_demo, "built", built)
    monkeypatch.setattr(runs_of_demo, "_run", lambda *_: Path())
    runs_of_demo.run_faster(both, DemoOptions(path), lambda _: None)
    assert asked == [("fpga_wide", SIMULATED_FASTER)]
