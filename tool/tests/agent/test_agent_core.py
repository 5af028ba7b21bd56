# SPDX-License-Identifier: Apache-2.0
"""Emulated cores run the client; real rclpy sees its node, calls it, and loses it."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from mcu_agent import Agent, StartAgent
from mcu_core import Core, RealTimeCore, build_images
from ros2_wheels import WHEELS, wheels_environment, wheels_python

PROGRAM = Path(__file__).with_name("agent_core_programs.py")
# Of the edge that the agent starts: this computer only.
LOOPBACK = (
    "<General><AllowMulticast>false</AllowMulticast></General><Discovery><ParticipantIndex>auto"
    "</ParticipantIndex><MaxAutoParticipantIndex>32</MaxAutoParticipantIndex><Peers>"
    "<Peer Address='127.0.0.1'/></Peers></Discovery>"
)


with_each_core = pytest.mark.parametrize(
    "suffix",
    ["", "_freertos", "_r5", "_r5_freertos"],
    ids=["m4_bare", "m4_freertos", "r5_bare", "r5_freertos"],
)


class Watcher:
    """The rclpy node."""

    def __init__(self, domain_id: int, ours: bool) -> None:
        middleware = WHEELS / "jazzy" / "lib" / "librmw_ligament_cpp.so"
        if ours and not middleware.exists():
            pytest.skip("rmw_ligament_cpp is not built for ROS 2 jazzy (dev/setup --test)")
        pool = {"LD_PRELOAD": str(middleware), "LIGAMENT_RMW_EDGE": "off"} if ours else {}
        self.process = subprocess.Popen(
            [wheels_python("jazzy"), PROGRAM],
            env={**wheels_environment("jazzy", domain_id), **pool},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._line()

    def _line(self) -> str:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, "the rclpy node has ended"
        return line

    def ask(self, *words: object) -> dict[str, Any]:
        assert self.process.stdin is not None
        print(*words, file=self.process.stdin, flush=True)
        told: dict[str, Any] = json.loads(self._line())
        return told


@pytest.fixture(scope="module")
def images(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_images(tmp_path_factory.mktemp("images"), "examples")


@pytest.fixture
def start_core(tmp_path: Path, images: Path) -> Iterator[Callable[[str], Core]]:
    running: list[Core] = []

    def begin(image: str) -> Core:
        if not (images / f"{image}.elf").is_file():  # the build has left it out
            pytest.skip("this machine has no such thing: FreeRTOS, which cargo brings")
        kind = RealTimeCore if "_r5" in image else Core
        core = kind(tmp_path, images / f"{image}.elf")
        running.append(core)
        core.start()
        return core

    yield begin
    for core in running:
        core.kill()


@pytest.fixture
def start_watcher(
    domain_id: int, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[bool], Watcher]]:
    monkeypatch.setitem(os.environ, "CYCLONEDDS_URI", LOOPBACK)
    running: list[Watcher] = []

    def begin(ours: bool) -> Watcher:
        running.append(Watcher(domain_id, ours))
        return running[-1]

    yield begin
    for watcher in running:
        watcher.process.kill()
        watcher.process.communicate()


def serve(start_agent: StartAgent, core: Core, edge: bool = False, spin_us: int = 0) -> Agent:
    return start_agent(*core.link(), "--spin", str(spin_us), edge=edge)


def assert_sees_imu(watcher: Watcher) -> None:
    saw = watcher.ask("imu", 20)
    assert saw["count"] >= 20, saw
    assert saw["stamps"] == sorted(saw["stamps"])
    assert abs(saw["stamps"][0] - saw["clock"]) < 3600, "the core's clock is the agent's"
    assert (saw["frame"], saw["gravity"]) == ("imu", 9.81)
    assert saw["answers"] == [True, True]
    assert saw["nodes"] == ["imu_driver"]
    assert saw["publishers"] == 1


@pytest.mark.parametrize("ours", [True, False], ids=["pool", "dds"])
def test_rclpy_receives_from_a_core_and_calls_it(
    start_core: Callable[[str], Core],
    start_agent: StartAgent,
    start_watcher: Callable[[bool], Watcher],
    ours: bool,
) -> None:
    watcher = start_watcher(ours)
    core = start_core("imu")
    serve(start_agent, core, edge=not ours)
    assert_sees_imu(watcher)
    assert core.console() == ["imu", "ready"]


@pytest.mark.parametrize(
    ("suffix", "spin_us"),
    [("", 0), ("", 500_000), ("_freertos", 0), ("_r5", 0), ("_r5_freertos", 0)],
    ids=["m4_bare", "m4_bare_spinning_agent", "m4_freertos", "r5_bare", "r5_freertos"],
)
def test_core_and_agent_may_go_and_come(
    start_core: Callable[[str], Core],
    start_agent: StartAgent,
    start_watcher: Callable[[bool], Watcher],
    suffix: str,
    spin_us: int,
) -> None:
    watcher = start_watcher(True)
    core = start_core(f"imu{suffix}")
    first = serve(start_agent, core, spin_us=spin_us)
    assert_sees_imu(watcher)
    if spin_us:  # a request has gone to the core, whose messages come before the agent would sleep
        end, before = time.monotonic() + 60, first.cpu_s()
        while first.cpu_s() - before < 1.0:  # one that sleeps takes a third of it
            assert time.monotonic() < end, "it sleeps"
            time.sleep(0.05)

    core.kill()
    assert watcher.ask("gone") == {"nodes": [], "publishers": 0}
    core.start()
    assert_sees_imu(watcher)

    first.process.kill()
    assert watcher.ask("gone") == {"nodes": [], "publishers": 0}
    second = serve(start_agent, core, spin_us=spin_us)
    assert_sees_imu(watcher)
    assert core.console() == ["imu", "ready", "the agent is lost", "ready"]
    second.stop()
    assert watcher.ask("gone") == {"nodes": [], "publishers": 0}


@with_each_core
def test_texts_of_all_lengths_come_back(
    start_core: Callable[[str], Core],
    start_agent: StartAgent,
    start_watcher: Callable[[bool], Watcher],
    suffix: str,
) -> None:
    watcher = start_watcher(True)
    serve(start_agent, start_core(f"ping_pong{suffix}"))
    # In a buffer, in a block of the slab, in fragments.
    assert watcher.ask("ping", 16, 1500, 8000) == {"same": [True, True, True]}


def test_micro_ros_functions_carry_a_session(
    tmp_path: Path, start_agent: StartAgent, start_watcher: Callable[[bool], Watcher]
) -> None:
    core = Core(tmp_path, build_images(tmp_path / "images", "tests/images") / "microros.elf")
    core.start()
    try:
        watcher = start_watcher(True)
        serve(start_agent, core)
        # The longest goes in fragments: the messages are as long as micro-ROS's.
        assert watcher.ask("ping", 16, 400, 1000) == {"same": [True, True, True]}
    finally:
        core.kill()


def test_an_agent_that_lacks_a_type_is_told(
    start_core: Callable[[str], Core], domain_id: int, start_agent: StartAgent
) -> None:
    core = start_core("imu")
    bare = Agent([*core.link(), "--ros", str(domain_id), "--no-edge"])
    assert bare.process.stdout is not None
    for line in bare.process.stdout:
        if "the definition of sensor_msgs/msg/Imu is not known" in line:
            break
    bare.process.kill()
    bare.process.communicate()
    # Another agent may know it.
    agent = serve(start_agent, core)
    assert agent.process.stdout is not None
    for line in agent.process.stdout:
        if "session 0x8" in line:
            break
    said = agent.stop()
    assert "is not known" not in said
