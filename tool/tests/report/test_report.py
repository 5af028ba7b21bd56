# SPDX-License-Identifier: Apache-2.0
"""report.json from runs, and what the verb prints and returns."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from full_disk import run_without_room
from made_up_traces import PUB_RAW, SUB_RAW, Trace
from rich.console import Console

from ligament import resources
from ligament.cli.main import main
from ligament.errors import InputError
from ligament.report.options import ReportOptions
from ligament.report.page.render import Extras, render_page
from ligament.report.stage import make_report
from ligament.report.terminal import print_report
from ligament.run.losses import Losses

MakeRun = Callable[..., Path]
NO_WARM_UP = ReportOptions(warm_up=0)


def schema() -> dict[str, object]:
    path = resources.spec_dir() / "report" / "report.schema.json"
    loaded: dict[str, object] = json.loads(path.read_text())
    return loaded


def three_frames() -> Trace:
    trace = Trace().names()
    for seq in (1, 2, 3):
        trace.frame(seq * 10_000, seq)
    return trace


def test_the_figures_of_a_run(make_run: MakeRun) -> None:
    report = make_report([make_run(three_frames())], NO_WARM_UP)
    jsonschema.validate(report, schema())
    (variant,) = report["variants"]
    assert variant["frames"] == 3
    assert variant["latency_ns"]["p50"] == 1000
    assert variant["shares"] == pytest.approx(
        {
            "compute": 0.6,
            "copy": 0,
            "serialise": 0,
            "transport": 0.4,
            "queue_wait": 0,
            "executor_wait": 0,
        }
    )
    assert variant["message_passing"] == pytest.approx(0.4)
    assert variant["message_passing_ns"]["p50"] == 400
    assert variant["throughput_hz"] == pytest.approx(1e9 / 10_000)
    assert variant["probe_overhead_ns"] == pytest.approx(10 * 100.0)
    assert [hop["wakes"] for hop in variant["hops"]] == [1, 1]
    assert variant["spans"][0]["span"] == "remap"
    assert (variant["drops"], variant["copies"], variant["cpu_ns"]) == (2, 1, 7)
    assert variant["peak_memory_bytes"] is None


def test_warm_up_frames_are_left_out_and_counted(make_run: MakeRun) -> None:
    trace = Trace().names()
    for seq in range(1, 31):
        trace.frame(seq * 10_000, seq)
    (variant,) = make_report([make_run(trace)], ReportOptions())["variants"]
    assert (variant["frames"], variant["warm_up_frames"]) == (20, 10)


def test_as_many_chains_are_followed_as_are_allowed(
    make_run: MakeRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ligament.report.variant.MOST_FOLLOWED", 1)
    (found,) = make_report([make_run(three_frames())], ReportOptions(warm_up=0))["variants"]
    assert found["frames"] == 3 and found["latency_ns"] is not None


def test_a_run_that_is_all_warm_up_keeps_one_frame(make_run: MakeRun) -> None:
    (variant,) = make_report([make_run(three_frames())], ReportOptions())["variants"]
    assert (variant["frames"], variant["warm_up_frames"]) == (1, 2)


def test_a_differing_variant_is_named_and_fails_the_verb(
    make_run: MakeRun, capsys: pytest.CaptureFixture[str]
) -> None:
    one = make_run(three_frames(), "one")
    two = make_run(three_frames(), "two", {0: "a", 1: "x", 2: "c"})
    assert main(["report", str(one), str(two), "--warm-up", "0"]) == 1
    assert "two: frame 1: hash is x, variant one has b" in capsys.readouterr().out
    report = json.loads((one / "report.json").read_text())
    jsonschema.validate(report, schema())
    assert [v["equal"] for v in report["variants"]] == [True, False]
    assert report["variants"][1]["equality"]["first_difference"]["index"] == 1
    assert report["variants"][1]["against_reference"]["within_noise"] is True


def test_equal_variants_succeed(make_run: MakeRun) -> None:
    one, two = make_run(three_frames(), "one"), make_run(three_frames(), "two")
    assert main(["report", str(one), str(two), "--json", "--warm-up", "0"]) == 0


def without_check(folder: Path, outputs: list[dict[str, Any]]) -> Path:
    """The run as if its graph named no sink."""
    (folder.parents[1] / "build.json").write_text("{}")
    run = json.loads((folder / "run.json").read_text()) | {"outputs": outputs}
    (folder / "run.json").write_text(json.dumps(run))
    return folder


def test_runs_without_a_sink_are_not_compared_and_that_is_no_failure(
    make_run: MakeRun, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    runs = [str(without_check(make_run(three_frames(), name), [])) for name in ("one", "two")]
    assert main(["report", *runs, "--warm-up", "0", "--html", str(tmp_path / "page.html")]) == 0
    out = capsys.readouterr().out
    row = next(line for line in out.splitlines() if "outputs equal" in line)
    assert row.count("not compared") == 2
    assert "two: outputs were not compared: the graph names no `check: sink`" in out
    assert "not compared" in (tmp_path / "page.html").read_text()


def test_what_cannot_be_compared_with_the_expected_frames_fails(
    make_run: MakeRun, tmp_path: Path
) -> None:
    run = without_check(make_run(three_frames()), [])
    expected = tmp_path / "expected.jsonl"
    expected.write_text('{"index": 0, "hash": "z"}')
    (variant,) = make_report([run], ReportOptions(expected=expected))["variants"]
    assert variant["equal"] is False


def test_runs_of_one_variant_are_headed_with_their_ids(make_run: MakeRun) -> None:
    report = make_report([make_run(three_frames(), name) for name in ("one", "two")], NO_WARM_UP)
    report["variants"][1]["name"] = "one"
    console = Console(width=200, record=True, file=io.StringIO())
    print_report(report, console)
    text = console.export_text()
    heading = next(line for line in text.splitlines() if "one (one)" in line)
    assert "one (two)" in heading
    assert "one (two): means per hop" in text
    page = render_page(report, Extras())
    assert "<b>one (one)</b>" in page and "<b>one (two)</b>" in page


def test_the_independent_reference_judges_all(make_run: MakeRun, tmp_path: Path) -> None:
    runs = [make_run(three_frames(), "one"), make_run(three_frames(), "two")]
    expected = tmp_path / "expected.jsonl"
    expected.write_text("\n".join(json.dumps({"index": i, "hash": "z"}) for i in range(3)))
    report = make_report(runs, ReportOptions(expected=expected, warm_up=0))
    assert [v["equal"] for v in report["variants"]] == [False, False]
    assert "the independent reference has z" in report["variants"][0]["equality"]["text"]


def test_a_sink_that_recorded_nothing_is_not_equal(make_run: MakeRun) -> None:
    one, two = make_run(three_frames(), "one"), make_run(three_frames(), "two")
    run = json.loads((two / "run.json").read_text())
    run["outputs"] = []
    (two / "run.json").write_text(json.dumps(run))
    report = make_report([one, two], NO_WARM_UP)
    assert not report["variants"][1]["equal"]
    assert "the sink /sink recorded nothing" in report["variants"][1]["equality"]["text"]


@pytest.mark.parametrize(
    ("low", "within", "said"),
    [
        (-407_000.0, True, "no difference shown, x 1.504; difference -407 us .. 480 us, 95 %"),
        (7_000.0, False, "x 1.504; difference 7 us .. 480 us, 95 %"),
        (None, False, "x 1.504"),
    ],
)
def test_the_interval_beside_a_ratio_is_said_to_be_of_the_difference(
    make_run: MakeRun, low: float | None, within: bool, said: str
) -> None:
    report = make_report([make_run(three_frames(), name) for name in ("one", "two")], NO_WARM_UP)
    report["variants"][1]["against_reference"] = {
        "p50_ratio": 1.504, "p50_difference_ns": 1.0, "difference_low_ns": low,
        "difference_high_ns": low and 480_000.0, "within_noise": within,
    }  # fmt: skip
    console = Console(width=200, record=True, file=io.StringIO())
    print_report(report, console)
    [row] = [text for text in console.export_text().splitlines() if "against reference" in text]
    assert row.split("│")[-2].strip() == said


def test_lost_events_are_in_the_result(make_run: MakeRun) -> None:
    by_session = make_run(three_frames(), "one", lost=5)
    by_reader = make_run(three_frames(), "two", discarded_events=4, discarded_packets=3)
    report = make_report([by_session, by_reader], NO_WARM_UP)
    assert [v["lost_events"] for v in report["variants"]] == [5, 7]


def test_drops_are_the_larger_of_events_and_counters(make_run: MakeRun) -> None:
    trace = three_frames()
    trace.add(99_000, "drop", 2, subscription=SUB_RAW, publisher=PUB_RAW, count=6)
    (variant,) = make_report([make_run(trace)], NO_WARM_UP)["variants"]
    assert variant["drops"] == 6


def test_a_trace_without_a_chain_says_so_and_invents_nothing(
    make_run: MakeRun, capsys: pytest.CaptureFixture[str]
) -> None:
    run = make_run(Trace().names().publish(1, 2, 1, PUB_RAW, 1))
    assert main(["report", str(run)]) == 0
    report = json.loads((run / "report.json").read_text())
    jsonschema.validate(report, schema())
    (variant,) = report["variants"]
    assert (variant["frames"], variant["latency_ns"], variant["shares"]) == (0, None, None)
    assert "no chain from a source to the sink" in capsys.readouterr().out


def test_a_chain_of_which_nothing_arrived(make_run: MakeRun) -> None:
    trace = Trace().names().publish(1, 2, 1, PUB_RAW, 1).take(5, 2, SUB_RAW, PUB_RAW, 1)
    (variant,) = make_report([make_run(trace)], NO_WARM_UP)["variants"]
    assert variant["other_chains"][0]["id"] == "/camera -> /rectify [/image_raw]"
    assert variant["latency_ns"] is None


def test_runs_of_different_graphs_are_refused(make_run: MakeRun) -> None:
    one, two = make_run(three_frames(), "one"), make_run(three_frames(), "two")
    run = json.loads((two / "run.json").read_text()) | {"graph": "other"}
    (two / "run.json").write_text(json.dumps(run))
    with pytest.raises(InputError, match="different graphs"):
        make_report([one, two], NO_WARM_UP)


def test_an_unknown_reference_is_refused(make_run: MakeRun) -> None:
    with pytest.raises(InputError, match="no run of variant 'three'"):
        make_report([make_run(three_frames())], ReportOptions(reference="three"))


def untraced(folder: Path) -> Path:
    """The same run as if it had not been recorded."""
    (folder / "events.parquet").unlink()
    run = json.loads((folder / "run.json").read_text()) | {"trace": None}
    (folder / "run.json").write_text(json.dumps(run))
    return folder


def test_a_run_without_trace_says_how_to_record(
    make_run: MakeRun, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = untraced(make_run(three_frames()))
    assert main(["report", str(folder)]) == 2
    said = capsys.readouterr().err
    assert f"{folder} was run without --trace" in said
    assert "ligament run GRAPH --trace" in said


def test_of_several_runs_those_without_trace_are_left_out_and_named(
    make_run: MakeRun, capsys: pytest.CaptureFixture[str]
) -> None:
    without = untraced(make_run(three_frames(), "one"))
    runs = [make_run(three_frames(), name) for name in ("two", "three")]
    assert main(["report", str(without / "run.json"), *map(str, runs), "--warm-up", "0"]) == 0
    said = capsys.readouterr().err
    assert f"warning: {without}/run.json: run without --trace; left out" in said
    assert not (without / "report.json").exists()
    report = json.loads((runs[0] / "report.json").read_text())
    assert [variant["name"] for variant in report["variants"]] == ["two", "three"]


def test_several_runs_without_any_trace_are_refused(
    make_run: MakeRun, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = [untraced(make_run(three_frames(), name)) for name in ("one", "two")]
    assert main(["report", *map(str, runs)]) == 2
    assert "all 2 runs were run without --trace" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nope"], "there is no run.json in 'nope'"),
        (["nope/run.json"], "there is no run.json in 'nope'"),
        (["build/*/runs/*"], "no folder matches 'build/*/runs/*'"),
        (["--compare", "nope", "nope"], "there is no report.json in 'nope'"),
        (["--compare", "b.json", "b.json"], "there is no file 'b.json'"),
        (["--compare", "b/*", "c/*"], "no folder matches 'b/*'"),
    ],
)
def test_what_is_not_there_is_said_in_words(
    words: list[str],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["report", *words]) == 2
    printed = capsys.readouterr().err
    assert f"error: {said} [" in printed
    assert "Errno" not in printed


def test_a_table_of_another_version_is_refused(make_run: MakeRun) -> None:
    with pytest.raises(InputError, match="no event table of this version"):
        make_report([make_run(three_frames(), schema="ligament/event-table/0")], NO_WARM_UP)


def test_a_lone_run_is_compared_with_nothing(
    make_run: MakeRun, capsys: pytest.CaptureFixture[str]
) -> None:
    run = make_run(three_frames())
    assert main(["report", str(run), "--warm-up", "0"]) == 0
    printed = capsys.readouterr().out
    assert "nothing to compare with" in printed and "yes" not in printed
    report = json.loads((run / "report.json").read_text())
    jsonschema.validate(report, schema())
    assert report["variants"][0]["equal"] is None


def test_a_lone_run_that_recorded_nothing_fails(make_run: MakeRun) -> None:
    path = make_run(three_frames())
    run = json.loads((path / "run.json").read_text()) | {"outputs": []}
    (path / "run.json").write_text(json.dumps(run))
    assert make_report([path], NO_WARM_UP)["variants"][0]["equal"] is False


def test_what_nodes_reported_is_told(make_run: MakeRun, capsys: pytest.CaptureFixture[str]) -> None:
    path = make_run(three_frames())
    error = {"node": "/sink", "text": "the disk is full", "container": "c", "count": 2}
    run = json.loads((path / "run.json").read_text()) | {"errors": [error]}
    (path / "run.json").write_text(json.dumps(run))
    assert main(["report", str(path)]) == 0
    assert "/sink: the disk is full (2 times)" in capsys.readouterr().out
    jsonschema.validate(json.loads((path / "report.json").read_text()), schema())


def test_what_the_edge_could_not_carry_is_told(
    make_run: MakeRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    losses = Losses()
    counts = {"topic": "/image", "unconfirmed": 3, "missing": 2}
    losses.take_edge("_edge", {"topics": [counts]})
    told = [asdict(loss) for loss in losses.records()]
    path = make_run(three_frames())
    run = json.loads((path / "run.json").read_text()) | {"losses": told}
    (path / "run.json").write_text(json.dumps(run))
    page = tmp_path / "page.html"
    assert main(["report", str(path), "--html", str(page)]) == 0
    printed, drawn = capsys.readouterr().out, page.read_text(encoding="utf-8")
    for sentence in (
        "2 of /image were sent outside and did not arrive",
        "3 of /image were overwritten in the DDS engine before everybody outside had",
    ):
        assert sentence in printed
        assert sentence in drawn
    jsonschema.validate(json.loads((path / "report.json").read_text()), schema())


@pytest.mark.parametrize(
    ("free", "limit", "fails"),
    [(0, None, "report.json"), (32_000, None, "page.html"), (1 << 22, 3000, "report.json")],
)
def test_a_full_disk_leaves_no_half_report(
    make_run: MakeRun, tmp_path: Path, free: int, limit: int | None, fails: str
) -> None:
    make_run(three_frames())
    words = ["report", "disk/seed/runs/r1", "--warm-up", "0", "--html", "disk/page.html"]
    seed = tmp_path / "one"
    ended = run_without_room(tmp_path / "disk", *words, seed=seed, free=free, limit=limit)
    assert ended.code == 1 and "Traceback" not in ended.err
    assert f"{fails}: " in ended.err and " bytes were needed, " in ended.err
    wanted = "may not grow beyond 3,000 bytes" if limit else "no room left on the disk"
    assert (
        f"cannot write disk/{'' if fails == 'page.html' else 'seed/runs/r1/'}{fails}: " in ended.err
    )
    assert wanted in ended.err
    new = ended.names - {path.name for path in seed.rglob("*")}
    assert new == ({"report.json"} if fails == "page.html" else set())
    if new:
        jsonschema.validate(json.loads(ended.left["seed/runs/r1/report.json"]), schema())
