# SPDX-License-Identifier: Apache-2.0
"""What benches measure with: programs, turns, rows, comparisons. A bench adds what it measures.

for number in range(passes):
    for contestant in in_turn(contestants, number):
        with measured.attempt(contestant.title):
            told = told_by([str(program("ligament-bench-x")), contestant.name])
            measured.rows.append(make_row("x", params, "time", "ns", told["time_ns"]))
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from ligament import resources
from ligament.bench.intervals import interval_of
from ligament.errors import FailureError, listing
from ligament.report.statistics import summarise

#: Of the checkout that this runs from; installed, there is none, and what needs one says so.
REPOSITORY = Path(__file__).resolve().parents[3]
ROW_KEYS = ("bench", "params", "peer", "metric", "unit", "n", "p50", "p99", "mean", "sd")
OURS = "ligament"

Row = dict[str, Any]
Item = TypeVar("Item")


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

    @contextmanager
    def attempt(self, what: str) -> Iterator[None]:
        """What fails in here is told, and costs its own rows alone."""
        try:
            yield
        except FailureError as error:
            self.failures.append(f"{what}: {error}")


def say(bench: str, text: str) -> None:
    """A line of progress: stdout is for the table."""
    print(f"{bench}: {text}", file=sys.stderr, flush=True)


def in_turn(items: Sequence[Item], number: int) -> list[Item]:
    """All of them, beginning with another one in each pass."""
    first = number % len(items) if items else 0
    return [*items[first:], *items[:first]]


# --- programs ------------------------------------------------------------------------------------


def program(name: str) -> Path:
    """A benchmark program, where the runtime's installation puts it."""
    path = resources.prefix() / "lib" / "ligament" / name
    if not path.is_file():
        raise FailureError(
            f"the benchmark program {path} is missing",
            hint="make bench builds them all (the set-up of the demo leaves them out)",
        )
    return path


def output_of(
    command: Sequence[str],
    what: str = "the benchmark failed",
    environment: Mapping[str, str] | None = None,
    timeout_s: float | None = None,
) -> str:
    """What a program printed; FailureError with what it said last if it did not end well."""
    try:
        ended = subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=False,
            timeout=timeout_s,
            env={**os.environ, **(environment or {})},
        )
    except subprocess.TimeoutExpired as error:
        raise FailureError(f"it did not end within {timeout_s} s", command=command) from error
    if ended.returncode != 0:
        reason = said_last(ended.stdout + ended.stderr, ended.returncode, Path(command[0]).name)
        raise FailureError(f"{what}: {reason}", command=command)
    return ended.stdout


def said_last(text: str, status: int, name: str) -> str:
    """Why a program ended: its own last sentence, else its first errors, else its last line."""
    lines = text.strip().splitlines()
    own = [line for line in lines if line.startswith(f"{name}: ")]
    errors = [line for line in lines if "rror" in line or "[ERROR]" in line]
    if found := own[-1:] or errors[:3] or lines[-1:]:
        return f"{'; '.join(found)} (exit {status})"
    return f"exit {status}"


def told_by(command: Sequence[str], what: str = "the benchmark failed", **more: Any) -> Any:
    """The line of JSON that a program prints last."""
    return json.loads(output_of(command, what, **more).splitlines()[-1])


def rows_of(command: list[str]) -> list[Row]:
    """Run a program that prints one row per line, and check that they are rows."""
    rows = [json.loads(ln) for ln in output_of(command).splitlines() if ln.startswith("{")]
    for row in rows:
        if missing := [key for key in ROW_KEYS if key not in row]:
            text = f"a row of the benchmark lacks {listing(missing)}: {json.dumps(row)[:200]}"
            raise FailureError(text, command=command)
    if not rows:
        raise FailureError("the benchmark printed no rows", command=command)
    return rows


# --- rows ----------------------------------------------------------------------------------------


def make_row(
    bench: str, params: Mapping[str, Any], metric: str, unit: str, values: Any, peer: str = OURS
) -> Row:
    """A row of values: one, several, or their summary of `report.statistics`."""
    summary = values
    if not isinstance(values, Mapping):
        summary = summarise([values] if isinstance(values, int | float) else values)
    head = {"bench": bench, "params": dict(params), "peer": peer, "metric": metric, "unit": unit}
    return {**head, **{key: summary[key] for key in ("n", "p50", "p99", "mean", "sd")}}


def comparison(
    params: Mapping[str, Any],
    metric: str,
    peer: str,
    pairs: Sequence[tuple[float, float]],
    contestant: str = "",
    difference_in: str = "",
) -> list[dict[str, Any]]:
    """Ours against a peer, pass by pass: their ratio, and their difference where it has a unit."""
    if not pairs:
        return []
    kinds = [("ratio", "1", [ours / other for ours, other in pairs])]
    if difference_in:
        kinds.append(("difference", difference_in, [ours - other for ours, other in pairs]))
    head = {"params": dict(params), "metric": metric, "peer": peer}
    if contestant:
        head["contestant"] = contestant
    return [
        {**head, "kind": kind, "unit": unit, **asdict(interval_of(values))}
        for kind, unit, values in kinds
    ]
