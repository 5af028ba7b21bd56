# SPDX-License-Identifier: Apache-2.0
"""Real rclpy nodes, of two ROS 2 distributions, beside a running graph with its edge."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from dds_domain import take_dds_domain
from ros2_wheels import DISTROS, wheels_environment, wheels_python

ROOT = Path(__file__).parents[3]
PEER = Path(__file__).with_name("ros2_peer.py")
LIGAMENT = [sys.executable, "-m", "ligament.cli.main"]
#: More than anything here needs, so that what hangs ends.
WATCHDOG_S = 180.0
#: Each second one is of a new client. Some of those wait for a heartbeat of Fast DDS: 3 s.
CALLS = 16

Peer = Callable[..., dict[str, Any]]


@pytest.fixture(scope="module")
def domain_id() -> int:
    return take_dds_domain()


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory, domain_id: int) -> Iterator[None]:
    """The perception graph in one process, its camera at 20 images of 0.9 MB per second."""
    folder = tmp_path_factory.mktemp("perception")
    settings = ["camera.rate_hz=20.0", "camera.pacing=rate", "camera.frames=0", "sink.frames=0"]
    words = [word for one in settings for word in ("--set", one)]
    command = [
        *LIGAMENT, "run", str(ROOT / "examples/perception"), "--variant", "one_process", "--edge",
        "--domain", f"ros2_test_{uuid.uuid4().hex[:12]}", "--out", str(folder), *words,
    ]  # fmt: skip
    environment = {
        **os.environ,
        "ROS_DOMAIN_ID": str(domain_id),
        "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST",
    }
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment
    )
    try:
        _await_edge(process, folder)
        yield
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=WATCHDOG_S)


def _await_edge(process: subprocess.Popen[str], folder: Path) -> None:
    end = time.monotonic() + WATCHDOG_S
    while time.monotonic() < end and process.poll() is None:
        logs = list(folder.glob("perception/one_process/runs/*/log/edge.log"))
        if logs and "is on DDS domain" in logs[0].read_text():
            return
        time.sleep(0.05)
    process.kill()
    raise AssertionError(f"the graph did not start:\n{process.communicate()[0]}")


@pytest.fixture(params=DISTROS)
def peer(request: pytest.FixtureRequest, domain_id: int) -> Peer:
    """Ask a node of that distribution."""
    distro: str = request.param
    python = wheels_python(distro)

    def ask(*words: object) -> dict[str, Any]:
        done = subprocess.run(
            [str(python), str(PEER), *map(str, words)],
            capture_output=True,
            text=True,
            timeout=WATCHDOG_S,
            env=wheels_environment(distro, domain_id),
        )
        assert done.returncode == 0, done.stderr
        told: dict[str, Any] = json.loads(done.stdout)
        return told

    return ask


@pytest.mark.usefixtures("running")
@pytest.mark.parametrize("words", [["--best-effort"], []])
def test_images_arrive_whole(peer: Peer, words: list[str]) -> None:
    told = peer("images", "--topic", "/image_rect", "--count", 60, *words)
    assert told["sizes"] == [640 * 480 * 3]
    assert told["came"] == 60
    # Without a pace by the receiver's buffer, two of five best-effort ones came. On a machine that
    # is busy, who takes images may be late once.
    assert told["sent"] <= 66


@pytest.mark.usefixtures("running")
@pytest.mark.parametrize("topic", ["", "/image_rect"])
def test_calls_are_answered(peer: Peer, topic: str) -> None:
    nodes = ["camera", "rectify", "resize", "sink"]
    told = peer("parameters", "--count", CALLS, "--topic", topic, "--nodes", *nodes)
    assert told["unanswered"] == []
    assert (told["old"], told["fresh"]) == (CALLS // 2, CALLS // 2)
    assert bool(told["images"]) == bool(topic)
    assert peer("native", "--count", CALLS)["answered"] == CALLS


@pytest.mark.usefixtures("running")
def test_ends_are_told_with_their_nodes_types_and_hashes(peer: Peer) -> None:
    told = peer("graph", "--topic", "/image_rect")
    assert {"camera", "rectify", "resize", "sink", "peer"} <= set(told["nodes"])
    (peers, resizes) = told["subscriptions"]
    name, kind, own_hash = peers
    assert (name, kind) == ("peer", "sensor_msgs/msg/Image")
    assert own_hash.startswith("RIHS01_")
    assert resizes == ["resize", kind, own_hash]
    assert told["publishers"] == [["rectify", kind, own_hash]]
