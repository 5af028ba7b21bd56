# SPDX-License-Identifier: Apache-2.0
"""Many calls at once through rmw_ligament_cpp: none stays without a response."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from dds_domain import dds_domain
from ros2_wheels import DISTROS
from test_rmw import Program, Start

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


@pytest.mark.parametrize("distro", DISTROS)
def test_requests_that_are_sent_at_once_are_all_answered(start: Start, distro: str) -> None:
    """Client and server would wait for each other, and then overwrite what was not taken."""
    server = start("jazzy", "serve")
    server.await_ready()
    assert start(distro, "burst", MANY).result()["answered"] == MANY
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
