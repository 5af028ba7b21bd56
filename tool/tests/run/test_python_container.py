# SPDX-License-Identifier: Apache-2.0
"""Parts of the container of nodes in Python that need no ROS 2."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ligament.graph.json_source import parse_json
from ligament.graph.schema import validate
from ligament.python_container.config import read_config
from ligament.python_container.faults import Refused, described
from ligament.python_container.figures import Figures
from ligament.python_container.status import StatusChannel
from ligament.run.python_spec import PROGRAM

NODE = {"id": "/a", "name": "a", "namespace": "/", "type": "t/a", "library": "a.py", "class": "A"}


def written(folder: Path, **changes: Any) -> Path:
    data = {"schema": "ligament/container/1", "container": "c", "nodes": [NODE], "topics": {}}
    path = folder / "c.json"
    path.write_text(json.dumps(data | changes))
    return path


def test_a_configuration_is_read(tmp_path: Path) -> None:
    topics = {"/deep": {"message": "a/msg/B", "ring": 30}, "/other": {"message": "a/msg/B"}}
    config = read_config(written(tmp_path, topics=topics, executor_threads=3))
    assert (config.container, config.rings, config.threads) == ("c", {"/deep": 30}, 3)
    assert config.nodes[0].class_name == "A"


@pytest.mark.parametrize(
    "changes", [{"schema": "ligament/container/2"}, {"nodes": [{"id": "/a"}]}, {"nodes": 5}]
)
def test_another_configuration_is_refused(tmp_path: Path, changes: dict[str, Any]) -> None:
    with pytest.raises(Refused):
        read_config(written(tmp_path, **changes))


def test_what_cannot_be_read_is_refused(tmp_path: Path) -> None:
    for content in (b"no json", b"[1]", b"\xff"):
        (tmp_path / "c.json").write_bytes(content)
        with pytest.raises(Refused):
            read_config(tmp_path / "c.json")
    with pytest.raises(Refused):
        read_config(tmp_path / "missing.json")


def test_without_rclpy_the_container_says_so(tmp_path: Path) -> None:
    """In the tool's own Python, which has none, and by the path that `ligament run` uses."""
    reading, writing = os.pipe()
    ran = subprocess.run(
        [sys.executable, "-S", str(PROGRAM), str(written(tmp_path)), "--status-fd", str(writing)],
        pass_fds=(writing,), capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": ""},
    )  # fmt: skip
    os.close(writing)
    with os.fdopen(reading) as lines:
        told = json.loads(lines.read())
    assert ran.returncode == 2
    assert told["event"] == "error" and "cannot import rclpy" in told["text"]
    assert "ligament doctor" in ran.stderr


def test_a_reader_that_leaves_stops_the_container() -> None:
    reading, writing = os.pipe()
    stopped = threading.Event()
    status = StatusChannel(writing)
    status.on_closed(stopped.set)
    status.say("ready", pid=1)
    assert json.loads(os.read(reading, 100)) == {"event": "ready", "pid": 1}
    os.close(reading)
    status.say("done", node="/a")
    assert stopped.is_set()
    status.say("done", node="/b")  # and does not raise
    os.close(writing)


#: Waits as a callback that hangs does.
HANGING = """
import time
from ligament.python_container.signals import catch_signals
catch_signals(lambda: print("stop", flush=True))
print("ready", flush=True)
end = time.monotonic() + 60
while time.monotonic() < end:
    time.sleep(0.1)
"""


def test_the_second_signal_ends_what_the_first_could_not() -> None:
    words = [sys.executable, "-c", HANGING]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "stop\n"
        assert process.poll() is None
        process.send_signal(signal.SIGTERM)
        assert process.wait() == 1


def ends_of(text: bytes) -> Any:
    """A middleware that tells this of its nodes; as snprintf, it says what it would need."""

    def tell(buffer: Any, size: int) -> int:
        ctypes.memmove(buffer, text[: size - 1] + b"\0", min(size, len(text) + 1))
        return len(text)

    # Called by ctypes in earnest: its types are set on it.
    return SimpleNamespace(rmw_ligament_status_nodes=tell)


def test_figures_are_of_callbacks_and_of_the_middlewares_ends() -> None:
    publisher = dict.fromkeys(
        ("published", "bytes", "loans_failed", "serialised", "bytes_serialised", "waits",
         "overrun", "stalled", "deadline_missed", "blocks", "blocks_free", "memory_bytes",
         "matched"), 3)  # fmt: skip
    told = [{"id": "/a", "cpu_ns": 7, "publishers": [{"topic": "/t", **publisher}]}, {"id": "/x"}]
    figures = Figures(["/a", "/b"], ends_of(json.dumps(told).encode()))
    with figures.callback(""):
        pass
    with figures.callback("/a"):
        running = {n["id"]: n["callback_running_ns"] for n in figures.status()["nodes"]}
    line = figures.status()
    assert validate(parse_json(json.dumps(line), "line"), "status") == []
    first, second = line["nodes"]
    assert (first["id"], first["callbacks"], second["callbacks"]) == ("/a", 1, 0)
    assert first["publishers"][0]["published"] == 3 and second["publishers"] == []
    assert second["cpu_ns"] == 0 and first["cpu_ns"] > 0
    assert running["/b"] == 0


def test_each_thread_s_callback_is_seen() -> None:
    """A node that hangs in one thread is seen while another one works."""
    figures = Figures(["/a", "/b"], SimpleNamespace())  # type: ignore[arg-type]
    entered, leave = threading.Event(), threading.Event()

    def hang() -> None:
        with figures.callback("/a"):
            entered.set()
            leave.wait()

    thread = threading.Thread(target=hang)
    thread.start()
    entered.wait()
    with figures.callback("/b"):
        pass
    nodes = {n["id"]: n for n in figures.status()["nodes"]}
    assert nodes["/a"]["callback_running_ns"] > 0 and nodes["/b"]["callback_running_ns"] == 0
    leave.set()
    thread.join()
    assert {n["id"]: n["callbacks"] for n in figures.status()["nodes"]} == {"/a": 1, "/b": 1}


def test_an_exception_is_told_with_its_place() -> None:
    try:
        raise ValueError("no such thing")
    except ValueError as error:
        assert described(error).startswith(f"ValueError: no such thing ({__file__}:")
