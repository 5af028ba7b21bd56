# SPDX-License-Identifier: Apache-2.0
"""The back-end `fpga_uio` against stand-ins: exported designs, each in a process of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from folders import EXAMPLES
from runtime_programs import find_helper

from ligament.export import Asked, export
from ligament.export.stand_in import build
from ligament.graph.schema import validate
from ligament.graph.source import Document
from ligament.pipeline import Request

UPPER = Path(__file__).with_name("upper")
#: By the name that the runtime's tests know it by: graph, platform.
BOARDS = {
    "upper": (UPPER, "fpga_sim"),
    "pages": (UPPER, "fpga_sim_pages"),
    "threshold": (EXAMPLES / "threshold", "fpga_sim"),
}


@pytest.fixture(scope="module")
def boards(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Export.json and stand-in of each board."""
    root = tmp_path_factory.mktemp("boards")
    for name, (graph, platform) in BOARDS.items():
        request = Request(graph / "graph.yaml", "hardware", platform, root / "build" / name)
        made = export(request, Asked("fusesoc", folder=root / "export" / name))
        assert not validate(Document("export.json", dict(made.data)), "export")
        (root / name).mkdir()
        shutil.copy(made.folder / "export.json", root / name)
        shutil.copy(build(made.folder), root / name / "stand-in")
    return root


@pytest.mark.parametrize("chosen", ["Backends/*fpga_uio*", "Boards.*"])
def test_it_keeps_the_contract_and_survives_broken_boards(chosen: str, boards: Path) -> None:
    words = [str(find_helper("test_device")), f"--gtest_filter={chosen}"]
    environment = {**os.environ, "LIGAMENT_TEST_BOARDS": str(boards)}
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "[  SKIPPED ]" not in done.stdout and " 0 tests" not in done.stdout


def test_a_folder_without_a_stand_in_is_told(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "ligament.export.stand_in", str(tmp_path), str(tmp_path / "at")]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "is no exported folder with a stand-in" in done.stderr
