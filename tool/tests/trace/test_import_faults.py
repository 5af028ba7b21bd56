# SPDX-License-Identifier: Apache-2.0
"""Recordings that are not whole: each says what was found and what is missing."""

from __future__ import annotations

import json
import shutil
import uuid
from pathlib import Path
from typing import Any

import pytest
from ctf import Recording, System
from ruamel.yaml import YAML

from ligament.cli.main import main
from ligament.errors import InputError
from ligament.report.options import ReportOptions
from ligament.report.page.timeline import read_timeline
from ligament.report.stage import make_report
from ligament.trace.errors import TraceError
from ligament.trace.imported import import_recording

FIXTURES = Path(__file__).parent / "fixtures"
CHAIN = ["/camera", "/filter", "/sink"]


def report_of(recording: Path, tmp_path: Path) -> dict[str, Any]:
    made = import_recording(recording, out=tmp_path / "imported")
    found = make_report([made.folder], ReportOptions(warm_up=0))["variants"][0]
    assert isinstance(found, dict)
    return found


def frames(system: System, count: int = 5, first: int = 10_000) -> System:
    for number in range(count):
        system.frame(first + 10_000 * number)
    return system


@pytest.mark.parametrize("distro", ["jazzy", "humble"])
def test_a_whole_recording_misses_nothing(tmp_path: Path, distro: str) -> None:
    """Humble's rmw_publish has no time stamp: its takes are linked by when they were sent."""
    recording = Recording(distro=distro)
    frames(System(recording).start())
    found = report_of(recording.write(tmp_path / "r"), tmp_path)
    assert (found["chain"]["nodes"], found["frames"], found["missing"]) == (CHAIN, 5, [])
    timeline = read_timeline(tmp_path / "imported" / "events.parquet")
    assert timeline is not None
    hops = len(CHAIN) - 1
    assert len(timeline["arrows"]) == 5 * hops, "each message's way is drawn on the page"
    assert found["latency_ns"]["p50"] == 1000
    filter_hop = found["hops"][0]
    # From the callback's start to its publish call, and the layers before it.
    assert filter_hop["node_ns"]["compute"] == 800 - 305
    layers = {"rclcpp": 1 + 10 + 4, "rcl": 1 + 1, "rmw": 10, "between": 180 + 98}
    assert found["found"]["topics"][0]["message"] == "std_msgs/msg/Header"
    # The camera is in no callback: nothing bounds its send, so that is between.
    assert filter_hop["layers_ns"] == layers


def test_a_humble_take_that_fits_two_sends_is_linked_to_none(tmp_path: Path) -> None:
    recording = Recording(distro="humble")
    system = frames(System(recording).start())
    # A second camera that publishes the same topic at the same times.
    system._node(recording, 1100, 4, "camera2")
    system._publisher(recording, 1101, 4, "/image")
    recording.packets[-1][0].sort(key=lambda event: event[0])
    for number in range(5):
        system.publish(recording, 10_000 + 10_000 * number, 4, 0)
        recording.add(10_200 + 10_000 * number, "rclcpp_executor_get_next_ready", 4)
    recording.packets[-1][0].sort(key=lambda event: event[0])
    found = report_of(recording.write(tmp_path / "r"), tmp_path)
    assert found["missing"] == [
        "5 messages taken from /image fit no publication in the recording, or more than one"
    ]
    assert found["chain"]["nodes"] == CHAIN[1:]
    timeline = read_timeline(tmp_path / "imported" / "events.parquet")
    assert timeline is not None
    topics = {timeline["names"][arrow[4]] for arrow in timeline["arrows"]}
    assert "/image" not in topics


def test_a_humble_recording_across_a_step_of_real_time(tmp_path: Path) -> None:
    recording = Recording(distro="humble")
    system = frames(System(recording).start())
    for number in range(5, 8):
        at = 10_000 + 10_000 * number
        system.frame(at, at + recording.offset_ns + 3_600_000_000_000)
    found = report_of(recording.write(tmp_path / "r"), tmp_path)
    assert found["frames"] == 5
    assert [sentence[:33] for sentence in found["missing"]] == [
        "3 messages taken from /image fit ", "3 messages taken from /out fit no",
    ]  # fmt: skip
    assert found["incomplete"] == {
        "count": 3, "of": 8,
        "lost_after": [{"topic": "/image", "count": 3}, {"topic": "/out", "count": 0}],
    }  # fmt: skip


def test_a_jazzy_recording_across_a_step_of_real_time_is_whole(tmp_path: Path) -> None:
    recording = Recording()
    system = frames(System(recording).start())
    system.frame(60_000, 5_000).frame(70_000, 15_000)
    found = report_of(recording.write(tmp_path / "r"), tmp_path)
    assert (found["frames"], found["missing"]) == (7, [])


def test_counted_losses_are_told(tmp_path: Path) -> None:
    recording = Recording()
    frames(System(recording).start())
    recording.lose(7)
    frames(System(recording), 2, 100_000)
    found = report_of(recording.write(tmp_path / "r"), tmp_path)
    assert (found["lost_events"], found["frames"]) == (7, 7)
    assert found["missing"] == ["7 events were discarded while recording: buffers were full"]


def test_a_lost_event_breaks_its_chain_only(tmp_path: Path) -> None:
    recording = Recording()
    frames(System(recording).start())
    packet = recording.packets[-1][0]
    takes = [n for n, (time, _) in enumerate(packet) if time == 30_300]
    del packet[takes[0]]
    found = report_of(recording.write(tmp_path / "r"), tmp_path)
    assert (found["frames"], found["incomplete"]["count"]) == (4, 1)
    assert found["incomplete"]["lost_after"][0] == {"topic": "/image", "count": 1}


def test_a_session_started_after_the_system(tmp_path: Path) -> None:
    recording = Recording()
    frames(System(recording))
    found = report_of(recording.write(tmp_path / "r"), tmp_path)
    assert (found["chain"], found["found"]["nodes"], found["frames"]) == (None, [], 0)
    text = "\n".join(found["missing"])
    assert "10 messages were published by unknown publishers" in text
    assert "10 callbacks ran that belong to no known subscription" in text
    assert "the session was started after the system" in text


def test_nobody_takes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recording = Recording()
    system = System(recording).start()
    for number in range(3):
        system.publish(recording, 10_000 * (number + 1), 1, number + 1)
    folder = recording.write(tmp_path / "r")
    found = report_of(folder, tmp_path)
    assert (found["chain"], found["hops"], found["latency_ns"]) == (None, [], None)
    topics = {topic["name"]: topic["messages"] for topic in found["found"]["topics"]}
    assert topics == {"/image": 3, "/out": 0}
    assert main(["report", str(tmp_path / "imported")]) == 0
    assert "no chain from a source" in capsys.readouterr().out


@pytest.mark.parametrize("apart_ns", [0, 100, -200])
def test_two_hosts(tmp_path: Path, apart_ns: int) -> None:
    """The second host booted later, and its real time is `apart_ns` ahead."""
    boots = 5_000_000_000
    one = Recording(host="robot")
    two = Recording(host="base", offset_ns=one.offset_ns + boots + apart_ns)
    system = System(one, two)
    system._node(one, 1000, 1, "camera")
    system._publisher(one, 1001, 1, "/image")
    later = System(two)
    for number, step in enumerate(
        (lambda t: later._node(two, t, 2, "filter"), lambda t: later._publisher(two, t, 2, "/out"),
         lambda t: later._subscription(two, t, 2, "/image"),
         lambda t: later._node(two, t, 3, "sink"),
         lambda t: later._subscription(two, t, 3, "/out"))
    ):  # fmt: skip
        step(10 + number)
    for number in range(5):
        system.frame(boots + 10_000 * (number + 1), shift=-boots)
    one.write(tmp_path / "r" / "robot")
    two.write(tmp_path / "r" / "base")
    found = report_of(tmp_path / "r", tmp_path)
    assert (found["chain"]["nodes"], found["frames"]) == (CHAIN, 5)
    assert found["found"]["hosts"] == ["base", "robot"]
    assert "is another one: it was put on the timeline by both hosts' real time" in str(
        found["missing"]
    )
    assert found["latency_ns"]["p50"] == 1000 + apart_ns
    if apart_ns == 0:
        assert found["hops"][0]["wakes"] == 1.0


def test_clocks_that_contradict_causality(tmp_path: Path) -> None:
    one = Recording(host="robot")
    two = Recording(host="base", offset_ns=one.offset_ns - 50_000)
    frames(System(one, two).start())
    one.write(tmp_path / "r" / "robot")
    two.write(tmp_path / "r" / "base")
    found = report_of(tmp_path / "r", tmp_path)
    assert found["frames"] == 5
    assert "5 messages seem to be taken before they were published" in found["missing"][-1]
    assert "at least 50 us apart" in found["missing"][-1]
    assert min(found["shares"].values()) >= 0


def test_two_sessions_of_one_boot_share_a_clock(tmp_path: Path) -> None:
    boot = uuid.uuid4()
    one = Recording(host="a", boot=boot)
    two = Recording(host="container", boot=boot, offset_ns=one.offset_ns + 12_345)
    frames(System(one, two).start())
    one.write(tmp_path / "r" / "one")
    two.write(tmp_path / "r" / "two")
    found = report_of(tmp_path / "r", tmp_path)
    assert (found["frames"], found["latency_ns"]["p50"], found["missing"]) == (5, 1000, [])


def test_events_out_of_order(tmp_path: Path) -> None:
    """A clock that stepped back: the order after that is not known, so it is read up to there."""
    recording = Recording()
    frames(System(recording).start()).frame(20_500)
    found = report_of(recording.write(tmp_path / "r"), tmp_path)
    assert (found["state"], found["frames"], len(found["missing"])) == ("truncated", 5, 1)
    assert "an event is earlier than the one before it, so a clock stepped" in found["missing"][0]


def test_a_truncated_recording_is_kept_up_to_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The stream of one core was cut: only what the other core's threads did is there."""
    folder = tmp_path / "r"
    shutil.copytree(FIXTURES / "chain_processes_cyclonedds", folder)
    stream = max(folder.rglob("ch0_?"), key=lambda path: path.stat().st_size)
    with stream.open("r+b") as file:
        file.truncate(stream.stat().st_size - 100)
    assert main(["trace", "import", str(folder), "--out", str(tmp_path / "out")]) == 1
    said = capsys.readouterr().err
    assert f"{stream.name} ends inside a packet" in said
    assert "events before that were imported" in said
    found = make_report([tmp_path / "out"], ReportOptions(warm_up=0))["variants"][0]
    assert found["state"] == "truncated"
    assert f"{stream.name} ends inside a packet" in found["missing"][0]


def test_all_packets_but_the_last(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recording = Recording()
    frames(System(recording).start())
    recording.lose(0)
    frames(System(recording), 5, 200_000)
    folder = recording.write(tmp_path / "r")
    stream = folder / "ch_0"
    with stream.open("r+b") as file:
        file.truncate(stream.stat().st_size - 100)
    assert main(["trace", "import", str(folder), "--out", str(tmp_path / "out")]) == 1
    assert "1 of its 2 packets are not there" in capsys.readouterr().err
    found = make_report([tmp_path / "out"], ReportOptions(warm_up=0))["variants"][0]
    assert (found["frames"], found["chain"]["nodes"]) == (5, CHAIN)


def test_truncated_metadata(tmp_path: Path) -> None:
    folder = tmp_path / "r"
    shutil.copytree(FIXTURES / "chain_composed_intra", folder)
    metadata = next(folder.rglob("metadata"))
    with metadata.open("r+b") as file:
        file.truncate(metadata.stat().st_size - 10)
    with pytest.raises(TraceError, match="truncated"):
        import_recording(folder, out=tmp_path / "out")


def test_an_empty_recording(tmp_path: Path) -> None:
    folder = Recording().write(tmp_path / "r")
    with pytest.raises(InputError, match="holds no event of the provider `ros2`"):
        import_recording(folder, out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_foreign_recording(tmp_path: Path) -> None:
    recording = Recording(provider="other")
    frames(System(recording).start())
    with pytest.raises(InputError, match="other:callback_end"):
        import_recording(recording.write(tmp_path / "r"), out=tmp_path / "out")


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda p: None, "is no folder"),
        (lambda p: p.mkdir(), "holds no CTF recording"),
        (lambda p: p.write_text(""), "is no folder"),
    ],
)
def test_no_recording(
    tmp_path: Path, make: Any, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    make(tmp_path / "r")
    assert main(["trace", "import", str(tmp_path / "r"), "--out", str(tmp_path / "out")]) == 2
    told = capsys.readouterr().err
    assert said in told and "ros2 trace" in told
    assert not (tmp_path / "out").exists()


def test_a_type_that_was_not_recorded_is_left_to_be_filled_in(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The name of a subscription's callback tells its type; this topic has none."""
    recording = Recording()
    system = frames(System(recording).start())
    system._publisher(recording, 1010, 3, "/lonely")
    recording.packets[-1][0].sort(key=lambda event: event[0])
    words = ["trace", "import", str(recording.write(tmp_path / "r")), "--out", str(tmp_path / "o")]
    graph = tmp_path / "derived" / "graph.yaml"
    assert main([*words, "--graph", str(graph), "--json"]) == 0
    gaps = json.loads(capsys.readouterr().out)["graph_gaps"]
    assert "/sink: the type of /lonely (out) is not in the recording" in gaps
    assert main(["check", str(graph)]) == 0
    sink = YAML(typ="safe").load(next(graph.parent.rglob("sink/node.yaml")))
    assert list(sink["ports"]) == ["out"]


def test_no_graph_is_derived_of_no_node(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = frames(System(Recording())).recording.write(tmp_path / "r")
    graph = tmp_path / "derived" / "graph.yaml"
    words = ["trace", "import", str(folder), "--out", str(tmp_path / "out"), "--graph", str(graph)]
    assert main(words) == 2
    assert "the recording tells no node" in capsys.readouterr().err
    assert not graph.exists()


def test_a_recording_without_contexts(tmp_path: Path) -> None:
    recording = Recording(contexts=False)
    frames(System(recording).start())
    with pytest.raises(TraceError, match="lacks the contexts `vpid` and `vtid`"):
        import_recording(recording.write(tmp_path / "r"), out=tmp_path / "out")


def test_another_event_of_the_same_name(tmp_path: Path) -> None:
    folder = Recording().add(1, "callback_end", 1).write(tmp_path / "r")
    metadata = folder / "metadata"
    text = metadata.read_text()
    start = text.index('"ros2:callback_end"')
    metadata.write_text(text[:start] + text[start:].replace("_callback;", "_handle;", 1))
    with pytest.raises(TraceError, match="has no field `callback`"):
        import_recording(folder, out=tmp_path / "out")
