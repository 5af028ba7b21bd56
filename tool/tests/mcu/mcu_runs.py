# SPDX-License-Identifier: Apache-2.0
"""What the tests of graphs with nodes on a core share."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import uuid
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ligament.doctor import microcontrollers
from ligament.resources import platforms_dir

EXAMPLES = Path(__file__).parents[3] / "examples"
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
