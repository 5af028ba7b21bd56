# SPDX-License-Identifier: Apache-2.0
"""Runs whose chains are known exactly."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_up_runs import GRAPH, write_run


@pytest.fixture
def graph_file(tmp_path: Path) -> Path:
    """A graph of camera, rectify, resize and sink."""
    path = tmp_path / "graph.yaml"
    path.write_text(GRAPH)
    return path


@pytest.fixture
def run_dir(tmp_path: Path) -> Path:
    """A traced run of it in four processes, 60 frames of the same length."""
    return write_run(tmp_path / "build")
