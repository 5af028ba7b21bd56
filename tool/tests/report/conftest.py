# SPDX-License-Identifier: Apache-2.0
"""Traces and runs for the tests of the report."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from made_up_traces import Trace


@pytest.fixture
def trace() -> Trace:
    """An empty trace with the graph's names in it."""
    return Trace().names()


MakeRun = Callable[..., Path]


@pytest.fixture
def make_run(tmp_path: Path) -> MakeRun:
    """A run's folder with an event table, outputs and counters."""
    return run_maker(tmp_path)


@pytest.fixture(scope="session")
def make_lasting_run(tmp_path_factory: pytest.TempPathFactory) -> MakeRun:
    """As make_run, for runs that many tests look at and none changes."""
    return run_maker(tmp_path_factory.mktemp("runs"))


def run_maker(tmp_path: Path) -> MakeRun:
    """What makes run folders below a folder."""

    def make(trace: Trace, variant: str = "one", hashes: dict[int, str] | None = None,
             lost: int = 0, **metadata: Any) -> Path:  # fmt: skip
        folder = tmp_path / variant / "runs" / "r1"
        (folder / "outputs").mkdir(parents=True)
        (tmp_path / variant / "build.json").write_text(json.dumps({"check": {"sink": "/sink"}}))
        frames = hashes if hashes is not None else {0: "a", 1: "b", 2: "c"}
        lines = [json.dumps({"index": index, "hash": text}) for index, text in frames.items()]
        (folder / "outputs" / "sink.jsonl").write_text("\n".join(lines))
        status = {"event": "status", "container": "c", "nodes": [
            {"id": "/sink", "cpu_ns": 7, "subscriptions": [{"lost": 2, "copies": 1}]}]}  # fmt: skip
        (folder / "status.jsonl").write_text(json.dumps(status) + '\n{"event": "cut')
        run = {
            "schema": "ligament/run/1", "graph": "g", "variant": variant, "run_id": variant,
            "state": "finished", "trace": {"dir": "trace", "events_discarded": lost},
            "outputs": [{"path": "outputs/sink.jsonl", "node": "/sink", "size_bytes": 1}],
            "context": {"machine": {}, "commit": None, "command": [], "versions": {}},
        }  # fmt: skip
        (folder / "run.json").write_text(json.dumps(run))
        trace.write(folder / "events.parquet", **metadata)
        return folder

    return make
