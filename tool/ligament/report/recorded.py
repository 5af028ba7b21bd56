# SPDX-License-Identifier: Apache-2.0
"""Which of several runs can be reported: those that were recorded; and what is no run at all."""

from __future__ import annotations

import json
from pathlib import Path

from ligament.errors import InputError, Problem


def recorded(paths: list[Path]) -> tuple[list[Path], list[Path]]:
    """Part runs into those that were recorded and those that were not; raise if none was.

    A pattern as `runs/*` names runs without `--trace` as well. A run that is named alone is kept,
    as is what is no run: what reads them says what is wrong.
    """
    if len(paths) == 1:
        return paths, []
    left_out = [path for path in paths if _is_untraced(path)]
    if len(left_out) == len(paths):
        raise InputError(
            Problem(
                "run-not-traced",
                f"all {len(paths)} runs were run without --trace",
                hint="record one: ligament run GRAPH --trace",
            )
        )
    return [path for path in paths if path not in left_out], left_out


def _is_untraced(path: Path) -> bool:
    """Whether it is a run of ours with neither a recording nor an event table."""
    folder = path.parent if path.name == "run.json" else path
    try:
        run = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    table = (folder / "events.parquet").is_file()
    return isinstance(run, dict) and not run.get("trace") and not table


def unread(path: Path, name: str, error: Exception) -> str:
    """Say why there is no run.json or report.json at a path that a user named.

    A shell leaves a pattern that fits nothing as it is.
    """
    if set("*?[") & set(str(path)) and not path.exists():
        return f"no folder matches '{path}'"
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        is_file = path.suffix == ".json"
        return f"there is no file '{path}'" if is_file else f"there is no {name} in '{path}'"
    return f"{path} is no {name.removesuffix('.json')}: {error}"
