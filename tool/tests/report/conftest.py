# SPDX-License-Identifier: Apache-2.0
"""Traces and runs for the tests of the report."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_up_traces import MakeRun, Trace, run_maker


@pytest.fixture
def trace() -> Trace:
    """An empty trace with the graph's names in it."""
    return Trace().names()


@pytest.fixture
def make_run(tmp_path: Path) -> MakeRun:
    """A run's folder with an event table, outputs and counters."""
    return run_maker(tmp_path)


@pytest.fixture(scope="session")
def make_lasting_run(tmp_path_factory: pytest.TempPathFactory) -> MakeRun:
    """As make_run, for runs that many tests look at and none changes."""
    return run_maker(tmp_path_factory.mktemp("runs"))
