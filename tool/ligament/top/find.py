# SPDX-License-Identifier: Apache-2.0
"""Which run is meant: a run's folder, a graph's, or the one that runs now."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ligament.errors import InputError, Problem, listing

RUN = "run.json"
_BELOW = ("runs/*", "*/runs/*", "*/*/runs/*")
"""Runs of a variant, of a graph, of all graphs below a folder."""


def find_run(target: Path) -> Path:
    """The folder of the run: the named one, else the running one below the folder."""
    folder = target.parent if target.name == RUN else target
    if (folder / RUN).is_file():
        return folder
    found = _runs_below(folder)
    running = [run for run in found if read_run(run).get("state") == "running"]
    if not running:
        what = f"{len(found)} runs, and none of them is running" if found else "no run"
        raise InputError(
            Problem(
                "nothing-runs",
                f"below {folder} there is {what}" if not found else f"below {folder} are {what}",
                hint="start one: ligament run GRAPH; or name a run's folder to see how it ended",
            )
        )
    return max(running, key=lambda run: _changed(run / "status.jsonl"))


def no_such_run(target: str, out: Path) -> Problem:
    """What is said of a name that is no graph and no run: which graphs run."""
    runs = [read_run(run) for run in _runs_below(out)]
    running = sorted({run["graph"] for run in runs if run.get("state") == "running"})
    return Problem(
        "file-missing",
        f"there is no graph or run '{target}'",
        expected="a running graph's name, its graph.yaml, or a run's folder",
        hint=f"below {out} {'run' if len(running) > 1 else 'runs'} {listing(running)}"
        if running
        else f"below {out} nothing runs; start a graph: ligament run GRAPH",
    )


def _runs_below(folder: Path) -> list[Path]:
    return [path.parent for below in _BELOW for path in folder.glob(f"{below}/{RUN}")]


def read_run(folder: Path) -> dict[str, Any]:
    """A run's run.json; what cannot be read is an empty one, since a run may just be starting."""
    try:
        data = json.loads((folder / RUN).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return data if isinstance(data, dict) and data.get("schema") == "ligament/run/1" else {}


def _changed(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
