# SPDX-License-Identifier: Apache-2.0
"""Real rclpy of two ROS 2 distributions on rmw_ligament_cpp: programs that know nothing of it."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from dds_domain import dds_domain
from ros2_wheels import DISTROS, our_middleware, wheels_environment, wheels_python

ROOT = Path(__file__).parents[3]
PROGRAMS = Path(__file__).with_name("rmw_programs.py")
CODEC = Path(__file__).with_name("rmw_codec.py")
#: More than anything here needs, so that what hangs ends.
WATCHDOG_S = 90.0
#: Of processes of each distribution while two others talk.
KILLS = 4

Start = Callable[..., "Program"]


class Program:
    """A running program of `rmw_programs.py`."""

    script = PROGRAMS
    python_path = ""

    def __init__(
        self,
        distro: str,
        domain_id: int,
        words: tuple[object, ...],
        ours: bool,
        inside: tuple[str, ...] = (),
    ) -> None:
        middleware = our_middleware(distro)
        self.rmw = "rmw_ligament_cpp" if ours else "rmw_fastrtps_cpp"
        preload = {"LD_PRELOAD": str(middleware)} if ours else {}
        names_file = bool(words) and str(words[0]).endswith(".py")
        file, *rest = words if names_file else (self.script, *words)
        command = [*inside, str(wheels_python(distro)), str(file), *map(str, rest)]
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={
                **wheels_environment(distro, domain_id),
                **preload,
                "PYTHONPATH": self.python_path,
            },
        )

    def await_ready(self) -> None:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line == "ready\n", line + self.process.communicate()[1]

    def result(self) -> dict[str, Any]:
        """What it printed last; its input ends now, by which some programs end."""
        try:
            out, errors = self.process.communicate(timeout=WATCHDOG_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        assert self.process.returncode == 0, errors
        told: dict[str, Any] = json.loads(out.splitlines()[-1])
        assert told.pop("rmw") == self.rmw
        return told


@pytest.fixture
def domain_id() -> Iterator[int]:
    with dds_domain() as taken:
        yield taken


@pytest.fixture
def start(domain_id: int) -> Iterator[Start]:
    """Starts programs in one ROS domain of their own."""
    running: list[Program] = []

    def begin(
        distro: str, *words: object, ours: bool = True, inside: tuple[str, ...] = ()
    ) -> Program:
        running.append(Program(distro, domain_id, words, ours, inside))
        return running[-1]

    yield begin
    for program in running:
        program.process.kill()
        program.process.communicate()


each_distro = pytest.mark.parametrize("distro", DISTROS)
#: The second one talks to the first.
each_pair = pytest.mark.parametrize("pair", [("jazzy", "jazzy"), ("kilted", "jazzy")])


@each_pair
def test_images_arrive_equal_and_in_order(start: Start, pair: tuple[str, str]) -> None:
    count, size = 20, 1_000_000
    subscribers = [start(pair[0], "subscribe", count, size) for _ in range(2)]
    publisher = start(pair[1], "publish", count, size, len(subscribers))
    assert publisher.result() == {"published": count}
    for subscriber in subscribers:
        assert subscriber.result()["right"] == list(range(count))


@each_pair
def test_a_late_subscription_gets_the_history(start: Start, pair: tuple[str, str]) -> None:
    latch = start(pair[0], "latch")
    latch.await_ready()
    assert start(pair[1], "hear_late").result()["heard"] == ["2", "3", "4"]
    latch.result()


@each_pair
def test_calls_are_answered_and_parameters_set(start: Start, pair: tuple[str, str]) -> None:
    server = start(pair[0], "serve")
    server.await_ready()
    told = start(pair[1], "call", 40).result()
    assert told["answered"] == 40
    assert (told["set"], told["gain"]) == (True, 4.0)
    assert "gain" in told["names"]
    server.result()


@pytest.mark.parametrize("others_are_ours", [True, False])
@each_pair
def test_the_graph_is_seen(start: Start, pair: tuple[str, str], others_are_ours: bool) -> None:
    """Also that of nodes on another middleware, of which no end matches one of ours."""
    others = [start(pair[0], name, ours=others_are_ours) for name in ("latch", "serve")]
    for other in others:
        other.await_ready()
    told = start(pair[1], "graph").result()
    assert told["nodes"] == ["graph", "latch", "serve"]
    assert told["topics"]["/latched"] == ["std_msgs/msg/String"]
    assert told["services"]["/switch"] == ["std_srvs/srv/SetBool"]
    assert told["publisher"][:2] == ["latch", "std_msgs/msg/String"]
    assert told["durability"] == "TRANSIENT_LOCAL"
    assert told["missing"] == "NodeNameNonExistentError"
    for other in others:
        other.result()


@each_distro
def test_a_killed_process_leaves_the_graph(start: Start, distro: str) -> None:
    victim = start(distro, "latch")
    victim.await_ready()
    watcher = start(distro, "wait_for_gone")
    watcher.await_ready()
    victim.process.send_signal(signal.SIGKILL)
    told = watcher.result()
    assert (told["seen"], told["gone"], told["topic"]) == (True, True, False)


@each_distro
def test_nodes_on_another_middleware_leave_the_graph(start: Start, distro: str) -> None:
    other = start(distro, "latch", ours=False)
    other.await_ready()
    watcher = start("jazzy", "wait_for_gone")
    watcher.await_ready()
    other.result()
    told = watcher.result()
    assert (told["seen"], told["gone"], told["topic"]) == (True, True, False)


def _edges(domain_id: int) -> list[int]:
    """Processes that serve this ROS domain as its edge."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            words = path.read_bytes().split(b"\0")
            if words[0].endswith(b"ligament-edge") and f"ros.{domain_id}".encode() in words:
                found.append(int(path.parent.name))
    return found


def _await(is_done: Callable[[], bool]) -> None:
    """Once is enough: of two that want to be the edge, the second is there for a moment."""
    end = time.monotonic() + WATCHDOG_S
    while not is_done():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.parametrize("server_is_ours", [True, False])
@pytest.mark.parametrize("distro", DISTROS)
def test_nodes_on_another_middleware_take_part(
    start: Start, distro: str, server_is_ours: bool, domain_id: int
) -> None:
    server = start(distro, "serve", ours=server_is_ours)
    server.await_ready()
    told = start(distro, "call", 10, ours=not server_is_ours).result()
    assert (told["answered"], told["set"], told["gain"]) == (10, True, 4.0)
    server.result()
    _await(lambda: not _edges(domain_id))


def test_processes_in_different_pid_namespaces_meet(start: Start, domain_id: int) -> None:
    """As containers have them: they share the pool, and one edge."""
    own_namespace = ("unshare", "--pid", "--fork", "--mount-proc", "--kill-child")
    try:
        subprocess.run(
            [*own_namespace, "true"], check=True, capture_output=True, timeout=WATCHDOG_S
        )
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"this machine has no such thing: the leave to make pid namespaces ({error})")
    server = start("jazzy", "serve", inside=own_namespace)
    server.await_ready()
    beside = start("jazzy", "talk")
    beside.await_ready()
    _await(lambda: len(_edges(domain_id)) == 1)
    told = start("jazzy", "call", 4).result()
    assert (told["answered"], told["set"]) == (4, True)
    server.result()
    beside.process.kill()
    _await(lambda: not _edges(domain_id))


def test_the_edge_of_a_domain_is_taken_over(start: Start, domain_id: int) -> None:
    server = start("jazzy", "serve")
    server.await_ready()
    other = start("kilted", "serve")
    other.await_ready()
    _await(lambda: len(_edges(domain_id)) == 1)
    (edge,) = _edges(domain_id)
    os.kill(edge, signal.SIGKILL)
    _await(lambda: len(_edges(domain_id)) == 1 and _edges(domain_id) != [edge])
    told = start("jazzy", "call", 4, ours=False).result()
    assert told["answered"] == 4
    server.result()
    other.result()
    _await(lambda: not _edges(domain_id))


def test_the_edge_looks_for_others_as_its_first_process_would(
    start: Start, domain_id: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What ROS 2's variables say reaches the edge as its DDS engine's configuration."""
    monkeypatch.setenv("ROS_STATIC_PEERS", "127.0.0.2;127.0.0.3")
    monkeypatch.setenv("CYCLONEDDS_URI", "<CycloneDDS/>")
    latch = start("jazzy", "latch")
    latch.await_ready()
    _await(lambda: len(_edges(domain_id)) == 1)
    variables = Path(f"/proc/{_edges(domain_id)[0]}/environ").read_bytes().split(b"\0")
    (said,) = (word.decode() for word in variables if word.startswith(b"CYCLONEDDS_URI="))
    assert re.findall('<Peer Address="(.*?)"', said) == ["127.0.0.1", "127.0.0.2", "127.0.0.3"]
    assert "<AllowMulticast>false</AllowMulticast>" in said
    assert said.endswith(",<CycloneDDS/>")  # the user's own has the last word
    assert not any(word.startswith((b"LD_PRELOAD=", b"LD_LIBRARY_PATH=")) for word in variables)
    latch.result()
    _await(lambda: not _edges(domain_id))


def test_others_go_on_while_processes_are_killed_and_stopped(start: Start) -> None:
    count = 2000
    echo = start("kilted", "echo", count)
    counter = start("jazzy", "count_to", count)
    counter.await_ready()
    stopped = start("jazzy", "talk")
    stopped.await_ready()
    stopped.process.send_signal(signal.SIGSTOP)
    for distro in ["jazzy", "kilted"] * KILLS:
        victim = start(distro, "talk")
        victim.await_ready()
        victim.process.kill()
    assert counter.result() == {"back": True}
    assert echo.result() == {"echoed": count}


@each_distro
def test_statuses_of_endpoints_are_told(start: Start, distro: str) -> None:
    told = start(distro, "events").result()
    assert told["matched"] == [[1, 1], [0, -1]]
    assert told["offered"].endswith("RELIABILITY")
    assert told["requested"].endswith("RELIABILITY")
    assert told["deadline"]


@each_distro
@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["clouds"], {"equal": True}),
        (["threads"], {"ticks": True}),
        (["keep_all"], {"came": True}),
        (["churn", 200], {"grown": 0}),
        (["fork"], {"child": True}),
        (["contexts"], {"heard": ["hello"], "refused": [True] * 4}),
        (["act"], {"result": [0, 1, 1], "feedback": [0, 1, 2]}),
    ],
)
def test_programs_do_what_they_do_elsewhere(
    start: Start, distro: str, words: list[object], told: dict[str, Any]
) -> None:
    assert start(distro, *words).result() == told


@pytest.mark.parametrize("publisher_is_ours", [True, False])
def test_content_filters_let_through_what_is_wanted(start: Start, publisher_is_ours: bool) -> None:
    """rclpy has them since Kilted."""
    filtered = start("kilted", "filtered")
    filtered.await_ready()
    start("jazzy", "count_for_filter", ours=publisher_is_ours).result()
    assert filtered.result() == {"heard": [3, 4, 5, 99], "refused": True}


@each_distro
@pytest.mark.parametrize("ours_writes", [True, False])
def test_messages_of_all_types_are_serialised_as_by_fast_dds(
    start: Start, distro: str, ours_writes: bool, tmp_path: Path
) -> None:
    file = tmp_path / "messages.json"
    written = start(distro, CODEC, "write", file, ours=ours_writes).result()["written"]
    assert written > 300
    told = start(distro, CODEC, "read", file, ours=not ours_writes).result()
    assert told == {"read": written, "wrong": []}


@each_distro
def test_bytes_that_are_no_message_are_refused(start: Start, distro: str) -> None:
    assert start(distro, CODEC, "abuse").result() == {"refused": True}


@pytest.mark.each_distro  # compiled for each
@each_distro
def test_its_tests_in_cpp_pass(distro: str) -> None:
    build = ROOT / "build" / f"rmw-{distro}"
    if not (build / "CTestTestfile.cmake").exists():
        pytest.skip(f"rmw_ligament_cpp is not built for ROS 2 {distro} (dev/setup --test)")
    command = ["ctest", "--test-dir", str(build), "--output-on-failure", "--timeout", "60"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=10 * WATCHDOG_S)
    assert done.returncode == 0, done.stdout
    assert "100% tests passed" in done.stdout
