# SPDX-License-Identifier: Apache-2.0
"""FuseSoC takes an exported folder as a library: it lints and simulates the core."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest
from folders import VERILATOR, exported

needs_fusesoc = pytest.mark.skipif(
    importlib.util.find_spec("fusesoc") is None,
    reason="needs the Python package fusesoc (test extras)",
)


def fusesoc(folder: Path, *words: str) -> str:
    """Run it in a folder of its own, with our Verilator; return what it said."""
    path = f"{VERILATOR.parent}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "HOME": str(folder), "XDG_CACHE_HOME": str(folder)}
    command = [sys.executable, "-c", "from fusesoc.main import main; main()", *words]
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@needs_fusesoc
def test_its_core_is_linted_and_simulated(tmp_path: Path) -> None:
    result = exported(tmp_path)
    project = tmp_path / "project"
    project.mkdir()
    core = f"ligament:design:{result.data['top']}"
    fusesoc(project, "library", "add", "design", str(result.folder))
    assert core in fusesoc(project, "core", "list")
    fusesoc(project, "run", "--target=lint", core)
    assert "PASS" in fusesoc(project, "run", "--target=sim", core)
