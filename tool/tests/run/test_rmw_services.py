# SPDX-License-Identifier: Apache-2.0
"""Many calls at once through rmw_ligament_cpp: none stays without a response."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from dds_domain import dds_domain
from ros2_wheels import DISTROS
from test_rmw import WATCHDOG_S, Program, Start

PROGRAMS = Path(__file__).with_name("rmw_services.py")
#: More than the rings of both directions hold.
MANY = 300


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts programs in one ROS domain of their own."""
    running: list[Program] = []
    with dds_domain() as domain_id:

        def begin(distro: str, *words: object) -> Program:
            running.append(Program(distro, domain_id, (PROGRAMS, *words), ours=True))
            return running[-1]

        yield begin
        for program in running:
            program.process.kill()
            program.process.communicate()


@pytest.mark.each_distro  # each spins by another code
@pytest.mark.parametrize("distro", DISTROS)
def test_requests_that_are_sent_at_once_are_all_answered(start: Start, distro: str) -> None:
    """Client and server would wait for each other, and then overwrite what was not taken."""
    server = start("jazzy", "serve")
    server.await_ready()
    assert start(distro, "burst", MANY).result()["answered"] == MANY
    server.result()


def test_the_client_beyond_a_servers_limit_is_told_in_the_log(start: Start) -> None:
    server = start("jazzy", "serve")
    server.await_ready()
    crowd = start("jazzy", "crowd")
    crowd.await_ready()
    assert crowd.process.stderr is not None
    said = ""
    watchdog = threading.Timer(WATCHDOG_S, crowd.process.kill)
    watchdog.start()
    while "subscriptions already, the most that there may be" not in said:
        line = crowd.process.stderr.readline()
        assert line, f"it ended; it said: {said}"
        said += line
    watchdog.cancel()
    assert "topic rr/switchReply" in said and "rmw_ligament_cpp" in said
    assert crowd.result()["served"] == 64
    server.result()


def test_several_clients_at_once_beside_some_that_rest(start: Start) -> None:
    """Those that rest take no responses to others, and get their own afterwards."""
    server = start("jazzy", "serve")
    server.await_ready()
    resting = [start("jazzy", "rest") for _ in range(3)]
    for program in resting:
        program.await_ready()
    calling = [start("jazzy", "one_by_one", MANY) for _ in range(3)]
    assert [program.result()["answered"] for program in calling] == [MANY] * 3
    for program in resting:
        assert program.process.stdin is not None
        program.process.stdin.write("call\n")
        program.process.stdin.flush()
    assert [program.result()["answered"] for program in resting] == [2] * 3
    server.result()
