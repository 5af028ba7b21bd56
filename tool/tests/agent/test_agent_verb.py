# SPDX-License-Identifier: Apache-2.0
"""What `ligament agent rpmsg` gives to the agent, and what it says of mistakes."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from mcu_agent import built_agent

from ligament.agent import AgentOptions
from ligament.cli import agent_rpmsg as verb
from ligament.cli import main as cli
from ligament.resources import firmware_dir


def test_the_map_reaches_the_agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[tuple[Sequence[str], AgentOptions]] = []
    monkeypatch.setattr(verb, "exec_agent", lambda *words: given.append(words))
    memory = tmp_path / "memory"
    memory.touch()
    words = (
        "--bell b --offset 0x1000 --base 0x3ed40000 --buffers 8 --buffer-size 256 --blocks 2 "
        "--block-size 64 --qtest q --spin 50 --channel mine --ros 5 --silence 3 --no-edge"
    )
    assert cli.main(["agent", "rpmsg", str(memory), *words.split()]) == 0
    link = (
        f"rpmsg {memory} --bell b --channel mine --offset 4096 --base 1054081024 --buffers 8 "
        "--buffer-size 256 --blocks 2 --block-size 64 --qtest q --spin 50"
    )
    assert given == [(link.split(), AgentOptions(5, (), "jazzy", None, 3.0, False))]


@pytest.mark.parametrize("by_file", [False, True])
def test_the_map_is_a_table(by_file: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[tuple[Sequence[str], AgentOptions]] = []
    monkeypatch.setattr(verb, "exec_agent", lambda *words: given.append(words))
    memory = tmp_path / "memory"
    memory.touch()
    table = firmware_dir() / "board" / "zcu102_r5" / "memory.json"
    name = str(table) if by_file else "zcu102_r5"
    words = ["agent", "rpmsg", str(memory), "--bell", "b", "--map", name, "--blocks", "3"]
    assert cli.main(words) == 0
    link = (
        f"rpmsg {memory} --bell b --channel ligament-xrce --offset 67108864 --base 67108864 "
        "--buffers 64 --buffer-size 512 --blocks 3 --block-size 4096"
    )
    assert list(given[0][0]) == link.split()


def test_linuxs_driver_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[tuple[Sequence[str], AgentOptions]] = []
    monkeypatch.setattr(verb, "exec_agent", lambda *words: given.append(words))
    (tmp_path / "state").write_text("offline")
    words = ["--device", "/dev/rpmsg_ctrl0", "--to", "1030", "--remoteproc", str(tmp_path)]
    assert cli.main(["agent", "rpmsg", *words, "--firmware", "imu.elf"]) == 0
    link = "rpmsg --device /dev/rpmsg_ctrl0 --channel ligament-xrce --to 1030 --remoteproc"
    assert list(given[0][0]) == [*link.split(), str(tmp_path), "--firmware", "imu.elf"]


def test_a_bus_that_is_not_there_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["agent", "can", "can_none"]) == 2
    assert "there is no network interface 'can_none'" in capsys.readouterr().err


def test_an_address_that_is_none_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["agent", "udp", "--address", "nowhere"]) == 2
    assert "--address is 'nowhere', which is no IPv4 address" in capsys.readouterr().err


def test_a_network_that_is_no_bus_is_refused() -> None:
    """Every computer has the interface lo; where it has CAN, too, that is told of lo."""
    words = [built_agent(), "can", "lo", "--no-edge"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "CAN" in done.stderr or "lo" in done.stderr


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "neither MEMORY nor --device"),
        (["memory", "--device", "d"], "MEMORY is 'memory', and --device is 'd'"),
        (["--device", "d", "--spin", "9"], "Linux has the memory of 'd'"),
        (["--device", "d", "--firmware", "f"], "nothing says which core has it"),
        (["--device", "d", "--remoteproc", "."], "'.' is no folder of remoteproc"),
        (["nothing", "--bell", "b"], "there is no memory 'nothing'"),
        (["memory", "--bell", "b", "--map", "zcu102"], "--map is 'zcu102', which is no board"),
        (["memory", "--bell", "b", "--map", "none.json"], "there is no file 'none.json'"),
        (["memory", "--bell", "b", "--base", "0x2z"], "--base is '0x2z', which is no number"),
        (["memory"], "--bell"),
    ],
)
def test_mistakes_are_named(
    words: list[str],
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "memory").touch()
    assert cli.main(["agent", "rpmsg", *words]) == 2
    assert told in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "it has 4096 bytes, the area needs 348160 from 0"),
        (["--buffers", "63"], "the memory map is invalid"),
    ],
)
def test_the_agent_refuses_what_cannot_be(words: list[str], told: str, tmp_path: Path) -> None:
    memory = tmp_path / "memory"
    memory.write_bytes(bytes(4096))
    done = subprocess.run(
        [built_agent(), "rpmsg", memory, "--bell", "b", *words],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert told in done.stderr
