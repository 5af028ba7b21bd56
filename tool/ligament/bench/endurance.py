# SPDX-License-Identifier: Apache-2.0
"""Figures of what is no bench: the reports of `make soak` and `make fuzz` as rows."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ligament.bench.goals import Figures, Goal

FIGURES = Figures(
    goals=(
        Goal("kills in {minutes} minutes", "kills"),
        Goal("violations of the pool's promises", "violations", 0, exact=True),
        Goal("a killed holder's blocks are back, p99", "blocks_back", 10, value="p99",
             why={"soak": "processes waited for a core beside compilers and simulators; without "
                          "that wait the goal is reached"}),
        Goal(
            "the same, without what processes waited for a core, p99",
            "blocks_back_own", 10, value="p99",
        ),
        Goal("executions with `{sanitizers}`", "executions"),
        Goal("findings with `{sanitizers}`", "findings", 0, exact=True),
    ),
    results={
        "soak": "an hour beside compilers and simulators",
        "soak_quiet": "seven minutes alone on the machine",
        "fuzz": "all fuzz targets of pool, edge, agent, client and rings",
    },
)  # fmt: skip


def result_of(path: Path) -> dict[str, Any]:
    """In the form of a bench's result."""
    told = json.loads(path.read_text(encoding="utf-8"))
    if "runs" in told:
        commits = list(dict.fromkeys(run["commit"] for run in told["runs"]))
        context = {"commit": f"{commits[0]} to {commits[-1]}", "command": ["dev/fuzz"]}
        return {"context": context, "rows": _fuzz_rows(told["runs"])}
    context, back = told["context"], told["blocks_back_ms"]
    minutes = {"minutes": round(told["seconds"] / 60)}
    return {
        "context": {
            "machine": {
                "cpu": context["architecture"],
                "cores": context["cores"],
                "os": "Linux",
                "kernel": context["system"],
            },
            "date": datetime.fromtimestamp(context["ended"], UTC).date().isoformat(),
            "commit": context["commit"],
            "versions": {},
            "command": ["dev/soak", "--minutes", str(minutes["minutes"])],
        },
        "rows": [
            _row("kills", "kills", told["kills"], minutes),
            _row("violations", "1", 0 if told["result"] == "no violation" else 1, minutes),
            _row("blocks_back", "ms", back["p99"], minutes),
            _row("blocks_back_own", "ms", back["own_p99"], minutes),
        ],
    }


def _row(metric: str, unit: str, value: float, params: dict[str, Any]) -> dict[str, Any]:
    head = {"bench": "soak", "params": params, "peer": "ligament", "metric": metric, "unit": unit}
    return {**head, "n": 1, "p50": value, "p99": value, "mean": value, "sd": 0.0}


def _fuzz_rows(runs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    rows = []
    for kind in dict.fromkeys(run["sanitizers"] for run in runs):
        of_kind = [run for run in runs if run["sanitizers"] == kind]
        for metric, unit in (("executions", "executions"), ("findings", "1")):
            total = sum(run[metric] for run in of_kind)
            rows.append(_row(metric, unit, total, {"sanitizers": kind}))
    return rows
