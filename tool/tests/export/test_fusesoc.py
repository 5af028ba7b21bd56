# SPDX-License-Identifier: Apache-2.0
"""FuseSoC takes an exported folder as a library: it lints and simulates the core."""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from folders import exported

needs_fusesoc = pytest.mark.skipif(
    importlib.util.find_spec("fusesoc") is None,
    reason="needs the Python package fusesoc (test extras)",
)


def fusesoc(folder: Path, exported: Path, *words: str) -> str:
    """Run it in a folder of its own, with Verilator as the README says; return what it said."""
    lines = re.findall(r"^ +\$ (export .*)$", (exported / "README.md").read_text(), re.MULTILINE)
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "HOME": str(folder), "XDG_CACHE_HOME": str(folder)}
    run = [sys.executable, "-c", "from fusesoc.main import main; main()", *words]
    command = ["bash", "-c", "\n".join([*lines, shlex.join(run)])]
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@needs_fusesoc
def test_its_core_is_linted_and_simulated_as_its_readme_says(tmp_path: Path) -> None:
    result = exported(tmp_path)
    project = tmp_path / "project"
    project.mkdir()
    core = f"ligament:design:{result.data['top']}"
    (added,) = re.findall(r"`fusesoc (library add .*?)`", (result.folder / "README.md").read_text())
    words = added.replace("PATH_OF_THIS_FOLDER", str(result.folder)).split()
    fusesoc(project, result.folder, *words)
    assert core in fusesoc(project, result.folder, "core", "list")
    fusesoc(project, result.folder, "run", "--target=lint", core)
    assert "PASS" in fusesoc(project, result.folder, "run", "--target=sim", core)
