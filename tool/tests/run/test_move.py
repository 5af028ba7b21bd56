# SPDX-License-Identifier: Apache-2.0
"""`ligament move` on real graphs: a node changes its device, and no frame is lost or doubled."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from run_chat import LIGAMENT, Chat

from ligament.graph.json_source import parse_json
from ligament.graph.schema import validate
from ligament.pipeline import Request, built
from ligament.run.moving import MoveError, MoveWish, moved_config, wish_of

GRAPH = Path(__file__).with_name("moving.yaml")
IMAGES = 8
pytestmark = pytest.mark.timeout(1800)  # the first one builds the graph, others kernels and cores


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the graph is built, and its images."""
    folder = tmp_path_factory.mktemp("moving")
    (folder / "images").mkdir()
    for number in range(IMAGES):
        pixels = bytes((number * 31 + i * 7) % 256 for i in range(64 * 48 * 3))
        (folder / "images" / f"{number}.ppm").write_bytes(b"P6\n64 48\n255\n" + pixels)
    return folder


class Run:
    """The graph while it runs."""

    def __init__(self, out: Path, variant: str) -> None:
        build = built(Request(GRAPH, variant, "soc_sim", out)).build
        # However busy the machine is: no subscription is stalled.
        for path in (build.parent / "gen" / "containers").glob("*.json"):
            config = json.loads(path.read_text())
            for topic in config["topics"].values():
                topic["patience_ms"] = 60_000
            path.write_text(json.dumps(config))
        before = set(build.parent.glob("runs/*"))
        domain = f"moving_{uuid.uuid4().hex[:12]}"
        settings = [f"camera.source={out / 'images'}", "camera.pacing=rate", "camera.rate_hz=1000"]
        self.process = subprocess.Popen(
            [*LIGAMENT, "run", str(build), f"--domain={domain}", "--quiet",
             *(f"--set={setting}" for setting in settings)],
            env=os.environ | {"LIGAMENT_GPU_BACKEND": "opencl"},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        self.folder = self._folder(build.parent, before)
        self.frames = self.folder / "outputs" / "sink.jsonl"

    def _folder(self, variant: Path, before: set[Path]) -> Path:
        while not (new := set(variant.glob("runs/*/run.json")) - {b / "run.json" for b in before}):
            assert self.process.poll() is None, self.process.communicate()[0]
            time.sleep(0.05)
        return new.pop().parent

    def count(self) -> int:
        """How many frames the sink has recorded."""
        return self.frames.read_bytes().count(b"\n") if self.frames.is_file() else 0

    def wait_for_more(self, frames: int) -> None:
        """Until so many frames more have come through."""
        until = self.count() + frames
        while self.count() < until:
            assert self.process.poll() is None, self.process.communicate()[0]
            time.sleep(0.05)

    def move(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Ask for a move."""
        command = [*LIGAMENT, "move", *words, str(self.folder)]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def end(self) -> dict[str, Any]:
        """Stop it; its run.json."""
        self.process.send_signal(signal.SIGINT)
        said, _ = self.process.communicate(timeout=300)
        assert self.process.returncode == 0, said
        text = (self.folder / "run.json").read_text()
        assert validate(parse_json(text, "run.json"), "run") == []
        data: dict[str, Any] = json.loads(text)
        return data

    def expect_all_frames(self) -> None:
        """Each once, in order, with the pixels that its image has on a processor."""
        lines = [json.loads(line) for line in self.frames.read_text().splitlines()]
        stamps = [line["stamp_ns"] for line in lines]
        assert [s - stamps[0] for s in stamps] == [i * 1_000_000 for i in range(len(stamps))]
        hashes = [line["hash"] for line in lines]
        assert hashes == (hashes[:IMAGES] * (len(hashes) // IMAGES + 1))[: len(hashes)]
        assert len(set(hashes[:IMAGES])) == IMAGES


@pytest.fixture
def run(out: Path, request: pytest.FixtureRequest) -> Iterator[Run]:
    """One run; a test that fails leaves none behind."""
    running = Run(out, getattr(request, "param", "processes"))
    running.wait_for_more(100)
    yield running
    if running.process.poll() is None:
        running.process.kill()
        running.process.wait()


def expect_moves(run: Run, devices: list[str]) -> None:
    """Moves through these devices; all frames are there, and run.json has the moves."""
    for device in devices:
        moved = run.move("convert", device, "--json")
        assert moved.returncode == 0, moved.stdout + moved.stderr
        answer = json.loads(moved.stdout)
        assert (answer["node"], answer["device"]) == ("/convert", device)
        assert answer["gap_ns"] > 0
        run.wait_for_more(50)
    record = run.end()
    run.expect_all_frames()
    assert [move["device"] for move in record["moves"]] == devices
    assert record["errors"] == []
    assert record["losses"] == []
    for text in (run.folder / "status.jsonl").read_text().splitlines():
        line = json.loads(text)
        del line["container"]
        assert validate(parse_json(json.dumps(line), "status.jsonl"), "status") == []


@pytest.mark.parametrize("run", ["processes", "one_process"], indirect=True)
def test_a_node_moves_between_processes(run: Run) -> None:
    expect_moves(run, ["cpu", "cpu", "cpu"])


def test_a_node_moves_to_a_gpu_and_back(run: Run) -> None:
    expect_moves(run, ["gpu", "cpu", "gpu"])


def test_a_node_moves_into_an_fpga_and_back(run: Run) -> None:
    expect_moves(run, ["fpga0", "gpu", "fpga0", "cpu"])


def test_a_node_with_state_stays_and_the_run_goes_on(run: Run) -> None:
    moved = run.move("sink", "cpu")
    assert moved.returncode == 1
    assert "keeps state (check" in moved.stderr
    assert "save_state()" in moved.stderr
    run.wait_for_more(50)
    assert run.end()["moves"] == []
    run.expect_all_frames()


def test_a_container_that_is_left_empty_ends(run: Run) -> None:
    assert run.move("convert", "cpu").returncode == 0
    run.wait_for_more(50)
    record = run.end()
    exits = {process["container"]: process["exit"] for process in record["processes"]}
    assert exits == {"camera": "exit 0", "convert": "exit 0", "sink": "exit 0",
                     "convert-2": "exit 0"}  # fmt: skip
    ended = {process["container"]: process["ended_ns"] for process in record["processes"]}
    assert ended["convert"] < record["shutdown"]["stop_ns"]


def test_what_cannot_be_asked_is_refused_by_name(run: Run, tmp_path: Path) -> None:
    unknown = run.move("covnert", "cpu")
    assert unknown.returncode == 2
    assert "/convert" in unknown.stderr
    nowhere = run.move("convert", "fpga7")
    assert nowhere.returncode == 2
    assert "fpga7" in nowhere.stderr
    run.end()
    ended = run.move("convert", "cpu")
    assert ended.returncode == 1
    assert "does not answer" in ended.stderr


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
    assert chat.record()["errors"] == []


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
