# SPDX-License-Identifier: Apache-2.0
"""The driving graph with its real nodes: compiled once for all workers, a copy for each file."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from driving_graph import GRAPH, VARIANTS
from driving_ros import LIGAMENT, dds_domain, environment


@pytest.fixture(scope="session")
def built_lanes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the built graph, with its variants."""
    environment(0)  # skips where ROS 2 or the simulator is missing
    root = tmp_path_factory.getbasetemp()
    if os.environ.get("PYTEST_XDIST_WORKER"):
        root = root.parent
    with (root / "lanes.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for variant in VARIANTS:
            if not (root / "lanes" / "driving_lanes" / variant / "build.json").exists():
                words = ["build", str(GRAPH), "-v", variant, "-o", str(root / "lanes")]
                subprocess.run([*LIGAMENT, *words], check=True)
    return root / "lanes" / "driving_lanes"


@pytest.fixture(scope="module")
def lanes(built_lanes: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of it, with the runs of one file of tests."""
    place = tmp_path_factory.mktemp("driving") / "driving_lanes"
    shutil.copytree(built_lanes, place, ignore=shutil.ignore_patterns("work", "runs"))
    return place


@pytest.fixture
def domain_id() -> Iterator[int]:
    """A ROS domain of a test's own."""
    with dds_domain() as taken:
        yield taken
