# SPDX-License-Identifier: Apache-2.0
"""What all benchmarks share: the table, the context, the rows, programs that print rows.

To add one: a module with `measure(quick) -> rows`, a line in BENCHES, a page in benchmarks/.
"""

from __future__ import annotations

import importlib
import json
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from ligament import __version__, resources
from ligament.errors import FailureError, InputError, Problem, listing, nearest
from ligament.run.context import describe_context

SCHEMA = "ligament/bench/1"
ROW_KEYS = ("bench", "params", "peer", "metric", "unit", "n", "p50", "p99", "mean", "sd")

Row = dict[str, Any]
Measure = Callable[[bool], list[Row]]


@dataclass(frozen=True)
class Bench:
    """A line of the table."""

    name: str
    module: str
    question: str


BENCHES: tuple[Bench, ...] = (
    Bench(
        "messages",
        "ligament.bench.messages",
        "What do views, builders and codec cost above a memcpy of the same bytes?",
    ),
    Bench(
        "perception",
        "ligament.bench.perception",
        "Which share of the perception chain is message passing?",
    ),
    Bench("floor", "ligament.bench.floor", "What does the machine charge for a wake-up?"),
)


def run_bench(name: str, quick: bool) -> dict[str, Any]:
    """Measure, and return the result file's content."""
    bench = next((b for b in BENCHES if b.name == name), None)
    if bench is None:
        names = [b.name for b in BENCHES]
        raise InputError(
            Problem(
                "bench-unknown",
                f"there is no benchmark '{name}'",
                expected=listing(names),
                hint=nearest(name, names),
            )
        )
    measure = cast(Measure, importlib.import_module(bench.module).measure)
    context = describe_context(Path(__file__).parent, {"ligament": __version__})
    rows = measure(quick)
    return {"schema": SCHEMA, "context": {**context, "quick": quick}, "rows": rows}


def program(name: str) -> Path:
    """A benchmark program, where the runtime's installation puts it."""
    path = resources.prefix() / "lib" / "ligament" / name
    if not path.is_file():
        raise FailureError(
            f"the benchmark program {path} is missing",
            hint="build the runtime with LIGAMENT_BUILD_BENCHMARKS=ON and install it (make setup)",
        )
    return path


def rows_of(command: list[str]) -> list[Row]:
    """Run a program that prints one row per line, and check that they are rows."""
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        said = result.stderr.strip().splitlines()[-1:] or [f"exit {result.returncode}"]
        raise FailureError(f"the benchmark failed: {said[0]}", command=command)
    rows = []
    for line in result.stdout.splitlines():
        if not line.startswith("{"):
            continue
        row = json.loads(line)
        missing = [key for key in ROW_KEYS if key not in row]
        if missing:
            text = f"a row of the benchmark lacks {listing(missing)}: {line[:200]}"
            raise FailureError(text, command=command)
        rows.append(row)
    if not rows:
        raise FailureError("the benchmark printed no rows", command=command)
    return rows


def make_row(
    bench: str,
    params: dict[str, Any],
    metric: str,
    unit: str,
    summary: dict[str, Any],
    peer: str = "ligament",
) -> Row:
    """A row from a summary of `report.statistics`."""
    head = {"bench": bench, "params": params, "peer": peer, "metric": metric, "unit": unit}
    return {**head, **{key: summary[key] for key in ("n", "p50", "p99", "mean", "sd")}}
