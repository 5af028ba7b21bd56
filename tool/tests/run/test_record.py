# SPDX-License-Identifier: Apache-2.0
"""`ligament record` and `ligament play`: what is in the file is what was published."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from bags import (
    WATCHDOG_S,
    await_that,
    messages,
    payloads,
    recording_into,
    require_program,
    run_verb,
    started,
)
from rosbags.interfaces import QosReliability
from rosbags.rosbag2 import CompressionFormat, CompressionMode, Reader, StoragePlugin, Writer
from rosbags.typesys import Stores, get_typestore
from run_chat import Chat
from xxh64 import image_hash

ROOT = Path(__file__).parents[3]
#: The perception graph without its camera.
REPLAYED = """schema: ligament/graph/1
name: replayed
nodes:
  rectify:
    type: image/rectify
    remap: {image: /camera/image_raw, camera_info: /camera/camera_info}
  resize:
    type: image/resize
    parameters: {scale_height: 0.5, scale_width: 0.5}
    remap: {image/image_raw: /image_rect, image/camera_info: /camera/camera_info}
  sink: {type: image/sink, parameters: {frames: 0}, remap: {image: /resize/image_raw}}
variants:
  one_process: {containers: one}
"""


@pytest.fixture(scope="module", autouse=True)
def _program() -> None:
    require_program()


@pytest.fixture
def talking(chat: Chat) -> Iterator[Chat]:
    """A graph that publishes 200 messages per second, without end."""
    process = chat.set("/listener", messages=1_000_000).start("--quiet")
    runs = chat.folder / "processes" / "runs"
    await_that(
        lambda: any('"ready"' in p.read_text() for p in runs.glob("*/status.jsonl")), process
    )
    yield chat
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
    process.communicate(timeout=WATCHDOG_S)


@pytest.fixture(scope="module")
def perceived(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[dict[str, Any]]]:
    """A recording of the perception graph, and what its sink says of each image that came."""
    folder = tmp_path_factory.mktemp("perception")
    domain = f"record_test_{uuid.uuid4().hex[:12]}"
    settings = ["camera.rate_hz=20.0", "camera.pacing=rate", "camera.frames=0", "sink.frames=0"]
    run = started(
        "run", ROOT / "examples/perception", "--variant", "one_process", "--domain", domain,
        "--out", folder, *(word for one in settings for word in ("--set", one)), "--quiet",
    )  # fmt: skip
    runs = folder / "perception/one_process/runs"
    await_that(lambda: any('"ready"' in p.read_text() for p in runs.glob("*/status.jsonl")), run)
    recorder = run_verb("record", domain, "--duration", 2, "--out", folder / "bag", "--json")
    run.send_signal(signal.SIGINT)
    _, errors = run.communicate(timeout=WATCHDOG_S)
    assert run.returncode == 0, errors  # nobody was disturbed
    assert recorder.returncode == 0, recorder.stderr
    assert json.loads(recorder.stdout)["event"] == "finished"
    (outputs,) = runs.glob("*/outputs/sink.jsonl")
    return folder / "bag", [json.loads(line) for line in outputs.read_text().splitlines()]


def test_each_image_is_the_one_that_the_sink_saw(
    perceived: tuple[Path, list[dict[str, Any]]],
) -> None:
    bag, seen = perceived
    hashes = {image["stamp_ns"]: image["hash"] for image in seen}
    images = messages(bag, "/resize/image_raw")
    assert len(images) >= 20
    stamps = [image.header.stamp.sec * 10**9 + image.header.stamp.nanosec for image in images]
    first = sorted(hashes).index(stamps[0])
    assert stamps == sorted(hashes)[first : first + len(stamps)]
    for image, stamp in list(zip(images, stamps, strict=True))[::4]:
        rows = image.data.reshape(image.height, image.step)[:, : image.width * 3]
        told = image_hash(image.width, image.height, image.encoding, [r.tobytes() for r in rows])
        assert told == hashes[stamp]


def test_a_graph_computes_the_same_from_a_bag(
    perceived: tuple[Path, list[dict[str, Any]]], tmp_path: Path
) -> None:
    bag, seen = perceived
    (tmp_path / "graph.yaml").write_text(REPLAYED)
    domain = f"record_test_{uuid.uuid4().hex[:12]}"
    run = started("run", tmp_path, "--domain", domain, "--out", tmp_path / "build", "--quiet")
    runs = tmp_path / "build/replayed/one_process/runs"
    await_that(lambda: any('"ready"' in p.read_text() for p in runs.glob("*/status.jsonl")), run)
    cameras = ("--topics", "/camera/image_raw", "--topics", "/camera/camera_info")
    played = run_verb("play", bag, *cameras, "--domain", domain)
    assert played.returncode == 0, played.stderr
    run.send_signal(signal.SIGINT)
    _, errors = run.communicate(timeout=WATCHDOG_S)
    assert run.returncode == 0, errors
    (outputs,) = runs.glob("*/outputs/sink.jsonl")
    again = [json.loads(line) for line in outputs.read_text().splitlines()]
    hashes = {image["stamp_ns"]: image["hash"] for image in seen}
    assert len(again) >= 20
    assert {i["stamp_ns"]: i["hash"] for i in again}.items() <= hashes.items()


def test_the_folder_is_one_of_rosbag2(perceived: tuple[Path, list[dict[str, Any]]]) -> None:
    bag, _ = perceived
    with Reader(bag) as reader:
        assert reader.message_count == sum(map(len, payloads(bag).values()))
        assert reader.ros_distro == "jazzy"
        topics = {c.topic: c for c in reader.connections}
        assert {"/camera/image_raw", "/camera/camera_info", "/image_rect"} <= set(topics)
        image = topics["/image_rect"]
        assert image.msgtype == "sensor_msgs/msg/Image"
        (offered,) = image.ext.offered_qos_profiles  # type: ignore[union-attr]
        assert (offered.reliability, offered.depth) == (QosReliability.RELIABLE, 5)
        assert 1.0e9 < reader.duration < 60.0e9


def test_what_is_played_is_recorded_again(
    perceived: tuple[Path, list[dict[str, Any]]], talking: Chat, tmp_path: Path
) -> None:
    bag, _ = perceived
    recorder = recording_into(tmp_path / "again", talking.domain)
    played = run_verb("play", bag, "--domain", talking.domain, "--json")
    assert played.returncode == 0, played.stderr
    recorder.send_signal(signal.SIGINT)
    _, errors = recorder.communicate(timeout=WATCHDOG_S)
    assert recorder.returncode == 0, errors
    before, again = payloads(bag), payloads(tmp_path / "again")
    assert "/chatter" in again
    del again["/chatter"]
    assert json.loads(played.stdout)["published"] == sum(map(len, before.values()))
    # The player's publishers are new to the recorder: what it missed of them is at their start.
    for topic, came in again.items():
        assert came == before[topic][-len(came) :]
    assert sum(map(len, again.values())) > 0.8 * sum(map(len, before.values()))


def test_every_message_is_there_in_its_order(talking: Chat, tmp_path: Path) -> None:
    recorder = run_verb("record", talking.domain, "--duration", 1.5, "--out", tmp_path / "bag")
    assert recorder.returncode == 0, recorder.stderr
    assert "/chatter" in recorder.stdout and "messages" in recorder.stdout
    words = [message.data for message in messages(tmp_path / "bag", "/chatter")]
    first = int(words[0].split()[1])
    assert len(words) > 20
    assert words == [f"message {first + i}" for i in range(len(words))]


def test_only_chosen_topics(
    perceived: tuple[Path, list[dict[str, Any]]], talking: Chat, tmp_path: Path
) -> None:
    bag, _ = perceived
    both = ("--topics", "/chatter", "--regex", "_rect$")
    recorder = recording_into(tmp_path / "some", talking.domain, *both)
    played = run_verb("play", bag, "--rate", 5, "--domain", talking.domain)
    assert played.returncode == 0, played.stderr
    recorder.send_signal(signal.SIGINT)
    recorder.communicate(timeout=WATCHDOG_S)
    assert set(payloads(tmp_path / "some")) == {"/chatter", "/image_rect"}


def test_topics_that_are_not_there_are_told_while_it_records(talking: Chat, tmp_path: Path) -> None:
    words = ("--topics", "/chatter", "--topics", "/chater", "--duration", 1.5)
    recorder = run_verb("record", talking.domain, *words, "--out", tmp_path / "bag")
    assert recorder.returncode == 0, recorder.stderr
    assert "warning: nobody publishes or subscribes to '/chater'" in recorder.stderr
    assert set(payloads(tmp_path / "bag")) == {"/chatter"}


def test_it_ends_with_the_graph(talking: Chat, tmp_path: Path) -> None:
    recorder = recording_into(tmp_path / "bag", talking.domain)
    talking.started[0].send_signal(signal.SIGINT)
    out, errors = recorder.communicate(timeout=WATCHDOG_S)
    assert recorder.returncode == 0, errors
    assert "until the graph ended" in out
    assert payloads(tmp_path / "bag")["/chatter"]


def child_of(process: subprocess.Popen[str]) -> int:
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    (child,) = map(int, children)
    return child


def test_the_end_of_the_tool_is_an_end_of_the_file(talking: Chat, tmp_path: Path) -> None:
    recorder = recording_into(tmp_path / "bag", talking.domain)
    program = child_of(recorder)
    recorder.kill()
    recorder.communicate()
    await_that(lambda: not Path(f"/proc/{program}").exists(), talking.started[0])
    assert payloads(tmp_path / "bag")["/chatter"]


def test_a_killed_recorder_leaves_what_can_be_played(talking: Chat, tmp_path: Path) -> None:
    recorder = recording_into(tmp_path / "bag", talking.domain)
    os.kill(child_of(recorder), signal.SIGKILL)
    _, errors = recorder.communicate(timeout=WATCHDOG_S)
    assert recorder.returncode == 1
    assert "killed" in errors
    played = run_verb("play", tmp_path / "bag", "--rate", 1000, "--domain", f"{talking.domain}.new")
    assert played.returncode == 0, played.stderr
    assert "has no end" in played.stderr
    assert int(played.stdout.split(": ")[1].split()[0]) > 0


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("record", "no_such_graph"), "graph 'no_such_graph' does not run"),
        (("play", "nowhere"), "there is no bag 'nowhere'"),
        (("play", "text.mcap", "--domain", "record_test.none"), "no MCAP file"),
        (("play", "text.mcap", "--rate", "0"), "a rate is above 0"),
        (("play", "text.mcap", "--domain", "x", "--regex", "("), "no regular expression"),
        (("record", "--out", "."), "is there already"),
        (("record", "no_such_graph", "--duration", "0"), "a duration is above 0"),
    ],
)
def test_mistakes(
    words: tuple[str, ...], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("text.mcap").write_text("this is no recording")
    result = run_verb(*words)
    assert result.returncode == 2, result.stderr
    assert told in result.stderr
    assert not list(tmp_path.glob("no_such*"))


@pytest.mark.parametrize("compression", [None, CompressionMode.STORAGE])
def test_a_bag_of_another_writer_is_played(
    compression: CompressionMode | None, talking: Chat, tmp_path: Path
) -> None:
    """Its definitions are within a chunk, and it says no hashes of types."""
    types = get_typestore(Stores.ROS2_JAZZY)
    text = types.types["std_msgs/msg/String"]
    bag = Writer(tmp_path / "other", version=8, storage_plugin=StoragePlugin.MCAP)
    if compression:
        bag.set_compression(compression, CompressionFormat.ZSTD)
    with bag as writer:
        connection = writer.add_connection("/other", "std_msgs/msg/String", typestore=types)
        for i in range(50):
            raw = types.serialize_cdr(text(data=f"other {i}"), "std_msgs/msg/String")
            writer.write(connection, 10**18 + i * 10**7, raw)
    recorder = recording_into(tmp_path / "again", talking.domain)
    played = run_verb("play", tmp_path / "other", "--domain", talking.domain)
    recorder.send_signal(signal.SIGINT)
    recorder.communicate(timeout=WATCHDOG_S)
    if compression:
        assert played.returncode == 2
        assert "compressed with zstd" in played.stderr
        return
    assert played.returncode == 0, played.stderr
    assert "50 messages" in played.stdout
    words = [message.data for message in messages(tmp_path / "again", "/other")]
    assert words == [f"other {i}" for i in range(50 - len(words), 50)]
    assert len(words) > 10
