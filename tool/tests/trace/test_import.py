# SPDX-License-Identifier: Apache-2.0
"""Recordings of an unmodified rclcpp system: the chain, the nodes and their times, without a word.

The fixtures are a camera (33 ms timer, 60 frames), rectify (busy for 2000 us), resize (700 us) and
a sink with a service `count`: three recordings, by ros2_tracing on Jazzy. Callbacks also
allocate and fill their output, so they take a little longer than they are busy.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pyarrow.parquet as pq
import pytest
from ruamel.yaml import YAML

from ligament import resources
from ligament.cli.main import main
from ligament.report.options import ReportOptions
from ligament.report.page.timeline import read_timeline
from ligament.report.stage import make_report
from ligament.trace import stage
from ligament.trace.imported import import_recording
from ligament.trace.perfetto import write_timeline

FIXTURES = Path(__file__).parent / "fixtures"
RECORDINGS = ("chain_processes_cyclonedds", "chain_processes_fastrtps", "chain_composed_intra")
NODES = ["/camera", "/rectify", "/resize", "/sink"]
IMAGE = "sensor_msgs/msg/Image"
TOPICS = ("/image_raw", "/image_rect", "/image_small")


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """One report of the three recordings."""
    folder = tmp_path_factory.mktemp("imported")
    imported = [import_recording(FIXTURES / name, out=folder / name) for name in RECORDINGS]
    return make_report([one.folder for one in imported], ReportOptions())


def variant(report: dict[str, Any], name: str) -> dict[str, Any]:
    found: dict[str, Any] = next(v for v in report["variants"] if v["name"] == name)
    return found


def test_the_report_follows_its_schema(report: dict[str, Any]) -> None:
    path = resources.spec_dir() / "report" / "report.schema.json"
    jsonschema.validate(report, json.loads(path.read_text()))


@pytest.mark.parametrize("name", RECORDINGS)
def test_the_chain_is_found(report: dict[str, Any], name: str) -> None:
    found = variant(report, name)
    assert found["chain"]["nodes"] == NODES
    assert [hop["topic"] for hop in found["hops"]] == ["/image_raw", "/image_rect", "/image_small"]
    assert (found["frames"], found["warm_up_frames"]) == (50, 10)
    assert (found["incomplete"]["count"], found["incomplete"]["of"]) == (0, 60)
    assert (found["lost_events"], found["missing"], found["other_chains"]) == (0, [], [])
    assert 29 < found["throughput_hz"] < 31


@pytest.mark.parametrize("name", RECORDINGS)
def test_the_compute_times_are_those_of_the_nodes(report: dict[str, Any], name: str) -> None:
    rectify, resize, sink = variant(report, name)["hops"]
    assert 2_000_000 < rectify["node_ns"]["compute"] < 2_500_000
    assert 700_000 < resize["node_ns"]["compute"] < 750_000
    assert sink["node_ns"] is None


@pytest.mark.parametrize("name", RECORDINGS)
def test_the_system_is_found(report: dict[str, Any], name: str) -> None:
    found = variant(report, name)["found"]
    assert found["nodes"] == NODES
    assert found["processes"] == (1 if name == "chain_composed_intra" else 4)
    assert found["timers"] == [{"node": "/camera", "period_ns": 33_000_000}]
    topics = {topic["name"]: topic for topic in found["topics"]}
    for topic in ("/image_raw", "/image_rect", "/image_small"):
        assert topics[topic] == {
            "name": topic, "message": IMAGE, "publishers": 1, "subscriptions": 1, "messages": 60,
        }  # fmt: skip
    # Four publish, and so does each node's parameter service; nobody listens to /rosout.
    assert (topics["/parameter_events"]["publishers"], topics["/rosout"]["publishers"]) == (4, 4)
    assert topics["/rosout"]["subscriptions"] == 0
    assert {"node": "/sink", "name": "/count"} in found["services"]


@pytest.mark.parametrize("name", RECORDINGS)
def test_the_callbacks_are_told(report: dict[str, Any], name: str) -> None:
    callbacks = {(c["node"], c["name"]): c for c in variant(report, name)["callbacks"]}
    assert callbacks["/camera", "every 33 ms"]["kind"] == "timer"
    assert callbacks["/camera", "every 33 ms"]["time_ns"]["n"] == 61
    for node, topic in (("/rectify", "/image_raw"), ("/resize", "/image_rect"),
                        ("/sink", "/image_small")):  # fmt: skip
        assert callbacks[node, topic]["kind"] == "subscription"
        assert callbacks[node, topic]["time_ns"]["n"] == 60
        assert 32_000_000 < callbacks[node, topic]["interval_ns"]["p50"] < 34_000_000


@pytest.mark.parametrize("name", RECORDINGS)
def test_every_nanosecond_has_a_name_and_a_layer(report: dict[str, Any], name: str) -> None:
    found = variant(report, name)
    assert sum(found["shares"].values()) == pytest.approx(1)
    hops = found["hops"]
    mean = sum(hop["total_ns"]["mean"] for hop in hops)
    assert mean == pytest.approx(found["latency_ns"]["mean"])
    for hop in hops:
        node = (hop["node_ns"] or {"transport": 0.0})["transport"]
        transport = hop["between_ns"]["transport"] + node
        assert sum(hop["layers_ns"].values()) == pytest.approx(transport)
        assert all(time >= 0 for time in hop["layers_ns"].values())


def test_layers_differ_as_the_systems_do(report: dict[str, Any]) -> None:
    intra = variant(report, "chain_composed_intra")
    assert (intra["layers_ns"]["rmw"], intra["layers_ns"]["rcl"]) == (0, 0)
    # One thread does everything: nobody is woken, and each waits for the callback before it.
    assert intra["layers_ns"]["between"] == 0
    assert intra["shares"]["executor_wait"] > 0
    assert {hop["wakes"] for hop in intra["hops"]} == {0.0}
    # 0.9 MB through Fast DDS's segment of half a megabyte is sent again until it fits; Cyclone
    # sends it inside the publish call.
    fast = variant(report, "chain_processes_fastrtps")
    cyclone = variant(report, "chain_processes_cyclonedds")
    assert fast["layers_ns"]["between"] > 10 * cyclone["layers_ns"]["between"]
    assert {hop["wakes"] for hop in cyclone["hops"]} == {1.0}


def test_recordings_are_compared(report: dict[str, Any]) -> None:
    assert report["reference"] == RECORDINGS[0]
    against = [one["against_reference"] for one in report["variants"]]
    assert against[0] is None
    assert against[1]["difference_low_ns"] > 0 > against[2]["difference_high_ns"]
    assert not against[1]["within_noise"]
    assert not against[2]["within_noise"]
    assert all(one["equal"] is None for one in report["variants"])


def test_the_verb(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recording = FIXTURES / "chain_composed_intra"
    out = tmp_path / "out"
    assert main(["trace", "import", str(recording), "--out", str(out), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert (printed["provider_events"], printed["discarded_events"]) == (2276, 0)
    schema = resources.spec_dir() / "events" / "imported.schema.json"
    jsonschema.validate(
        json.loads((out / "import.json").read_text()), json.loads(schema.read_text())
    )
    names = {e["name"] for e in json.loads((out / "timeline.json").read_text())["traceEvents"]}
    assert {"/rectify /image_raw", "/camera timer", "/image_rect"} <= names
    assert main(["report", str(out), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["variants"][0]["chain"]["nodes"] == NODES


@pytest.mark.parametrize("name", RECORDINGS)
def test_a_graph_is_derived_that_check_accepts(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "derived" / "graph.yaml"
    words = ["trace", "import", str(FIXTURES / name), "--out", str(tmp_path / name)]
    assert main([*words, "--graph", str(file), "--json"]) == 0
    gaps = json.loads(capsys.readouterr().out)["graph_gaps"]
    assert not any("/image" in gap for gap in gaps)
    # Seven of each node's own, and the sink's.
    assert "29 services were seen; services are no ports of a graph file yet" in gaps
    assert main(["check", str(file), "--out", str(tmp_path / "build"), "--json"]) == 0
    capsys.readouterr()
    graph = YAML(typ="safe").load(file)
    containers = graph["variants"]["recorded"]["containers"]
    assert containers == ("one" if name == "chain_composed_intra" else "separate")
    assert list(graph["nodes"]) == ["camera", "rectify", "resize", "sink"]
    rectify = YAML(typ="safe").load(file.parent / name / "rectify" / "node.yaml")
    assert rectify["ports"] == {
        "image_raw": {"direction": "in", "message": IMAGE,
                      "qos": {"history": "keep_last", "depth": 10}},
        "image_rect": {"direction": "out", "message": IMAGE,
                       "qos": {"history": "keep_last", "depth": 10}},
    }  # fmt: skip
    assert main([*words, "--graph", str(file)]) == 2
    assert "is there already" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["trace", "import"], ["trace"], ["trace", "import", "--help"]])
def test_the_verb_explains_itself(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    main(words)
    printed = capsys.readouterr()
    assert "import" in printed.out + printed.err


def test_a_run_is_not_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "run.json").write_text("{}")
    recording = str(FIXTURES / "chain_composed_intra")
    assert main(["trace", "import", recording, "--out", str(tmp_path)]) == 2
    assert "is a run" in capsys.readouterr().err
    assert main(["trace", "import", recording, "--out", recording]) == 2
    assert "is the recording" in capsys.readouterr().err


def test_an_import_is_not_overwritten_silently(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    first, second = (str(FIXTURES / name) for name in RECORDINGS[:2])
    assert main(["trace", "import", first, "--name", "before"]) == 0
    table = Path("build/imported/before/events.parquet").read_bytes()
    capsys.readouterr()
    assert main(["trace", "import", second, "--name", "before"]) == 2
    refused = capsys.readouterr().err
    assert f"build/imported/before is the import of another recording, '{RECORDINGS[0]}'" in refused
    assert "choose another --name" in refused
    assert Path("build/imported/before/events.parquet").read_bytes() == table
    assert main(["trace", "import", first, "--name", "before"]) == 0
    assert f"replaced the earlier import of '{RECORDINGS[0]}'" in capsys.readouterr().err


@pytest.mark.parametrize("name", RECORDINGS)
def test_messages_are_arrows_on_the_page_and_in_perfetto(tmp_path: Path, name: str) -> None:
    """Also those that went through the middleware: they are found by their source timestamp."""
    imported = import_recording(FIXTURES / name, out=tmp_path)
    events = json.loads(imported.timeline.read_text())["traceEvents"]
    arrows = [event["name"] for event in events if event["ph"] == "s"]
    shown = read_timeline(imported.conversion.path)
    assert shown is not None
    assert sorted(shown["names"][arrow[4]] for arrow in shown["arrows"]) == sorted(arrows)
    assert {topic: arrows.count(topic) for topic in TOPICS} == dict.fromkeys(TOPICS, 60)


def test_a_timeline_counts_microseconds_from_its_first_event(tmp_path: Path) -> None:
    made = import_recording(FIXTURES / RECORDINGS[0], out=tmp_path)
    times = pq.read_table(made.conversion.path, columns=["time_ns"])["time_ns"].to_pylist()
    events = json.loads(made.timeline.read_text())["traceEvents"]
    begins = {round(1000 * event["ts"]) + min(times) for event in events if event["ph"] == "X"}
    assert len(begins) > 1 and begins <= set(times)


def test_a_bounded_timeline_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    table = import_recording(FIXTURES / RECORDINGS[0], out=tmp_path).conversion.path
    assert not write_timeline(table, tmp_path / "short.json", rows=500)
    shown = json.loads((tmp_path / "short.json").read_text())["otherData"]["shown"]
    assert shown.startswith("the first 500 of ")
    assert write_timeline(table, tmp_path / "whole.json")
    whole = json.loads((tmp_path / "whole.json").read_text())["otherData"]["shown"]
    assert whole.startswith("all of ")
    monkeypatch.setattr(stage, "write_timeline", lambda *_: False)
    words = ["trace", "import", str(FIXTURES / RECORDINGS[0]), "--out", str(tmp_path / "again")]
    assert main(words) == 0
    assert "(the first 400000 rows; the rest is in the table beside it)" in capsys.readouterr().out
    assert main([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["timeline_is_whole"] is False
