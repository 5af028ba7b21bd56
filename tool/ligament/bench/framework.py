# SPDX-License-Identifier: Apache-2.0
"""What all benchmarks share: the table, the context, the rows, programs that print rows.

To add one: a module with `measure(quick) -> rows` and its goals in FIGURES (`goals.py`), a line in
BENCHES, a page in benchmarks/ (`ligament bench pages` writes its figures).
One with options of its own names a frozen dataclass in its line: each field is an option in typer's
form (`bytes: Annotated[str, typer.Option("--bytes", help="...")] = ""`), shown by
`ligament bench NAME --help`; it is called as `measure(quick, options)`. One that compares returns a
`Measured`, and one with a table of its own has a `print_result(console, result)` in its module.
"""

from __future__ import annotations

import importlib
import json
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from ligament import __version__, resources
from ligament.bench.goals import Figures, failures
from ligament.errors import FailureError, InputError, Problem, listing, nearest
from ligament.run.context import describe_context

SCHEMA = "ligament/bench/1"
ROW_KEYS = ("bench", "params", "peer", "metric", "unit", "n", "p50", "p99", "mean", "sd")

Row = dict[str, Any]


@dataclass
class Measured:
    """What a benchmark returns that has more to say than rows."""

    rows: list[Row]
    #: Ratios and differences between rows of one run; spec/report/bench.schema.json has the form.
    comparisons: list[dict[str, Any]] = field(default_factory=list)
    #: Sentences that a reader of the rows must know.
    notes: list[str] = field(default_factory=list)
    #: What was asked for and could not be measured: all is printed and written, then exit 1.
    failures: list[str] = field(default_factory=list)
    #: What else took part, for the context.
    versions: dict[str, str] = field(default_factory=dict)


Measure = Callable[..., list[Row] | Measured]


@dataclass(frozen=True)
class Bench:
    """A line of the table."""

    name: str
    module: str
    question: str
    #: Name in its module of the dataclass of its own options; empty: it has none.
    options: str = ""

    def own_options(self) -> type | None:
        """The dataclass of its own options."""
        if not self.options:
            return None
        return cast(type, getattr(importlib.import_module(self.module), self.options))

    def figures(self) -> Figures:
        """Its goals and what its page shows; none where it has no page."""
        found = getattr(importlib.import_module(self.module), "FIGURES", None)
        return found if isinstance(found, Figures) else Figures((), {})


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
    Bench(
        "hmt",
        "ligament.bench.hmt",
        "How many cycles does a message take between nodes in hardware, and what does that cost?",
        options="Options",
    ),
    Bench(
        "gateway",
        "ligament.bench.gateway",
        "What does a gateway gain over a topic in memory, for cores and for software?",
        options="Options",
    ),
    Bench("floor", "ligament.bench.floor", "What does the machine charge for a wake-up?"),
    Bench(
        "scale",
        "ligament.bench.scale",
        "What do 10, 50 and 200 nodes cost to start and to keep, and do they slow a message?",
        options="Options",
    ),
    Bench(
        "trace",
        "ligament.bench.trace",
        "What do trace events cost, off and on, and how fast are recordings read?",
        options="Options",
    ),
    Bench(
        "dds",
        "ligament.bench.dds",
        "What does a message cost between hosts through our edges, beside the engine's own API?",
        options="Options",
    ),
    Bench(
        "uma",
        "ligament.bench.uma",
        "What does ROS between a CPU and a GPU node cost over the same work without it?",
        options="Options",
    ),
    Bench(
        "transport",
        "ligament.bench.transport",
        "What does a message cost between processes, beside peers and bare floors?",
        options="Options",
    ),
)


def find_bench(name: str) -> Bench:
    """The line of that name."""
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
    return bench


def run_bench(name: str, quick: bool, options: Any = None) -> dict[str, Any]:
    """Measure, and return the result file's content."""
    bench = find_bench(name)
    measure = cast(Measure, importlib.import_module(bench.module).measure)
    context = {
        "date": datetime.now(UTC).date().isoformat(),
        **describe_context(Path(__file__).parent, {"ligament": __version__}),
    }
    measured = measure(quick) if options is None else measure(quick, options)
    if not isinstance(measured, Measured):
        measured = Measured(measured)
    context["versions"].update(measured.versions)
    result = {"schema": SCHEMA, "context": {**context, "quick": quick}, "rows": measured.rows}
    extra = {key: getattr(measured, key) for key in ("comparisons", "notes", "failures")}
    result |= {key: value for key, value in extra.items() if value}
    if missed := failures(bench.figures(), result):
        result["failures"] = [*measured.failures, *missed]
    return result


def result_text(result: dict[str, Any]) -> str:
    """A result file: a row per line, which is a third of its size and what a diff shows."""
    parts = []
    for key, value in result.items():
        if key in ("rows", "comparisons"):
            lines = ",\n".join(f"    {json.dumps(_rounded(row))}" for row in value)
            parts.append(f'  "{key}": [\n{lines}\n  ]')
        else:
            parts.append(f'  "{key}": ' + json.dumps(value, indent=2).replace("\n", "\n  "))
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _rounded(row: dict[str, Any]) -> dict[str, Any]:
    """Ten digits: a count of cycles or nanoseconds is whole, a ratio has no more to say."""
    return {k: float(f"{v:.10g}") if isinstance(v, float) else v for k, v in row.items()}


def program(name: str) -> Path:
    """A benchmark program, where the runtime's installation puts it."""
    path = resources.prefix() / "lib" / "ligament" / name
    if not path.is_file():
        raise FailureError(
            f"the benchmark program {path} is missing",
            hint="make bench builds them all (the set-up of the demo leaves them out)",
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
