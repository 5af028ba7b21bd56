# SPDX-License-Identifier: Apache-2.0
"""What the tests of graphs with nodes on a core share."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
import uuid
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ligament.doctor import microcontrollers
from ligament.resources import platforms_dir

EXAMPLES = Path(__file__).parents[3] / "examples"
WATCHDOG_S = 120
LIGAMENT = [sys.executable, "-m", "ligament.cli.main"]


def require_core() -> None:
    """Skip where no core can be emulated."""
    for program in ("qemu-system-arm", "qemu-system-aarch64", "arm-none-eabi-gcc"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is missing (dev/apt-packages-test.txt)")


def on_freertos(platform: str, folder: Path) -> Path:
    """Write a platform whose firmware runs on FreeRTOS; skip where its kernel is not."""
    require_core()
    if microcontrollers.freertos() is None:
        pytest.skip("this machine has no such thing: FreeRTOS, which cargo brings")
    text = (platforms_dir() / platform / "platform.yaml").read_text()
    assert "    board: " in text
    file = folder / f"{platform}_freertos.yaml"
    file.write_text(text.replace("    board: ", "    os: freertos\n    board: "))
    return file


def ligament(*words: str | Path, status: int = 0) -> str:
    """Run a verb; return what it wrote."""
    result = subprocess.run(
        [*LIGAMENT, *map(str, words)], capture_output=True, text=True, check=False, env=os.environ
    )
    assert result.returncode == status, result.stdout + result.stderr
    return result.stdout + result.stderr


def own_domain() -> list[str]:
    """Words that let a run meet no other of the same graph."""
    return ["--domain", f"mcu_test_{uuid.uuid4().hex[:12]}"]


def newest_run(variant: Path) -> Path:
    """Return the folder of a variant's last run."""
    return max((variant / "runs").iterdir(), key=lambda run: run.stat().st_mtime_ns)


def events(run: Path, query: str) -> list[tuple[Any, ...]]:
    """Ask a run's events; `t` is the table."""
    table = f"read_parquet('{run / 'events.parquet'}')"
    found: list[tuple[Any, ...]] = duckdb.sql(query.replace(" t ", f" {table} ")).fetchall()
    return found


def emulator_of(tool: int) -> int:
    """The emulator among a process's descendants, as soon as its client is there."""
    deadline = time.monotonic() + WATCHDOG_S
    while time.monotonic() < deadline:
        for process in _descendants(tool):
            words = Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")
            if words[0].endswith(b"qemu-system-arm"):
                return process
        time.sleep(0.05)
    raise AssertionError("no core was started")


def _descendants(process: int) -> list[int]:
    listed = subprocess.run(
        ["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True
    ).stdout
    parents = {int(p): int(parent) for p, parent in map(str.split, listed.splitlines())}
    found = {process}
    while grown := {p for p, parent in parents.items() if parent in found} - found:
        found |= grown
    return sorted(found - {process})
