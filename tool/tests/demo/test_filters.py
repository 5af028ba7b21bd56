# SPDX-License-Identifier: Apache-2.0
"""The graph of all kernels in the demo: run behind its own, compared, counted in the verdict."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

from ligament.cli import demo as verb
from ligament.cli.main import main
from ligament.demo import demo, reference
from ligament.demo.demo import Demonstrated, demonstrate
from ligament.demo.figures import filters_entry
from ligament.demo.reference import Reference, run_reference
from ligament.demo.runs import DemoOptions
from ligament.demo.terminal import filters_table
from ligament.errors import FailureError
from ligament.resources import node_packages_dir

EXAMPLES = node_packages_dir().parent / "examples"
ENTRY = {"name": "gpu", "run_dir": "r", "frames": 60, "equality": {"text": "equal"},
         "latency_ns": {"p50": 2000.0}, "time_base": "device", "message_passing": 0.125,
         "spans": [{"category": "copy", "device": name} for name in ("a GPU", None)]}  # fmt: skip


@pytest.mark.parametrize(
    ("words", "asked"),
    [([], True), (["--full"], True), (["--graph", str(EXAMPLES / "threshold")], False)],
)
def test_it_is_run_behind_the_perception_graph_alone(
    words: list[str], asked: bool, monkeypatch: pytest.MonkeyPatch, made: Demonstrated
) -> None:
    given: list[DemoOptions] = []
    monkeypatch.setattr(
        verb, "demonstrate", lambda options, say, early: given.append(options) or made
    )
    assert main(["demo", "--no-open", *words]) == 0
    (options,) = given
    assert options.filters == (EXAMPLES / "filters" / "graph.yaml" if asked else None)


@pytest.mark.parametrize("equal", [True, False])
def test_its_frames_count_in_the_verdict(
    equal: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    ran: list[tuple[str, int, list[str]]] = []

    def run_fast(builds: dict[str, Path], options: DemoOptions, say: object) -> dict[str, Path]:
        ran.append((options.graph.parent.name, options.frames, [*builds]))
        return dict.fromkeys(builds, tmp_path)

    def report(folders: list[Path], options: object) -> dict[str, Any]:
        filters = ran[-1][0] == "filters"
        entry = ENTRY | {"equal": equal if filters else True, "drops": 0}
        return {"variants": [entry]}

    bare = [{"params": {"kernel": "remap+resize"}, "p50": 1.0}]
    found = Reference(tmp_path / "sink.jsonl", bare, tmp_path / "picture.png")
    monkeypatch.setattr(
        demo,
        "build_variants",
        lambda options, say, names: {n: tmp_path for n in names if n.startswith("gpu")},
    )
    monkeypatch.setattr(demo, "run_fast", run_fast)
    monkeypatch.setattr(
        demo, "open_run", lambda path: SimpleNamespace(outputs=lambda: {"/sink": path})
    )
    monkeypatch.setattr(demo, "run_reference", lambda *given: found)
    monkeypatch.setattr(demo, "make_report", report)
    monkeypatch.setattr(demo, "make_page", lambda report, path: path)
    options = DemoOptions(
        EXAMPLES / "perception" / "graph.yaml",
        paced_frames=0,
        out=tmp_path,
        filters=EXAMPLES / "filters" / "graph.yaml",
    )
    shown = demonstrate(options, lambda text: None)
    assert ran == [("perception", 600, ["gpu"]), ("filters", 60, ["gpu", "gpu_queue"])]
    (shown_entry,) = shown.report["filters"]["variants"]
    assert (shown_entry["name"], shown_entry["devices"]) == ("gpu", ["a GPU"])
    assert "spans" not in shown_entry
    assert shown.equal == equal


@pytest.mark.parametrize(("equal", "word"), [(True, "yes"), (False, "NO")])
def test_the_table_says_whether_they_are_equal(equal: bool, word: str) -> None:
    console = Console(width=120, record=True)
    console.print(filters_table({"variants": [filters_entry(ENTRY | {"equal": equal})]}))
    text = console.export_text()
    assert all(figure in text for figure in ("60", word, "2 us", "a GPU", "12.50 %"))


@pytest.mark.parametrize(
    ("graph", "words"), [("perception", []), ("filters", ["--blur", "5", "--grey"])]
)
def test_the_reference_does_what_the_graph_does(
    graph: str, words: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    called: list[list[str]] = []

    def call(command: list[str], log: Path) -> None:
        called.append(command)
        (tmp_path / "kernels.json").write_text('{"rows": []}')

    monkeypatch.setattr(reference, "_program", lambda out, say: Path("program"))
    monkeypatch.setattr(reference, "_call", call)
    recorded = tmp_path / "sink.jsonl"
    recorded.write_text("")
    options = DemoOptions(EXAMPLES / graph / "graph.yaml")
    run_reference(options, tmp_path, recorded, lambda text: None)
    after = called[0][called[0].index("--height") + 2 :]
    assert after == [*words, "--out", str(tmp_path)]


def test_a_reference_for_another_conversion_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(reference, "_program", lambda out, say: Path("program"))
    graph = (EXAMPLES / "filters" / "graph.yaml").read_text()
    (tmp_path / "graph.yaml").write_text(graph.replace("encoding: mono8", "encoding: bgr8"))
    (tmp_path / "sink.jsonl").write_text("")
    options = DemoOptions(tmp_path / "graph.yaml")
    with pytest.raises(FailureError, match="not to bgr8"):
        run_reference(options, tmp_path, tmp_path / "sink.jsonl", lambda text: None)


@pytest.mark.parametrize(
    ("body", "why"), [("exit 1", "exit 1"), ("echo no; echo frames; exit 3", "frames")]
)
def test_a_reference_that_fails_says_why(
    body: str, why: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\n{body}\n")
    program.chmod(0o755)
    monkeypatch.setattr(reference, "_program", lambda out, say: program)
    (tmp_path / "sink.jsonl").write_text("")
    options = DemoOptions(EXAMPLES / "perception" / "graph.yaml")
    with pytest.raises(FailureError, match=f"failed: {why}\n"):
        run_reference(options, tmp_path / "out", tmp_path / "sink.jsonl", lambda text: None)
