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
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from dds_domain import take_dds_domain
from ros2_wheels import DISTROS, wheels_environment, wheels_python

from ligament.messages import hashing
from ligament.messages.store import load_store

HERE = Path(__file__).parent
ROOT = Path(__file__).parents[3]
LOGS = "*/*/runs/*/log/edge.log"
LIGAMENT = [sys.executable, "-m", "ligament.cli.main"]
#: More than anything here needs, so that what hangs ends.
WATCHDOG_S = 180.0
#: Each second one is of a new client.
CALLS = 100
BYTES = 6_000_000
#: Each distribution's Fast DDS has its own words: variable, element.
PROFILES = {
    "jazzy": ("FASTRTPS_DEFAULT_PROFILES_FILE", "heartbeatPeriod"),
    "kilted": ("FASTDDS_DEFAULT_PROFILES_FILE", "heartbeat_period"),
}
#: A writer that waits for its next heartbeat repeats nothing within a test.
QUIET = """<dds xmlns="http://www.eprosima.com"><profiles>
<data_writer profile_name="quiet" is_default_profile="true">
<times><{0}><sec>3600</sec></{0}></times></data_writer></profiles></dds>"""


def _environment(domain_id: int) -> dict[str, str]:
    return {
        **os.environ,
        "ROS_DOMAIN_ID": str(domain_id),
        "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST",
    }


@pytest.fixture(scope="module")
def domain_id() -> int:
    return take_dds_domain()


@pytest.fixture(scope="module")
def native_domain_id() -> int:
    """Of controls: nodes of rclpy among themselves, with the graphs' names."""
    return take_dds_domain()


@contextmanager
def _run(folder: Path, domain_id: int, *words: str) -> Iterator[Path]:
    """A graph with its edge; yields what its nodes and its edge say."""
    command = [
        *LIGAMENT, "run", *words, "--edge", "--out", str(folder),
        "--domain", f"ros2_test_{uuid.uuid4().hex[:12]}",
    ]  # fmt: skip
    earlier = set(folder.glob(LOGS))
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=_environment(domain_id),
    )
    try:
        yield _await_edge(process, folder, earlier).parents[1] / "status.jsonl"
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=WATCHDOG_S)


def _await_edge(process: subprocess.Popen[str], folder: Path, earlier: set[Path]) -> Path:
    end = time.monotonic() + WATCHDOG_S
    while time.monotonic() < end and process.poll() is None:
        for log in set(folder.glob(LOGS)) - earlier:
            if "is on DDS domain" in log.read_text():
                return log
        time.sleep(0.05)
    process.kill()
    raise AssertionError(f"the graph did not start:\n{process.communicate()[0]}")


@pytest.fixture(scope="module")
def perception(tmp_path_factory: pytest.TempPathFactory, domain_id: int) -> Iterator[Path]:
    """The perception graph in one process, its camera at 20 images of 0.9 MB per second."""
    settings = ["camera.rate_hz=20.0", "camera.pacing=rate", "camera.frames=0", "sink.frames=0"]
    words = [word for one in settings for word in ("--set", one)]
    graph = [str(ROOT / "examples/perception"), "--variant", "one_process"]
    with _run(tmp_path_factory.mktemp("perception"), domain_id, *graph, *words) as told:
        yield told


@pytest.fixture(scope="module", params=DISTROS)
def distro(request: pytest.FixtureRequest) -> str:
    """One whose wheels are installed."""
    found: str = request.param
    wheels_python(found)
    return found


@pytest.fixture(scope="module")
def relays(tmp_path_factory: pytest.TempPathFactory, domain_id: int, distro: str) -> Iterator[Path]:
    """Nodes that publish what they take; anew for each distribution, as problems are told once."""
    folder = tmp_path_factory.getbasetemp() / "relays"  # built once
    with _run(folder, domain_id, str(HERE / "relays.yaml")) as told:
        yield told


@dataclass
class Peer:
    """A node of a distribution, in a process of its own for each question."""

    distro: str
    domain_id: int
    native_domain_id: int
    folder: Path

    def start(self, script: str, *words: object, quiet: bool = False) -> subprocess.Popen[str]:
        """`quiet`: with an hour between two heartbeats."""
        domain = self.native_domain_id if "--native" in words else self.domain_id
        return subprocess.Popen(
            [str(wheels_python(self.distro)), str(HERE / script), *map(str, words)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={
                **wheels_environment(self.distro, domain),
                **(self._quiet_profile() if quiet else {}),
            },
        )

    def end(self, process: subprocess.Popen[str]) -> dict[str, Any]:
        """What it told."""
        try:
            out, _ = process.communicate(timeout=WATCHDOG_S)
        finally:
            process.kill()
        assert process.returncode == 0
        told: dict[str, Any] = json.loads(out)
        return told

    def ask(self, script: str, *words: object, quiet: bool = False) -> dict[str, Any]:
        """Start it and wait for its answer."""
        return self.end(self.start(script, *words, quiet=quiet))

    def _quiet_profile(self) -> dict[str, str]:
        variable, element = PROFILES[self.distro]
        profile = self.folder / "quiet.xml"
        profile.write_text(QUIET.format(element))
        return {variable: str(profile)}


@pytest.fixture
def peer(distro: str, domain_id: int, native_domain_id: int, tmp_path: Path) -> Peer:
    """Ask a node of that distribution."""
    return Peer(distro, domain_id, native_domain_id, tmp_path)


@pytest.mark.usefixtures("perception")
@pytest.mark.each_distro  # each failed in its own way
@pytest.mark.parametrize("words", [["--best-effort"], []])
def test_images_arrive_whole(peer: Peer, words: list[str]) -> None:
    told = peer.ask("ros2_peer.py", "images", "--topic", "/image_rect", "--count", 60, *words)
    assert told["sizes"] == [640 * 480 * 3]
    assert told["came"] == 60
    # Without a pace by the receiver's buffer, two of five best-effort ones came: of 150 sent.
    # On a machine that is busy, who takes images may be late a few times.
    assert told["sent"] <= 90


@pytest.mark.usefixtures("perception")
@pytest.mark.each_distro  # each failed in its own way
@pytest.mark.parametrize("topic", ["", "/image_rect"])
def test_calls_are_answered(peer: Peer, topic: str) -> None:
    nodes = ["camera", "rectify", "resize", "sink"]
    words = ["--count", CALLS, "--topic", topic, "--nodes", *nodes]
    # A request may come before its writer is matched: it is asked for, with no heartbeat to remind.
    told = peer.ask("ros2_peer.py", "parameters", *words, quiet=True)
    assert told["unanswered"] == []
    assert (told["old"], told["fresh"]) == (CALLS // 2, CALLS // 2)
    assert bool(told["images"]) == bool(topic)
    assert peer.ask("ros2_peer.py", "native", "--count", CALLS)["answered"] == CALLS


@pytest.mark.usefixtures("perception")
@pytest.mark.each_distro  # each failed in its own way
def test_ends_are_told_with_their_nodes_types_and_hashes(peer: Peer) -> None:
    told = peer.ask("ros2_peer.py", "graph", "--topic", "/image_rect")
    assert {"camera", "rectify", "resize", "sink", "peer"} <= set(told["nodes"])
    (peers, resizes) = told["subscriptions"]
    name, kind, own_hash = peers
    assert (name, kind) == ("peer", "sensor_msgs/msg/Image")
    assert own_hash.startswith("RIHS01_")
    assert resizes == ["resize", kind, own_hash]
    assert told["publishers"] == [["rectify", kind, own_hash]]


#: Beside the graph, and among nodes of rclpy alone.
both = pytest.mark.parametrize("native", [[], ["--native"]], ids=["edge", "native"])


@both
@pytest.mark.usefixtures("relays")
@pytest.mark.parametrize("words", [["reliable"], ["quick", "--best-effort"]], ids=lambda w: w[0])
def test_small_messages_go_in_and_come_out(peer: Peer, native: list[str], words: list[str]) -> None:
    told = peer.ask("ros2_relays.py", "exchange", "--count", 100, "--relay", *words, *native)
    assert told == {"greeted": True, "came": 100, "equal": True}


@both
@pytest.mark.usefixtures("relays")
def test_large_messages_go_in_and_come_out(peer: Peer, native: list[str]) -> None:
    told = peer.ask("ros2_relays.py", "exchange", "--count", 2, "--size", BYTES, *native)
    assert told == {"greeted": True, "came": 2, "equal": True}


@both
@pytest.mark.usefixtures("relays")
def test_who_joins_late_gets_the_history(peer: Peer, native: list[str]) -> None:
    words = ["--relay", "latched", "--latched", "--depth", 5]
    assert peer.ask("ros2_relays.py", "history", *words, *native) == {"early": True, "late": True}


@both
def test_ends_that_cannot_match_are_told(relays: Path, peer: Peer, native: list[str]) -> None:
    process = peer.start("ros2_relays.py", "events", *native)
    if not native:
        _await_problems(relays)
    # It has stayed until now, when its input ends.
    assert peer.end(process) == {"subscription": "RELIABILITY", "publisher": "DURABILITY"}


def _await_problems(told: Path) -> None:
    """Both ends that the peer has."""
    wanted = (
        "/quick/out: publisher in /quick and subscription in another participant do not match: "
        "it offers best-effort, it wants reliable",
        "/latched/in: publisher in another participant and subscription in /latched do not match: "
        "it offers volatile, it wants transient-local",
    )
    end = time.monotonic() + WATCHDOG_S
    while not all(words in told.read_text() for words in wanted):
        assert time.monotonic() < end, wanted
        time.sleep(0.1)


@both
@pytest.mark.usefixtures("relays")
def test_nodes_are_told_with_their_topics_and_services(peer: Peer, native: list[str]) -> None:
    told = peer.ask("ros2_relays.py", "graph", *native)
    array = ["std_msgs/msg/UInt8MultiArray"]
    kinds = {
        name: ["rcl_interfaces/srv/" + "".join(word.title() for word in name.split("_"))]
        for name in (
            "describe_parameters", "get_parameter_types", "get_parameters", "list_parameters",
            "set_parameters", "set_parameters_atomically",
        )
    }  # fmt: skip
    services = {f"/reliable/{name}": kind for name, kind in kinds.items()}
    services["/reliable/get_type_description"] = [
        "type_description_interfaces/srv/GetTypeDescription"
    ]
    assert told == {
        "publishers": {
            "/parameter_events": ["rcl_interfaces/msg/ParameterEvent"],
            "/reliable/out": array,
            "/rosout": ["rcl_interfaces/msg/Log"],
        },
        "subscriptions": {"/reliable/in": array},
        "services": services,
        "all": True,
    }


@both
@pytest.mark.usefixtures("relays")
def test_parameters_are_set_and_seen(peer: Peer, native: list[str]) -> None:
    assert peer.ask("ros2_relays.py", "parameters", *native) == {
        "accepted": [True, False, True],
        "changed": [2, 3],
        "value": 3,
        "relayed": {"greeted": True, "came": 3, "equal": True},
        "beyond": [False, True],
        "range": [0, 10],
        "reset": True,
    }


@both
@pytest.mark.usefixtures("relays")
def test_types_are_described_as_their_hashes_say(peer: Peer, native: list[str]) -> None:
    store = load_store()
    names = {
        "std_msgs/msg/UInt8MultiArray": hashing.type_hash,
        "rcl_interfaces/msg/ParameterEvent": hashing.type_hash,
    }
    services = ("rcl_interfaces/srv/SetParameters", "rcl_interfaces/srv/DescribeParameters")
    hashes = [found(store, name).hex() for name, found in names.items()]
    hashes += [hashing.service_hash(store, store.services[name]).hex() for name in services]
    words = ["--hashes", *(f"RIHS01_{text}" for text in [*hashes, "00" * 32])]
    told = peer.ask("ros2_relays.py", "types", *words, *native)
    assert told["names"] == [*names, *services, ""]


@both
@pytest.mark.usefixtures("relays")
def test_the_clock_of_a_peer_leads_timers_and_log_lines_are_heard(
    peer: Peer, native: list[str]
) -> None:
    told = peer.ask("ros2_relays.py", "clock", *native)
    warning = 30
    assert told == {
        "ticks": [51.0, 100.0, 101.25],
        "lines": [[warning, f"tick at {second}"] for second in (100, 101, 51)],
        "late": True,
        "fresh": True,
        "qos": ["RELIABLE", "TRANSIENT_LOCAL", 10.0],
    }
