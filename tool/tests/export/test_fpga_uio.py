# SPDX-License-Identifier: Apache-2.0
"""The back-end `fpga_uio` against stand-ins: exported designs, each in a process of its own."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import random
import shutil
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from folders import EXAMPLES
from runtime_programs import find_helper

from ligament.export import Asked, export, stand_in
from ligament.export.stand_in import build
from ligament.graph.schema import validate
from ligament.graph.source import Document
from ligament.pipeline import Request

UPPER = Path(__file__).with_name("upper")
#: By the name that the runtime's tests know it by: graph, platform.
BOARDS = {
    "upper": (UPPER / "graph.yaml", "fpga_sim"),
    "pair": (UPPER / "pair.yaml", "fpga_sim"),
    "joined": (UPPER / "joined.yaml", "fpga_sim"),
    "pages": (UPPER / "graph.yaml", "fpga_sim_pages"),
    "threshold": (EXAMPLES / "threshold" / "graph.yaml", "fpga_sim"),
}


@pytest.fixture(scope="module")
def boards(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Export.json and stand-in of each board."""
    root = tmp_path_factory.mktemp("boards")
    for name, (graph, platform) in BOARDS.items():
        request = Request(graph, "hardware", platform, root / "build" / name)
        made = export(request, Asked("fusesoc", folder=root / "export" / name))
        assert not validate(Document("export.json", dict(made.data)), "export")
        (root / name).mkdir()
        shutil.copy(made.folder / "export.json", root / name)
        shutil.copy(build(made.folder), root / name / "stand-in")
    return root


@contextlib.contextmanager
def connected(program: subprocess.Popen[bytes], at: Path) -> Iterator[socket.socket]:
    """A driver of a stand-in, as soon as that serves it."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as driver:
        driver.settimeout(60)
        while driver.connect_ex(str(at)) != 0:
            assert program.poll() is None
            time.sleep(0.01)
        yield driver


@pytest.mark.parametrize("chosen", ["Backends/*fpga_uio*", "Boards.*", "*Losses.*", "*Sets.*"])
def test_it_keeps_the_contract_and_survives_broken_boards(chosen: str, boards: Path) -> None:
    words = [str(find_helper("test_device")), f"--gtest_filter={chosen}"]
    environment = {**os.environ, "LIGAMENT_TEST_BOARDS": str(boards)}
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "[  SKIPPED ]" not in done.stdout and " 0 tests" not in done.stdout


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["at", "--fault", "restles"], "there is no fault 'restles'"),
        (["--scatered", "at"], "usage"),
        (["at", "--scattered", "--memory", "67108864"], "at most 16777216"),
        (["at", "--memory", "4097"], "a multiple of 4096"),
    ],
)
def test_a_stand_in_refuses_what_it_does_not_know(
    words: list[str], told: str, boards: Path, tmp_path: Path
) -> None:
    command = [str(boards / "upper" / "stand-in"), *words]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 2
    assert told in done.stderr and "lose-doorbells" in done.stderr


def test_scattered_memory_alone_has_as_many_pages_as_can_be_told(
    boards: Path, tmp_path: Path
) -> None:
    """Without --memory: a hello has room for 4096 pages, less than the memory in one piece."""
    at = tmp_path / "at"
    program = subprocess.Popen([str(boards / "upper" / "stand-in"), str(at), "--scattered"])
    try:
        with connected(program, at) as driver:
            hello = driver.recv(16 + 16 * 4096)
        _, extents = struct.unpack_from("=QI", hello)
        sizes = [size for _, size in struct.iter_unpack("=QQ", hello[16:])]
        assert (extents, sizes) == (4096, [4096] * 4096)
    finally:
        program.kill()
        program.wait()


@pytest.mark.parametrize("left", ["at", "at~"])
def test_a_stand_in_takes_the_place_of_one_that_was_killed(
    left: str, boards: Path, tmp_path: Path
) -> None:
    """A socket that nobody serves: under its name, or under that which it has until it listens."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as killed:
        killed.bind(str(tmp_path / left))
    at = tmp_path / "at"
    program = subprocess.Popen([str(boards / "upper" / "stand-in"), str(at)])
    try:
        with connected(program, at) as driver:
            assert driver.recv(16 + 16 * 4096)
        assert [path.name for path in tmp_path.iterdir()] == ["at"]
        # One that is served stays.
        words = [str(boards / "upper" / "stand-in"), str(at)]
        done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=60)
        assert (done.returncode, program.poll()) == (1, None)
        assert f"{at}: Address already in use" in done.stderr
    finally:
        program.kill()
        program.wait()


def test_of_many_that_start_at_one_path_one_serves_it(boards: Path, tmp_path: Path) -> None:
    """Behind one that was killed, whose socket each of them finds."""
    at = tmp_path / "at"
    for _ in range(10):
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as killed:
            killed.bind(str(at))
        words = [str(boards / "upper" / "stand-in"), str(at)]
        programs = [subprocess.Popen(words, stderr=subprocess.PIPE) for _ in range(6)]
        try:
            while sum(program.poll() is None for program in programs) > 1:
                time.sleep(0.01)
            ended = [program for program in programs if program.poll() is not None]
            for program in ended:
                assert program.stderr is not None
                said = program.stderr.read().decode()
                assert (program.returncode, said[-23:]) == (1, "Address already in use\n")
            assert len(ended) == 5
            (serving,) = (program for program in programs if program not in ended)
            with connected(serving, at) as driver:
                assert driver.recv(16 + 16 * 4096)
            assert [path.name for path in tmp_path.iterdir()] == ["at"]
        finally:
            for program in programs:
                program.kill()
                program.communicate()
        at.unlink()


def test_a_start_waits_while_another_one_looks_and_removes(boards: Path, tmp_path: Path) -> None:
    folder, at = tmp_path / "folder", tmp_path / "folder" / "at"
    folder.mkdir()
    lock = os.open(folder, os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    program = subprocess.Popen([str(boards / "upper" / "stand-in"), str(at)])
    try:
        opened = Path(f"/proc/{program.pid}/fd")
        while str(folder) not in [os.path.realpath(file) for file in opened.iterdir()]:
            assert program.poll() is None and not at.exists()
            time.sleep(0.01)
        assert not list(folder.iterdir())
        os.close(lock)
        while not at.exists():
            assert program.poll() is None
            time.sleep(0.01)
    finally:
        program.kill()
        program.wait()


def test_a_stand_in_survives_drivers_that_say_anything(boards: Path, tmp_path: Path) -> None:
    """Requests of no kind, of any length, to any place, in any number, and the like interrupts."""
    at = tmp_path / "at"
    program = subprocess.Popen([str(boards / "upper" / "stand-in"), str(at)])
    chance = random.Random(1)
    try:
        for _ in range(50):
            with contextlib.ExitStack() as held, contextlib.suppress(ConnectionError):
                driver = held.enter_context(connected(program, at))
                _, files, _, _ = socket.recv_fds(driver, 16 + 16 * 4096, 2)
                for file in files:
                    held.callback(os.close, file)
                for _ in range(chance.randrange(20)):
                    os.write(files[1], chance.randbytes(chance.randrange(1, 9)))
                    place = chance.choice((chance.getrandbits(32), 8 * chance.randrange(0x4000)))
                    # Writes to nowhere: one that rings a doorbell may do anything to a design.
                    access, place = chance.choice(((1, place), (2, place | 1), (place, place)))
                    request = struct.pack("=IIQ", access, place, chance.getrandbits(64))
                    driver.send(chance.choice((request, request[: chance.randrange(1, 16)])))
                    if chance.randrange(4) and not driver.recv(64):
                        break
        with connected(program, at) as driver:
            assert driver.recv(16 + 16 * 4096)
            driver.send(struct.pack("=IIQ", 1, 0x10000, 0))
            assert struct.unpack("=IIQ", driver.recv(64)) == (0, 0, 0x1_4C49_4742)
    finally:
        program.kill()
        program.wait()


def test_what_a_killed_compile_left_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sim").mkdir()
    for name in ("stand_in.cpp", "board_link.h"):
        (tmp_path / "sim" / name).touch()
    data = {"schema": "ligament/export/1", "top": "top", "identity": "0x1"}
    (tmp_path / "export.json").write_text(json.dumps(data))
    made: list[Path] = []

    def compile_it(_folder: Path, top: str, out: Path) -> None:
        made.append(out)
        out.mkdir()
        (out / f"V{top}").touch()

    monkeypatch.setattr(stand_in, "_compile", compile_it)
    kept = build(tmp_path).parent
    ended = subprocess.Popen(["true"])
    ended.wait()
    left = [kept.with_name(f"{kept.name}.{pid}") for pid in (ended.pid, os.getppid())]
    shutil.rmtree(kept)
    for folder in left:
        folder.mkdir()
    assert build(tmp_path).parent == kept
    assert set(kept.parent.iterdir()) == {kept, left[1]}  # another compile goes on
    assert len(made) == 2


@pytest.mark.parametrize("name", ["at", "at~"])
def test_a_stand_in_touches_no_file_of_somebody_else(
    name: str, boards: Path, tmp_path: Path
) -> None:
    (tmp_path / name).write_text("mine")
    words = [str(boards / "upper" / "stand-in"), str(tmp_path / "at")]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 1 and f"{tmp_path / name}: Address already in use" in done.stderr
    assert (tmp_path / name).read_text() == "mine"


def test_a_folder_without_a_stand_in_is_told(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "ligament.export.stand_in", str(tmp_path), str(tmp_path / "at")]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "is no exported folder with a stand-in" in done.stderr
