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

HERE = Path(__file__).parent
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
    """A graph while it runs."""

    def __init__(self, build: Path, settings: list[str], last: str) -> None:
        # However busy the machine is: no subscription is stalled.
        for path in (build.parent / "gen" / "containers").glob("*.json"):
            config = json.loads(path.read_text())
            for topic in config["topics"].values():
                topic["patience_ms"] = 60_000
            path.write_text(json.dumps(config))
        self._last = last
        before = set(build.parent.glob("runs/*"))
        domain = f"moving_{uuid.uuid4().hex[:12]}"
        self.process = subprocess.Popen(
            [*LIGAMENT, "run", str(build), f"--domain={domain}", "--quiet",
             *(f"--set={setting}" for setting in settings)],
            env=os.environ | {"LIGAMENT_GPU_BACKEND": "opencl"},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        self.folder = self._folder(build.parent, before)

    def _folder(self, variant: Path, before: set[Path]) -> Path:
        while not (new := set(variant.glob("runs/*/run.json")) - {b / "run.json" for b in before}):
            assert self.process.poll() is None, self.process.communicate()[0]
            time.sleep(0.05)
        return new.pop().parent

    def count(self) -> int:
        """How many messages the last node has taken, by its newest status line."""
        taken = 0
        status = self.folder / "status.jsonl"
        for text in status.read_text().splitlines(True) if status.is_file() else ():
            for node in json.loads(text).get("nodes", ()) if text.endswith("\n") else ():
                if node["id"] == self._last:
                    taken = sum(end["taken"] for end in node["subscriptions"])
        return taken

    def wait_for_more(self, messages: int) -> None:
        """Until so many messages more have come through."""
        until = self.count() + messages
        while self.count() < until:
            assert self.process.poll() is None, self.process.communicate()[0]
            time.sleep(0.1)

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

    def expect_moves(self, node: str, devices: list[str]) -> None:
        """Moves through these devices; nothing is lost, nor in another order."""
        for device in devices:
            moved = self.move(node, device, "--json")
            assert moved.returncode == 0, moved.stdout + moved.stderr
            answer = json.loads(moved.stdout)
            assert answer["node"] == f"/{node}"
            assert answer["gap_ns"] > 0
            self.wait_for_more(50)
        record = self.end()
        assert [move["node"] for move in record["moves"]] == [f"/{node}"] * len(devices)
        assert record["errors"] == []
        assert record["losses"] == []
        for text in (self.folder / "status.jsonl").read_text().splitlines():
            line = json.loads(text)
            del line["container"]
            assert validate(parse_json(json.dumps(line), "status.jsonl"), "status") == []

    def expect_all_frames(self) -> None:
        """Each once, in order, with the pixels that its image has on a processor."""
        recorded = (self.folder / "outputs" / "sink.jsonl").read_text()
        lines = [json.loads(line) for line in recorded.splitlines()]
        stamps = [line["stamp_ns"] for line in lines]
        assert [s - stamps[0] for s in stamps] == [i * 1_000_000 for i in range(len(stamps))]
        hashes = [line["hash"] for line in lines]
        assert hashes == (hashes[:IMAGES] * (len(hashes) // IMAGES + 1))[: len(hashes)]
        assert len(set(hashes[:IMAGES])) == IMAGES


def ended(running: Run) -> Iterator[Run]:
    """Give it to a test; one that fails leaves none behind."""
    running.wait_for_more(50)
    yield running
    if running.process.poll() is None:
        running.process.kill()
        running.process.wait()


@pytest.fixture(scope="module")
def built_echoed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("echoed")


@pytest.fixture
def run(built_echoed: Path, request: pytest.FixtureRequest) -> Iterator[Run]:
    """Counted strings through /echo; /listener reports each that is not the next one."""
    variant = getattr(request, "param", "processes")
    build = built(Request(HERE / "echoed.yaml", variant, "host", built_echoed)).build
    yield from ended(Run(build, [], "/listener"))


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
