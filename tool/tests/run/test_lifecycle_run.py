# SPDX-License-Identifier: Apache-2.0
"""`ligament run` brings lifecycle nodes up in order, and says which one did not come up."""

from __future__ import annotations

import asyncio
import contextlib
import json
import subprocess
import uuid
from pathlib import Path

import pytest
from run_chat import LIGAMENT

from ligament.run.bring_up import BringUp

GRAPH = Path(__file__).with_name("managed.yaml")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of builds."""
    folder = tmp_path_factory.mktemp("lifecycle")
    for variant in ("processes", "threads"):
        words = ["build", str(GRAPH), "-v", variant, "-o", str(folder)]
        subprocess.run([*LIGAMENT, *words], check=True)
    return folder


def run(built: Path, variant: str, *words: str) -> subprocess.CompletedProcess[str]:
    domain = f"lifecycle_{uuid.uuid4().hex[:12]}"
    command = [*LIGAMENT, "run", str(GRAPH), "-v", variant, "-o", str(built), "--domain", domain]
    return subprocess.run(
        [*command, *words], capture_output=True, text=True, timeout=300, check=False
    )


@pytest.mark.parametrize("variant", ["processes", "threads"])
def test_nodes_are_brought_up_and_who_receives_is_first(built: Path, variant: str) -> None:
    build = json.loads((built / "lifecycle_test" / variant / "build.json").read_text())
    assert build["lifecycle"] == ["/b_sink", "/a_source"]
    done = run(built, variant, "--until", "/b_sink")
    assert done.returncode == 0, done.stderr
    assert "all 2 lifecycle nodes are active" in done.stderr + done.stdout


@pytest.mark.parametrize("step", ["configure", "activate"])
def test_the_node_that_does_not_come_up_ends_the_run(built: Path, step: str) -> None:
    done = run(built, "processes", "--set", f"a_source.fails={step}")
    assert done.returncode == 1
    said = done.stderr + done.stdout
    assert f"a lifecycle node did not come up: node '/a_source' did not {step}" in said


def is_running(pid: int) -> bool:
    """Whether a process is there and has not ended."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def test_a_run_that_ends_meanwhile_leaves_nothing_behind(tmp_path: Path) -> None:
    told, script = tmp_path / "pid", tmp_path / "ligament-lifecycle"
    script.write_text(f"#!/bin/sh\necho $$ > {told}\nexec sleep 60\n")
    script.chmod(0o755)

    async def cancelled() -> int:
        task = asyncio.create_task(BringUp((str(script),), ("/a",)).run())
        while not told.exists() or not told.read_text().strip():
            await asyncio.sleep(0.01)
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        pid = int(told.read_text())
        assert not Path(f"/proc/{pid}").exists(), "killed, and awaited"
        return pid

    assert not is_running(asyncio.run(cancelled()))
