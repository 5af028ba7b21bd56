# SPDX-License-Identifier: Apache-2.0
"""`ligament move` on real graphs: a node changes its device, and no frame is lost or doubled."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from moving_run import Run, ended, write_images
from run_chat import LIGAMENT, Chat

from ligament.pipeline import Request, built
from ligament.run.moving import MoveError, MoveWish, moved_config, wish_of

HERE = Path(__file__).parent
pytestmark = pytest.mark.timeout(1800)  # the first one builds the graph, others kernels and cores


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the graph is built, and its images."""
    folder = tmp_path_factory.mktemp("moving")
    write_images(folder)
    return folder


@pytest.fixture(scope="module")
def built_echoed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("echoed")


@pytest.fixture
def run(built_echoed: Path, request: pytest.FixtureRequest) -> Iterator[Run]:
    """Counted strings through /echo; /listener reports each that is not the next one."""
    variant = getattr(request, "param", "processes")
    build = built(Request(HERE / "echoed.yaml", variant, "host", built_echoed)).build
    # Nodes of one process hear each other from the first message on; others when they have met.
    settings = ["listener.whole=true"] if variant == "one_process" else []
    yield from ended(Run(build, settings, "/listener"))


@pytest.fixture
def frames(out: Path) -> Iterator[Run]:
    """Small images through /convert, which can be on any device; /sink looks for gaps."""
    build = built(Request(HERE / "moving.yaml", "processes", "soc_sim", out)).build
    settings = [f"camera.source={out / 'images'}", "camera.rate_hz=1000"]
    yield from ended(Run(build, settings, "/sink"))


@pytest.mark.parametrize("run", ["processes", "one_process"], indirect=True)
def test_a_node_moves_between_processes(run: Run) -> None:
    run.expect_moves("echo", ["cpu", "cpu", "cpu"])


def test_a_node_moves_to_a_gpu_and_back(frames: Run) -> None:
    frames.expect_moves("convert", ["gpu", "cpu", "gpu"])
    frames.expect_all_frames()


def test_a_node_moves_into_an_fpga_and_back(frames: Run) -> None:
    frames.expect_moves("convert", ["fpga0", "gpu", "fpga0", "cpu"])
    frames.expect_all_frames()


def test_a_node_with_state_stays_and_the_run_goes_on(run: Run) -> None:
    moved = run.move("listener", "cpu")
    assert moved.returncode == 1
    assert "keeps state (count)" in moved.stderr
    assert "save_state()" in moved.stderr
    run.wait_for_more(50)
    record = run.end()
    assert record["moves"] == record["errors"] == record["losses"] == []


def test_a_container_that_is_left_empty_ends(run: Run) -> None:
    assert run.move("echo", "cpu").returncode == 0
    run.wait_for_more(50)
    record = run.end()
    exits = {process["container"]: process["exit"] for process in record["processes"]}
    assert exits == dict.fromkeys(("talker", "echo", "listener", "echo-2"), "exit 0")
    ended_ns = {process["container"]: process["ended_ns"] for process in record["processes"]}
    assert ended_ns["echo"] < record["shutdown"]["stop_ns"]


def test_what_cannot_be_asked_is_refused_by_name(run: Run) -> None:
    unknown = run.move("ecoh", "cpu")
    assert unknown.returncode == 2
    assert "/echo" in unknown.stderr
    nowhere = run.move("echo", "fpga7")
    assert nowhere.returncode == 2
    assert "fpga7" in nowhere.stderr
    run.end()
    gone = run.move("echo", "cpu")
    assert gone.returncode == 1
    assert "does not answer" in gone.stderr


def test_a_new_process_that_dies_at_its_start_leaves_all_as_it_was(chat: Chat) -> None:
    running = chat.set("/talker", messages=0).set("/listener", messages=0).start()
    try:
        folder = wait_for_run(chat)
        built_for = chat.folder / "processes" / "gen" / "containers" / "talker.json"
        config = json.loads(built_for.read_text())
        config["nodes"][0]["library"] = "no such library"
        built_for.write_text(json.dumps(config))
        command = [*LIGAMENT, "move", "talker", "cpu", str(folder)]
        moved = subprocess.run(command, capture_output=True, text=True, check=False)
        assert moved.returncode == 1
        assert "no such library" in moved.stderr
    finally:
        running.send_signal(signal.SIGINT)
        said, errors = running.communicate(timeout=120)
    assert running.returncode == 0, said + errors
    # Others may tell that they met a process that went away: no node of the graph is wrong.
    assert [error for error in chat.record()["errors"] if error["node"]] == []


def wait_for_run(chat: Chat) -> Path:
    """The folder of the run, once the listener hears something."""
    while True:
        for status in (chat.folder / "processes" / "runs").glob("*/status.jsonl"):
            if '"event": "status"' in status.read_text():
                return status.parent
        time.sleep(0.05)


# --- without processes --------------------------------------------------------------------------

OLD = {
    "container": "main",
    "edge": {"domain_id": 0},
    "nodes": [
        {"id": "/a", "library": "a.so", "parameters": {"gain": 3}},
        {"id": "/b", "library": "b.so", "parameters": {}},
    ],
    "topics": {"/t": {"message": "std_msgs/msg/String", "bound_bytes": None, "qos": {"depth": 7}}},
}


def test_the_new_container_has_the_node_alone_with_its_parameters() -> None:
    config = moved_config(OLD, MoveWish("/a", "cpu"), "a-2")
    assert config["container"] == "a-2"
    assert config["nodes"] == [OLD["nodes"][0]]  # type: ignore[index]
    assert "edge" not in config


def test_of_another_device_the_code_is_new_and_the_parameters_are_the_runs() -> None:
    new = {
        "nodes": [{"id": "/a", "library": "gpu.so", "parameters": {"gain": 1}}],
        "topics": {"/t": {"message": "std_msgs/msg/String", "bound_bytes": 100, "device": True}},
    }
    config = moved_config(OLD, MoveWish("/a", "gpu", new), "a-2")
    assert config["nodes"] == [{"id": "/a", "library": "gpu.so", "parameters": {"gain": 3}}]
    assert config["topics"]["/t"] == {
        "message": "std_msgs/msg/String",
        "bound_bytes": 100,
        "device": True,
        "qos": {"depth": 7},
    }


@pytest.mark.parametrize(
    "request_",
    [[], {"request": "stop"}, {"request": "move", "node": "/a"},
     {"request": "move", "node": "/a", "device": "cpu", "config": 3},
     {"request": "move", "node": 1, "device": "cpu"}],
)  # fmt: skip
def test_what_is_no_request_is_refused(request_: Any) -> None:
    with pytest.raises(MoveError):
        wish_of(request_)
