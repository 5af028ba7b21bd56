# SPDX-License-Identifier: Apache-2.0
"""The trace stage: a run's recording becomes its event table and a timeline for Perfetto."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ligament.errors import InputError, Problem
from ligament.trace.convert import Conversion, convert
from ligament.trace.hosts import merge_hosts
from ligament.trace.perfetto import write_timeline


@dataclass(frozen=True)
class Traced:
    """What was left in the folder of a run or of an import."""

    folder: Path
    conversion: Conversion
    timeline: Path
    timeline_is_whole: bool


def trace_run(folder: Path) -> Traced:
    """Convert the recording of a run. What was converted before is made again."""
    folder = folder.parent if folder.name == "run.json" else folder
    recording = recording_of(folder)
    run = _read_run(folder)
    if len(run.get("hosts", ())) > 1:
        return with_timeline(folder, merge_hosts(folder, run))
    return with_timeline(folder, convert(recording, folder / "events.parquet"))


def with_timeline(folder: Path, conversion: Conversion) -> Traced:
    """Write the timeline of what was converted into the folder."""
    timeline = folder / "timeline.json"
    return Traced(folder, conversion, timeline, write_timeline(conversion.path, timeline))


def recording_of(folder: Path) -> Path:
    """Where a run's recording lies: run.json says it."""
    return folder / str(_trace_entry(folder)["dir"])


def environment_of(folder: Path) -> dict[str, str]:
    """What a process needs in its environment to be recorded with a run that is in progress.

    By the last two it is of that run: `ligament top` shows a ROS 2 node on rmw_ligament_cpp.
    """
    found: dict[str, str] = _trace_entry(folder).get("environment") or {}
    if not found:
        raise InputError(
            Problem(
                "run-ended",
                f"{folder} is recorded no more: the run has ended",
                hint="ask while `ligament run --trace` is running",
            )
        )
    return {
        **found,
        "LIGAMENT_RUN_ID": str(_read_run(folder).get("run_id", "")),
        "LIGAMENT_RUN_DIR": str(folder.resolve()),
    }


def _read_run(folder: Path) -> dict[str, Any]:
    path = folder / "run.json"
    if not path.is_file():
        raise InputError(
            Problem(
                "run-unreadable",
                f"{folder} is no run: there is no run.json in it",
                hint="name the folder that `ligament run` printed",
            )
        )
    run: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return run


def _trace_entry(folder: Path) -> dict[str, Any]:
    trace: dict[str, Any] | None = _read_run(folder).get("trace")
    if not trace:
        raise InputError(
            Problem(
                "run-not-traced",
                f"{folder} was run without --trace",
                hint="record it: ligament run GRAPH --trace",
            )
        )
    return trace
