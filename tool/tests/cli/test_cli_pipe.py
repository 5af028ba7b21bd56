# SPDX-License-Identifier: Apache-2.0
"""`check`, `map`, `graph` and `docs`: artefacts, and a pipe that can be entered anywhere."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from ligament import pipeline
from ligament.build.stage import Built
from ligament.cli import demo, report, trace
from ligament.cli.main import main
from ligament.resources import spec_dir
from ligament.trace.convert import Conversion
from ligament.trace.stage import Traced

CASES = spec_dir() / "cases"
PIPELINE = str(CASES / "graph" / "pipeline.yaml")
EVERYTHING = str(CASES / "graph" / "everything.yaml")


def test_check_prints_the_normalised_graph_that_map_takes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", PIPELINE, "--json"]) == 0
    graph = tmp_path / "graph.json"
    graph.write_text(capsys.readouterr().out, encoding="utf-8")
    assert main(["map", str(graph), "--out", str(tmp_path / "a")]) == 0
    assert main(["map", PIPELINE, "--out", str(tmp_path / "b")]) == 0
    artefact = Path("case", "default", "mapping.json")
    assert (tmp_path / "a" / artefact).read_bytes() == (tmp_path / "b" / artefact).read_bytes()


def test_check_writes_only_where_it_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["check", PIPELINE]) == 0
    assert list(tmp_path.iterdir()) == []
    assert main(["check", PIPELINE, "--out", "x"]) == 0
    assert json.loads((tmp_path / "x" / "case" / "graph.json").read_text())["name"] == "case"


def test_check_takes_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "graph.yaml").write_text("schema: ligament/graph/1\nname: x\nnodes: {}\n")
    assert main(["check", str(tmp_path)]) == 0
    assert capsys.readouterr().out.startswith("x: 0 nodes, 0 topics, 1 variant")


@pytest.mark.parametrize(
    ("given", "looked", "hint"),
    [
        ("examples/perceptoin", "examples", "did you mean 'perception'?"),
        ("examples/perception", "examples/perception", "did you mean 'graphs.yaml'?"),
        ("nowhere/perception", "nowhere, which is not there", ""),
        ("x", "", ""),
    ],
)
def test_where_a_graph_was_looked_for_is_told(
    given: str,
    looked: str,
    hint: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "examples" / "perception").mkdir(parents=True)
    (tmp_path / "examples" / "perception" / "graphs.yaml").touch()
    monkeypatch.chdir(tmp_path)
    assert main(["check", given]) == 2
    said = capsys.readouterr().err
    assert f"  note: looked in {tmp_path / looked}\n" in said
    assert (f"  hint: {hint}" in said) if hint else ("hint:" not in said)


@pytest.mark.parametrize(
    ("verb", "said"),
    [
        ("check", "there is no graph file"),
        ("report", "there is no run.json in"),
        ("trace", "there is no run.json"),
    ],
)
def test_a_folder_without_what_a_verb_reads(
    verb: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([verb, str(tmp_path)]) == 2
    assert said in capsys.readouterr().err


def test_map_writes_every_variant_and_is_quiet_the_second_time(tmp_path: Path) -> None:
    words = ["map", EVERYTHING, "--all", "--plan", "--out", str(tmp_path)]
    assert main(words) == 0
    found = sorted(tmp_path.glob("everything/*/mapping.json"))
    assert [p.parent.name for p in found] == ["fused", "groups", "processes"]
    before = [p.stat().st_mtime_ns for p in found]
    assert main(words) == 0
    assert [p.stat().st_mtime_ns for p in found] == before


def test_map_explains_itself(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    board = str(CASES / "platforms" / "board.yaml")
    words = [
        "map",
        str(CASES / "map" / "plan_fpga.yaml"),
        "--platform",
        board,
        "--plan",
        "--out",
        str(tmp_path),
    ]
    assert main(words) == 0
    out = capsys.readouterr().out
    assert "/rectify  case/rectify: runs on fpga0: the graph asks for fpga" in out
    assert "edges across the software-hardware boundary: 3 (1 publish + 2 subscribe)" in out


def test_map_refuses_a_transport_that_reaches_nobody(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    board = str(CASES / "platforms" / "board.yaml")
    graph = str(CASES / "map" / "xrce_without_mcu.yaml")
    assert main(["map", graph, "--platform", board, "--out", str(tmp_path)]) == 2
    assert "'/image_rect' cannot use shm, xrce" in capsys.readouterr().err


def test_map_lets_the_edge_join_ends_outside(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["map", EVERYTHING, "--variant", "fused", "--out", str(tmp_path)]) == 0
    assert "/resized  sensor_msgs/msg/Image over shm, dds" in capsys.readouterr().out


def test_unwritable_output_is_a_failure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    assert main(["map", PIPELINE, "--out", str(tmp_path / "file")]) == 1
    assert "choose another folder with --out" in capsys.readouterr().err


def test_graph_draws_on_terminal_and_as_svg(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["graph", EVERYTHING, "--variant", "groups"]) == 0
    assert "container front" in capsys.readouterr().out
    picture = tmp_path / "graph.svg"
    assert main(["graph", EVERYTHING, "--variant", "groups", "--svg", str(picture)]) == 0
    assert picture.read_text().startswith("<svg")


def test_graph_draws_a_mapping_made_by_hand(tmp_path: Path) -> None:
    picture = tmp_path / "graph.svg"
    by_hand = str(CASES / "mapping" / "by_hand.json")
    assert main(["graph", "--mapping", by_hand, "--svg", str(picture)]) == 0
    assert "/talker" in picture.read_text()


def test_docs_writes_the_reference(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["docs", "--out", str(tmp_path)]) == 0
    assert "# graph.yaml" in (tmp_path / "graph.md").read_text()
    assert main(["docs", "--out", str(tmp_path), "--json"]) == 0
    (told,) = json.loads(capsys.readouterr().out.split("\n", 1)[1])["written"]
    assert "graph.md" in told["pages"]


def test_generate_writes_what_map_does_and_says_what_changed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["map", PIPELINE, "--out", str(tmp_path / "a")]) == 0
    capsys.readouterr()
    words = ["generate", PIPELINE, "--out", str(tmp_path / "b")]
    assert main(words) == 0
    manifest = tmp_path / "b" / "case" / "default" / "manifest.json"
    assert re.fullmatch(rf"{manifest}: \d+ files changed\n", capsys.readouterr().out)
    for name in ("graph.json", "default/mapping.json"):
        mapped, generated = (tmp_path / out / "case" / name for out in "ab")
        assert generated.read_bytes() == mapped.read_bytes()
    assert main(words) == 0
    assert capsys.readouterr().out == f"{manifest}: nothing changed\n"


@pytest.mark.parametrize("jobs", [1, 3])
def test_build_is_told_how_many_jobs(
    jobs: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[tuple[str, int | None, bool]] = []

    def stage(manifest: Path, jobs: int | None, progress: object, target: object) -> Built:
        told.append((manifest.name, jobs, callable(progress)))
        assert target is None
        return Built(manifest.with_name("build.json"), compiled=False)

    monkeypatch.setattr(pipeline, "build", stage)
    assert main(["build", PIPELINE, "--jobs", str(jobs), "--out", str(tmp_path)]) == 0
    assert told == [("manifest.json", jobs, True)]
    assert main(["build", PIPELINE, "--jobs", "0", "--out", str(tmp_path)]) == 2


def test_trace_says_what_it_made_and_all_that_was_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made = Conversion(tmp_path / "events.parquet", 30, 2, 400, 50, 6, 0, provider_events=20)
    traced = Traced(tmp_path, made, tmp_path / "timeline.json", timeline_is_whole=True)
    monkeypatch.setattr(trace, "trace_run", lambda run: traced)
    assert main(["trace", str(tmp_path)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"20 events (30 rows), 456 lost: {made.path}",
        f"timeline for ui.perfetto.dev: {traced.timeline}",
    ]


def test_trace_alone_says_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    main(["trace"])
    said = "".join(capsys.readouterr())
    assert "import" in said and "Usage: " in said and "Missing command" not in said


@pytest.mark.parametrize(
    ("words", "written"),
    [
        (["one", "two"], "one/report.json"),
        (["one/run.json"], "one/report.json"),
        (["one", "--out", "x/y.json"], "x/y.json"),
    ],
)
def test_a_report_lies_beside_the_first_run_or_where_it_is_wanted(
    words: list[str], written: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(report, "report_of", lambda runs, options: {"variants": []})
    assert main(["report", *words, "--json"]) == 0
    assert [p for p in tmp_path.rglob("*") if p.is_file()] == [tmp_path / written]


@pytest.mark.parametrize(("equal", "code"), [(True, 0), (False, 1)])
def test_first_frames_that_differ_fail_the_demo(
    equal: bool, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    variants = [{"equal": True}, {"equal": equal}]
    monkeypatch.setattr(demo, "first_frames_of", lambda options, say: {"variants": variants})
    assert main(["demo", "--first", "--json", "--out", str(tmp_path)]) == code
