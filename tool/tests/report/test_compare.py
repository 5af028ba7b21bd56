# SPDX-License-Identifier: Apache-2.0
"""The regression gate: what is noise, what is a regression, and what it exits with."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from made_up_traces import Trace
from rich.console import Console

from ligament import resources
from ligament.cli.main import main
from ligament.errors import InputError
from ligament.report.compare import compare, read_report
from ligament.report.compare_terminal import print_comparison
from ligament.report.differences import NO_DIFFERENCE, Interval, ratio_interval
from ligament.report.statistics import summarise

MakeRun = Callable[..., Path]


def variant(
    name: str = "v", p50: float = 1000.0, half: float = 10.0, **more: Any
) -> dict[str, Any]:
    summary = {"n": 600, "p50": p50, "p50_low": p50 - half, "p50_high": p50 + half}
    base = {
        "name": name, "frames": 600, "equal": True, "equality": {"text": "all equal"}, "drops": 0,
        "copies": 0, "incomplete": {"count": 0}, "lost_events": 0, "latency_ns": summary,
        "message_passing_ns": {"n": 600, "p50": 30.0, "p50_low": 29.0, "p50_high": 31.0},
        "hops": [{"from": "/a", "to": "/b", "total_ns": summary}],
    }  # fmt: skip
    return base | more


def report(*variants: dict[str, Any], **machine: Any) -> dict[str, Any]:
    return {"schema": "ligament/report/2", "graph": "g", "variants": list(variants),
            "context": {"machine": machine}}  # fmt: skip


def verdicts(base: dict[str, Any], new: dict[str, Any], threshold: float = 0.05) -> dict[str, str]:
    made = compare(report(base), report(new), threshold)
    schema = json.loads((resources.spec_dir() / "report" / "comparison.schema.json").read_text())
    jsonschema.validate(made, schema)
    return {entry["figure"]: entry["verdict"] for entry in made["figures"]}


def test_of_the_same_figures_no_difference_is_shown() -> None:
    made = compare(report(variant()), report(variant()), 0.05)
    assert made["regressions"] == []
    assert {entry["verdict"] for entry in made["figures"]} == {"no difference shown"}


def test_slower_beyond_the_threshold_is_a_regression() -> None:
    assert verdicts(variant(), variant(p50=1100.0))["latency"] == "regression"
    assert verdicts(variant(), variant(p50=1100.0))["hop /a -> /b"] == "regression"


def test_slower_but_below_the_threshold_passes() -> None:
    assert verdicts(variant(), variant(p50=1040.0))["latency"] == "within threshold"
    assert verdicts(variant(), variant(p50=1040.0), 0.03)["latency"] == "regression"


def test_slower_but_unsure_is_noise() -> None:
    unsure = verdicts(variant(half=100.0), variant(p50=1100.0, half=100.0))
    assert unsure["latency"] == "no difference shown"


def test_faster_is_better() -> None:
    assert verdicts(variant(), variant(p50=900.0))["latency"] == "better"


def test_no_message_any_more_is_a_regression() -> None:
    made = compare(report(variant()), report(variant(latency_ns=None, hops=[])), 0.05)
    assert made["regressions"] == ["v: latency: there is none any more: no message arrived"]


def test_outputs_that_differ_are_a_regression() -> None:
    wrong = variant(equal=False, equality={"text": "frame 3: hash is x"})
    (text,) = compare(report(variant()), report(wrong), 0.05)["regressions"]
    assert text == "v: its outputs differ from the reference: frame 3: hash is x"


@pytest.mark.parametrize("figure", ["drops", "copies"])
def test_a_first_copy_or_drop_of_many_is_seen(figure: str) -> None:
    assert verdicts(variant(), variant(**{figure: 600}))[figure] == "regression"
    assert verdicts(variant(), variant(**{figure: 2}))[figure] == "no difference shown"
    assert verdicts(variant(**{figure: 600}), variant())[figure] == "better"


def test_variants_are_paired_by_name_and_what_is_alone_is_told() -> None:
    base, new = report(variant("a"), variant("b")), report(variant("b"), variant("c"))
    made = compare(base, new, 0.05)
    assert {entry["variant"] for entry in made["figures"]} == {"b"}
    assert made["notes"] == [
        "variant a is in the base report only", "variant c is in the new report only",
    ]  # fmt: skip


def test_no_variant_in_common_is_the_user_s_mistake() -> None:
    with pytest.raises(InputError, match="no variant is in both"):
        compare(report(variant("a"), variant("b")), report(variant("c"), variant("d")), 0.05)


def test_other_machines_and_lost_events_are_told() -> None:
    base, new = (
        report(variant(), cpu="x", cores=2),
        report(variant(lost_events=5), cpu="y", cores=2),
    )
    notes = compare(base, new, 0.05)["notes"]
    assert notes[0] == "the machines differ: cpu was x, is y"
    assert "5 events were lost in the new run" in notes[1]


def test_times_by_other_clocks_are_told() -> None:
    old, new = variant(), variant(time_base="modelled")
    assert compare(report(old), report(variant(time_base="host")), 0.05)["notes"] == []
    (note,) = compare(report(old), report(new), 0.05)["notes"]
    assert note == "v: times are by other clocks: host in the base report, modelled in the new one"


def test_figures_that_are_none_are_not_compared() -> None:
    broken = variant(latency_ns={"p50": "fast"}, message_passing_ns=None, drops=None, hops=[])
    found = verdicts(broken, variant())
    assert found == {
        "latency": "not comparable", "message passing": "not comparable", "drops": "not comparable",
        "copies": NO_DIFFERENCE, "incomplete": NO_DIFFERENCE,
    }  # fmt: skip


def test_the_interval_of_a_ratio_covers_what_it_says() -> None:
    """Of 400 pairs of samples from one distribution, 91 % and more of the intervals hold 1."""
    random = np.random.default_rng(1)
    held = 0
    for _ in range(400):
        one, other = (summarise(random.lognormal(6, 0.4, 300)) for _ in range(2))
        intervals = [Interval(s["p50"], s["p50_low"], s["p50_high"]) for s in (one, other)]
        ratio = ratio_interval(*intervals)
        held += ratio.low <= 1.0 <= ratio.high
    assert 364 <= held < 400


def drifting(count: int, phi: float, middle: float, random: np.random.Generator) -> list[float]:
    """Latencies around `middle`, each with a share `phi` of the deviation before it."""
    values, level = [], 0.0
    for step in random.normal(size=count):
        level = phi * level + step
        values.append(middle + level)
    return values


def measured(values: list[float]) -> dict[str, Any]:
    summary = summarise(values)
    return variant(latency_ns=summary, hops=[], frames=len(values))


@pytest.mark.parametrize("phi", [0.0, 0.5, 0.9])
def test_runs_of_one_program_show_no_difference(phi: float) -> None:
    """Of 200 pairs of runs, 90 % and more; with order statistics alone half of them at 0.9."""
    random = np.random.default_rng(7)
    silent = 0
    for _ in range(200):
        one, other = (measured(drifting(600, phi, 100.0, random)) for _ in range(2))
        made = compare(report(one), report(other), 0.0)
        silent += made["figures"][0]["verdict"] == "no difference shown"
    assert silent >= 180


@pytest.mark.parametrize("phi", [0.0, 0.5, 0.9])
def test_a_real_difference_is_shown_and_its_interval_holds_it(phi: float) -> None:
    random = np.random.default_rng(8)
    shown = held = 0
    for _ in range(200):
        one = measured(drifting(600, phi, 100.0, random))
        other = measured(drifting(600, phi, 102.0, random))
        figure = compare(report(one), report(other), 0.0)["figures"][0]
        shown += figure["verdict"] == "regression"
        held += figure["low"] <= 1.02 <= figure["high"]
    assert shown >= 140
    assert held >= 180


def test_the_table_has_an_interval_for_each_figure_and_the_words() -> None:
    console = Console(width=200, record=True, file=io.StringIO())
    base, new = report(variant(drops=60)), report(variant(p50=1100.0, drops=30))
    print_comparison(compare(base, new, 0.05), console)
    lines = [line.split("│")[2:-1] for line in console.export_text().splitlines() if "│" in line]
    rows = {cells[0].strip(): [cell.strip() for cell in cells[3:]] for cells in lines}
    assert rows["latency"] == ["1.100", "1.085 .. 1.115", "regression"]
    assert rows["message passing"] == ["1.000", "0.954 .. 1.048", "no difference shown"]
    assert rows["drops"] == ["0.500", "-0.081 .. -0.019", "better"]


def test_the_verb_compares_files_and_folders(
    make_run: MakeRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def frames(slow: int) -> Trace:
        trace = Trace().names()
        for seq in range(1, 80):
            trace.frame(seq * 10_000, seq)
            if slow:
                for row in trace.rows[-3:]:
                    row["time_ns"] += slow + seq % 3
        return trace

    base, new = make_run(frames(0), "one"), make_run(frames(300), "two")
    assert main(["report", str(base), "--warm-up", "0"]) == 0
    stored = tmp_path / "base.json"
    stored.write_text((base / "report.json").read_text())
    assert main(["report", "--compare", str(stored), str(base), "--warm-up", "0"]) == 0
    assert "no significant regression beyond 5 %" in capsys.readouterr().out
    arguments = ["report", "--compare", str(stored), str(new), "--warm-up", "0"]
    assert main(arguments) == 1
    printed = capsys.readouterr().out
    assert "base one (run one), new two (run two): the variants differ\n" in printed
    assert "regression: two: latency: the median is x 1.3" in printed
    assert main([*arguments, "--threshold", "40"]) == 0
    capsys.readouterr()
    assert main([*arguments, "--json"]) == 1
    made = json.loads(capsys.readouterr().out)
    assert made["figures"][0]["verdict"] == "regression"


def test_what_is_compared_is_named() -> None:
    base, new = report(variant("a", run_id="1"), variant("b")), report(variant("b"), variant("a"))
    made = compare(base, new, 0.05)
    console = Console(width=200, record=True, file=io.StringIO())
    print_comparison(made, console)
    lines = console.export_text().splitlines()
    assert lines[:2] == [
        "base b (run unknown), new b (run unknown)", "base a (run 1), new a (run unknown)"
    ]  # fmt: skip


def test_a_report_of_the_older_version_can_be_the_base(tmp_path: Path) -> None:
    """Version 1 had one share `wait`; what is compared means the same in both."""
    parts = dict.fromkeys(("compute", "copy", "serialise", "transport", "wait"), 1.0)
    older = variant(shares=parts, p50=1000.0)
    older["hops"][0] |= {"between_ns": parts, "node_ns": None, "topic": "/t", "wakes": 1.0}
    stored = tmp_path / "report.json"
    stored.write_text(json.dumps(report(older) | {"schema": "ligament/report/1"}))
    made = compare(read_report(stored), report(variant(p50=1100.0)), 0.05)
    found = {entry["figure"]: entry["verdict"] for entry in made["figures"]}
    assert found["latency"] == found["hop /a -> /b"] == "regression"
    assert any("base report was written by an older version" in note for note in made["notes"])
    assert not any("new report" in note for note in made["notes"])


@pytest.mark.parametrize(
    ("text", "told"),
    [("{", "is no report"), ("[]", "is no report"),
     ('{"schema": "ligament/report/0"}', "is no report of a version that can be compared"),
     ('{"schema": "ligament/report/2", "variants": [1]}', "no list of variants")],
)  # fmt: skip
def test_what_is_no_report_is_refused(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "report.json"
    path.write_text(text)
    with pytest.raises(InputError, match=told):
        read_report(path)


def test_two_are_needed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", "--compare", "one.json"]) == 2
    assert "takes two reports" in capsys.readouterr().err
