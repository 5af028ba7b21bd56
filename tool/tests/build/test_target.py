# SPDX-License-Identifier: Apache-2.0
"""Building for another architecture: which one, where it goes, what starts it there.

The other architecture is this machine's under another name, so that everything is compiled and run;
test_target_arm64.py does the same with a real one.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Sequence
from pathlib import Path

import pytest

from ligament import resources
from ligament.artefacts import write_json
from ligament.build.start_script import write_start_script
from ligament.build.target import Target, emulator_for, read_target
from ligament.errors import InputError
from ligament.graph.json_source import parse_json
from ligament.graph.schema import validate
from ligament.pipeline import Request, built, mapped

LIGAMENT = [sys.executable, "-m", "ligament.cli.main"]
RUN = Path(__file__).parent.parent / "run"


def make_prefix(folder: Path, architecture: str, emulator: Sequence[str] = ()) -> Path:
    """An installation for another architecture, of links to this machine's."""
    own, cmake = resources.prefix(), folder / "lib" / "cmake" / "ligament"
    cmake.mkdir(parents=True)
    for path in (own / "lib" / "cmake" / "ligament").iterdir():
        (cmake / path.name).symlink_to(path)
    for path in (*(own / "lib").glob("libligament*"), own / "lib" / "ligament"):
        (folder / "lib" / path.name).symlink_to(path)
    (folder / "include").symlink_to(own / "include")
    (cmake / "toolchain.cmake").write_text("set(LIGAMENT_TEST_TOOLCHAIN yes CACHE STRING read)\n")
    data = {"schema": "ligament/target/1", "architecture": architecture, "emulator": [*emulator]}
    (folder / "share" / "ligament").mkdir(parents=True)
    (folder / "share" / "ligament" / "target.json").write_text(json.dumps(data))
    return folder


def emulator(root: Path) -> list[str]:
    """The words of an emulator that notes in a file what it runs, and runs it."""
    return ["sh", "-c", 'echo "$1" >> "$0"; exec "$@"', str(root / "emulated")]


@pytest.fixture(scope="module")
def chat(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a chat that was built for `riscv64`; its emulator notes what it runs."""
    root = tmp_path_factory.mktemp("a board")
    name = f"target_test_{uuid.uuid4().hex[:8]}"
    text = (RUN / "chat.yaml").read_text().replace("run_test_chat", name)
    (root / "graph.yaml").write_text(text)
    shutil.copytree(RUN / "nodes", root / "nodes")
    prefix = make_prefix(root / "prefix", "riscv64", emulator(root))
    built(Request(root / "graph.yaml", out=root / "build"), target=read_target(prefix))
    return root / "build" / "riscv64" / name / "processes"


def test_it_is_compiled_with_its_toolchain_into_a_folder_of_its_own(chat: Path) -> None:
    document = parse_json((chat / "build.json").read_text(), "build.json")
    assert validate(document, "build") == []
    prefix = chat.parents[3] / "prefix"
    assert document.data["target"] == {"architecture": "riscv64", "prefix": str(prefix)}
    assert "LIGAMENT_TEST_TOOLCHAIN" in (chat.parent / "work/cpu/CMakeCache.txt").read_text()
    assert (chat.parent / "lib" / "librun_test-talker.so").is_file()


def test_a_manifest_is_built_for_what_its_folder_is_for(chat: Path, tmp_path: Path) -> None:
    """No library of another architecture comes among those that all variants share."""
    before = (chat / "build.json").read_text()
    command = [*LIGAMENT, "build", str(chat / "manifest.json")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (chat / "build.json").read_text() == before
    other = make_prefix(tmp_path / "prefix", "sparc64")
    words = [*command, "--target", str(other)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "for another machine than sparc64" in done.stderr


@pytest.mark.timeout(120)
def test_the_run_here_goes_through_the_emulator(chat: Path) -> None:
    command = [*LIGAMENT, "run", str(chat / "build.json"), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr
    (run,) = (chat / "runs").iterdir()
    assert json.loads((run / "run.json").read_text())["state"] == "finished"
    root = chat.parents[3]
    program = root / "prefix" / "lib" / "ligament" / "ligament-container"
    assert (root / "emulated").read_text().splitlines() == [str(program)] * 2
    shutil.rmtree(run)


@pytest.mark.timeout(120)
def test_the_script_starts_a_copy_without_the_tool(chat: Path, tmp_path: Path) -> None:
    board = tmp_path / "on the board"
    shutil.copytree(chat.parent, board, ignore=shutil.ignore_patterns("work", "gen"))
    done = start(board / "processes")
    assert done.returncode == 0, done.stdout + done.stderr
    (run,) = (board / "processes" / "runs").iterdir()
    # The talker goes on until it is stopped: it was the listener that was done.
    ended = {path.name: path.read_text().strip() for path in (run / "ended").iterdir()}
    assert ended == {"talker": "0", "listener": "0"}
    config = json.loads((run / "config" / "talker.json").read_text())
    assert config["run_id"] == run.name


def start(folder: Path) -> subprocess.CompletedProcess[str]:
    """Run start.sh as a board would, where there is nothing but a shell."""
    environment = {"PATH": "/usr/bin:/bin", "LIGAMENT_PREFIX": str(resources.prefix())}
    return subprocess.run(
        [str(folder / "start.sh")],
        env=environment,
        cwd="/",
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


@pytest.mark.timeout(120)
def test_the_script_tells_of_a_container_that_fails(chat: Path, tmp_path: Path) -> None:
    board = tmp_path / "board"
    shutil.copytree(chat.parent, board, ignore=shutil.ignore_patterns("work", "gen"))
    (board / "lib" / "librun_test-listener.so").unlink()
    done = start(board / "processes")
    assert done.returncode == 2
    assert "the container listener ended with 2" in done.stderr
    assert "librun_test-listener.so" in done.stderr


@pytest.mark.timeout(120)
@pytest.mark.parametrize("how", ["SIGTERM", "Ctrl-C"])
def test_the_script_stops_all_on_request(chat: Path, tmp_path: Path, how: str) -> None:
    board = tmp_path / "board"
    shutil.copytree(chat.parent, board, ignore=shutil.ignore_patterns("work", "gen"))
    listener = board / "processes" / "start" / "listener.json"
    data = json.loads(listener.read_text())
    data["nodes"][0]["parameters"]["messages"] = 1_000_000_000  # so nobody is done
    listener.write_text(json.dumps(data))
    environment = {**os.environ, "LIGAMENT_PREFIX": str(resources.prefix())}
    with subprocess.Popen(
        [str(board / "processes" / "start.sh")], env=environment, start_new_session=True
    ) as process:
        deadline = time.monotonic() + 60
        while len(list(board.glob("processes/runs/*/pid/*"))) < 2:
            assert time.monotonic() < deadline, "the containers were not started"
            time.sleep(0.1)
        time.sleep(1)
        if how == "SIGTERM":
            process.send_signal(signal.SIGTERM)
        else:  # a terminal sends it to all of the group
            os.killpg(process.pid, signal.SIGINT)
        assert process.wait(60) == 0
    ended = {path.name: path.read_text().strip() for path in board.glob("processes/runs/*/ended/*")}
    assert ended == {"talker": "0", "listener": "0"}


def test_the_script_names_a_missing_runtime(chat: Path) -> None:
    done = subprocess.run(
        [str(chat / "start.sh"), "/nowhere"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "there is no /nowhere/lib/ligament/ligament-container" in done.stderr


def test_what_a_shell_cannot_start_has_no_script(tmp_path: Path) -> None:
    (tmp_path / "start.sh").write_text("of before")
    build = {
        "containers": {"a": {"config": "a.json", "nodes": ["/a"], "language": "python"}},
        "target": {"architecture": "riscv64", "prefix": "/p"},
    }
    assert write_start_script(tmp_path, build) is None
    assert not (tmp_path / "start.sh").exists()


@pytest.mark.parametrize(
    ("variant", "has_script"), [("fused", True), ("dds", False), ("two_hosts", False)]
)
def test_what_needs_an_edge_or_a_host_has_no_script(
    tmp_path: Path, variant: str, has_script: bool
) -> None:
    perception = resources.examples_dir() / "perception" / "graph.yaml"
    _, mapping = mapped(Request(perception, variant=variant, out=tmp_path / "out"))
    write_json(tmp_path / "mapping.json", mapping.to_json())
    build = {
        "graph": "perception",
        "variant": variant,
        "containers": {},
        "target": {"architecture": "riscv64", "prefix": "/p"},
    }
    assert (write_start_script(tmp_path, build) is not None) == has_script


def test_another_machine_without_an_emulator_is_refused() -> None:
    with pytest.raises(InputError, match="this was built for riscv64"):
        emulator_for(Target(Path("/p"), "riscv64"))
    assert emulator_for(Target(Path("/p"), platform.machine(), ("qemu",))) == []
    assert emulator_for(None) == []


@pytest.mark.parametrize(
    ("spoiled", "said"),
    [
        (None, "cannot read"),
        ("{", "target.json:1:2"),
        ("[]", "the file holds a list"),
        ('{"schema": "ligament/target/1", "architecture": "a", "emulator": []}', "toolchain"),
    ],
)
def test_what_is_no_installation_is_refused(tmp_path: Path, spoiled: str | None, said: str) -> None:
    if spoiled is not None:
        (tmp_path / "share" / "ligament").mkdir(parents=True)
        (tmp_path / "share" / "ligament" / "target.json").write_text(spoiled)
    with pytest.raises(InputError, match=said):
        read_target(tmp_path)


def test_the_verb_refuses_this_machines_installation() -> None:
    command = [*LIGAMENT, "build", str(RUN / "chat.yaml"), "--target", str(resources.prefix())]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "is no installation of Ligament for another architecture" in done.stderr
