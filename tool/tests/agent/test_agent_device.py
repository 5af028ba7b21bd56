# SPDX-License-Identifier: Apache-2.0
"""`ligament-agent rpmsg --device`, on a socket of packets in place of Linux's character device."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from mcu_agent import WATCHDOG_S, StartAgent

HELLO = bytes.fromhex("8000000000011000585243450100010f0c0ffee18100f001")
AGREED = 0


@pytest.fixture
def board(tmp_path: Path) -> Iterator[socket.socket]:
    """Where the driver would be."""
    listens = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listens.bind(str(tmp_path / "rpmsg0"))
    listens.listen()
    listens.settimeout(WATCHDOG_S)
    with listens:
        yield listens


def log_in(core: socket.socket) -> None:
    core.settimeout(WATCHDOG_S)
    assert core.recv(512) == b"", "by its first packet the core learns where the agent is"
    core.send(HELLO)
    answer = core.recv(512)
    assert answer[4] == 4, "STATUS_AGENT"
    assert answer[8] == AGREED


def test_a_packet_is_a_message_and_a_core_that_goes_may_come_back(
    board: socket.socket, tmp_path: Path, start_agent: StartAgent
) -> None:
    folder = tmp_path / "remoteproc0"
    folder.mkdir()
    for name, text in (("state", "offline\n"), ("firmware", "\n")):
        (folder / name).write_text(text)
    words = ["rpmsg", "--device", str(tmp_path / "rpmsg0"), "--remoteproc", str(folder)]
    agent = start_agent(*words, "--firmware", "imu.elf")
    assert agent.first.startswith("ligament-agent: the core at ")
    assert (folder / "firmware").read_text().startswith("imu.elf")
    assert (folder / "state").read_text().startswith("start")
    for _ in range(2):
        core, _ = board.accept()
        with core:
            log_in(core)
    said = agent.stop()
    assert said.count("client 0c0ffee1") >= 2, said
    assert (folder / "state").read_text().startswith("stop")
