# SPDX-License-Identifier: Apache-2.0
"""`ligament bench record`: benchmarks/record/README.md says what and how."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

from ligament.bench.goals import Figures, Goal
from ligament.bench.measuring import (
    OURS,
    Measured,
    comparison,
    in_turn,
    make_row,
    program,
    say,
    told_by,
)
from ligament.bench.options import option
from ligament.errors import InputError, Problem

PLAIN = "plain write"
#: Bytes of a message, and how many: about as many bytes each, but for small ones.
_CELLS = {8_000_000: 125, 1_000_000: 1000, 100_000: 10_000, 10_000: 50_000}
_LARGE = {"bytes": (100_000, 1_000_000, 8_000_000)}
FIGURES = Figures(
    goals=(
        Goal("recorded per second, messages of {size}", "rate", 1e9, at_least=True),
        Goal("time over plain write, {size}", "time_per_byte", 1.5, _LARGE, against=PLAIN),
        Goal(
            "time over plain write, {size}", "time_per_byte", None, {"bytes": 10_000}, against=PLAIN
        ),
    ),
    results={"record": "to a file system in memory"},
    floors=(PLAIN,),
)


@dataclass(frozen=True)
class Options:
    """Options of its own."""

    folder: str = option("/dev/shm", "Where to write; a fast disk, or memory.")


def measure(quick: bool, options: Options | None = None) -> Measured:
    """The recorder and plain `write`, in turn."""
    where = Path((options or Options()).folder)
    if not where.is_dir():
        raise InputError(Problem("folder-missing", f"there is no folder '{where}'"))
    result = Measured([])
    for size, count in _CELLS.items():
        say("record", f"{count} messages of {size} bytes")
        measure_cell(size, count // (4 if quick else 1), 3 if quick else 11, where, result)
    return result


def measure_cell(size: int, count: int, passes: int, where: Path, result: Measured) -> None:
    """One size of messages; the first pass warms up."""
    times: dict[str, list[float]] = {OURS: [], PLAIN: []}
    for number in range(passes + 1):
        for who in in_turn([OURS, PLAIN], number):
            with tempfile.TemporaryDirectory(dir=where) as folder:
                command = [str(program("ligament-bench-record")), folder]
                command += ["--bytes", str(size), "--count", str(count)]
                took = told_by([*command, *(["--plain"] if who == PLAIN else [])])["ns"]
            if number:
                times[who].append(took / (size * count))
    params = {"bytes": size, "count": count}
    for who, values in times.items():
        rates = [1e9 / value for value in values]
        result.rows += [
            make_row("record", params, "time_per_byte", "ns", values, who),
            make_row("record", params, "rate", "B/s", rates, who),
        ]
    pairs = list(zip(times[OURS], times[PLAIN], strict=True))
    result.comparisons += comparison(params, "time_per_byte", PLAIN, pairs)
