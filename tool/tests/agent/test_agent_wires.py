# SPDX-License-Identifier: Apache-2.0
"""The firmware's client and the agent as processes, over good wires and bad ones."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from mcu_agent import Agent, Spoken, StartAgent
from wires import Harm, serial_wire, udp_wire

UDP = ("udp", "--port", "0", "--address", "127.0.0.1")


def begin(probe: Path, *words: object) -> Spoken:
    """A client that runs; its key is the first word after the link."""
    return Spoken([str(probe), *map(str, words)])


def received(agent_said: str, key: str) -> int:
    """Samples that the agent has published for a client, in all its sessions."""
    pattern = rf"client {key}: .*; from it (\d+) samples"
    return sum(int(n) for n in re.findall(pattern, agent_said))


@pytest.mark.parametrize(
    "harm",
    [Harm(), Harm(lost=0.1, seed=2), Harm(doubled=0.3, swapped=0.3, seed=3),
     Harm(lost=0.15, doubled=0.1, swapped=0.2, seed=4)],
    ids=["good", "lost", "mixed", "all"],
)  # fmt: skip
def test_reliable_messages_go_round(probe: Path, start_agent: StartAgent, harm: Harm) -> None:
    agent = start_agent(*UDP)
    with udp_wire(agent.port, harm) as (port, counts):
        where = f"udp:127.0.0.1:{port}"
        echo = begin(probe, where, "c0ffee01", "echo", "/there", "/back", 50, "reliable", 40)
        echo.await_line("ready")
        publish = begin(probe, where, "c0ffee02", "publish", "/there", 40, 1500, 5, "reliable")
        publish.finish()
        out = echo.finish()
    got = [int(n) for n in re.findall(r"got 1500 (\d+)", out)]
    assert got == list(range(40)), out
    assert "BROKEN" not in out
    assert (counts.lost > 0) == (harm.lost > 0)
    said = agent.stop()
    assert received(said, "c0ffee02") == 40, said


def test_best_effort_counts_what_is_lost(probe: Path, start_agent: StartAgent) -> None:
    agent = start_agent(*UDP)
    with udp_wire(agent.port, Harm(lost=0.2, seed=5)) as (port, _):
        words = ("c0ffee03", "publish", "/there", 200, 60, 1, "best")
        begin(probe, f"udp:127.0.0.1:{port}", *words).finish()
    said = agent.stop()
    lost = re.search(r"lost messages (\d+)\n", said.split("session 0x82")[-1])
    assert lost is not None, said
    count = received(said, "c0ffee03")
    assert 100 < count < 200
    # Those behind the last one that came are not known to have existed.
    assert 190 < count + int(lost[1]) <= 200


def test_an_agent_that_spins_serves_before_and_after_it_sleeps(
    probe: Path, start_agent: StartAgent
) -> None:
    agent = start_agent(*UDP, "--spin", "1000000")
    where = f"udp:127.0.0.1:{agent.port}"
    before = agent.cpu_s()
    for _ in range(20):
        words = (where, "c0ffee07", "publish", "/there", 10, 60, 1, "reliable")
        begin(probe, *words).finish()
        time.sleep(1.5)  # it looks for a second, and then sleeps
        if agent.cpu_s() - before >= 0.5:
            break
    assert agent.cpu_s() - before >= 0.5, "it sleeps"
    begin(probe, *words).finish()
    said = agent.stop()
    assert received(said, "c0ffee07") % 10 == 0 and received(said, "c0ffee07") >= 20, said


@pytest.mark.parametrize("rate", [0.0, 0.0005])
def test_a_serial_line_carries_the_same(probe: Path, start_agent: StartAgent, rate: float) -> None:
    with serial_wire(rate) as (here, there, counts):
        agent = start_agent("serial", here)
        words = ("c0ffee04", "publish", "/there", 60, 700, 0, "reliable")
        begin(probe, f"serial:{there}", *words).finish()
        assert "error" in begin(probe, f"serial:{there}", "c0ffee04", "time").finish()
        said = agent.stop()
    assert received(said, "c0ffee04") == 60, said
    assert (counts.corrupted > 0) == (rate > 0)


def test_services_in_both_directions(probe: Path, start_agent: StartAgent) -> None:
    agent = start_agent(*UDP)
    where = f"udp:127.0.0.1:{agent.port}"
    serve = begin(probe, where, "c0ffee05", "serve", "/switch", 100, 6)
    serve.await_line("ready")
    call = begin(probe, where, "c0ffee06", "call", "/switch", 6).finish()
    assert re.findall(r": (\d \w+)", call) == ["0 off", "1 on"] * 3
    assert serve.finish().count("request") == 6


def test_a_request_waits_for_its_server(probe: Path, start_agent: StartAgent) -> None:
    agent = start_agent(*UDP)
    where = f"udp:127.0.0.1:{agent.port}"
    call = begin(probe, where, "c0ffee06", "call", "/switch", 2)
    call.await_line("called")
    serve = begin(probe, where, "c0ffee05", "serve", "/switch", 100, 2)
    assert re.findall(r": (\d \w+)", call.finish()) == ["0 off", "1 on"]
    assert serve.finish().count("request") == 2


def test_the_client_is_back_after_the_agent_was(probe: Path, start_agent: StartAgent) -> None:
    first = start_agent(*UDP)
    where = f"udp:127.0.0.1:{first.port}"
    echo = begin(probe, where, "c0ffee07", "echo", "/there", "/back", 50, "reliable", 5)
    echo.await_line("ready")
    first.kill()
    second = start_agent("udp", "--port", str(first.port), "--address", "127.0.0.1")
    echo.await_line("restored")
    begin(probe, where, "c0ffee08", "publish", "/there", 5, 40, 10, "reliable").finish()
    assert len(re.findall("got 40", echo.finish())) == 5
    second.stop()


def test_a_silent_client_is_removed(probe: Path, start_agent: StartAgent) -> None:
    agent = start_agent(*UDP, "--silence", "4")
    where = f"udp:127.0.0.1:{agent.port}"
    silent = begin(probe, where, "c0ffee09", "serve", "/switch", 100, 1)
    quiet = begin(probe, where, "c0ffee0a", "serve", "/other", 8, 1)
    silent.await_line("ready")
    quiet.await_line("ready")
    silent.kill()
    quiet.finish()  # it says nothing by itself either, but it answers
    said = agent.stop()
    assert "client c0ffee09: is silent, and removed" in said
    assert "client c0ffee0a: is silent" not in said


def test_many_clients_at_once(probe: Path, start_agent: StartAgent) -> None:
    agent = start_agent(*UDP)
    where = f"udp:127.0.0.1:{agent.port}"
    clients = [
        begin(probe, where, f"c0ff{n:04x}", "publish", f"/topic_{n}", 20, 600, 1, "reliable")
        for n in range(8)
    ]
    for client in clients:
        client.finish()
    said = agent.stop()
    assert [received(said, f"c0ff{n:04x}") for n in range(8)] == [20] * 8


def test_a_port_that_is_taken_is_named(start_agent: StartAgent) -> None:
    agent = start_agent(*UDP)
    with pytest.raises(AssertionError, match=f"port {agent.port} of 127.0.0.1"):
        Agent(["udp", "--port", str(agent.port), "--address", "127.0.0.1", "--no-edge"])


def test_an_agent_that_is_asked_ends(start_agent: StartAgent) -> None:
    agent = start_agent(*UDP)
    begun = time.monotonic()
    agent.stop()
    assert time.monotonic() >= begun
