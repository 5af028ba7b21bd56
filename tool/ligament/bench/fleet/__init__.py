# SPDX-License-Identifier: Apache-2.0
"""`ligament bench fleet`: benchmarks/fleet/README.md says what is measured and how."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ligament.bench.fleet.cells import OURS, Cell, cells
from ligament.bench.fleet.figures import (
    FIGURES,
    measured_rows,
    on_paper,
    predicted_rows,
    with_predictions,
)
from ligament.bench.fleet.hosts import MOST_HOSTS, why_not
from ligament.bench.fleet.picture import growth_of
from ligament.bench.fleet.runs import run_once
from ligament.bench.measuring import Measured, say
from ligament.bench.options import option, with_words
from ligament.errors import FailureError

__all__ = ["FIGURES", "Options", "measure", "other_texts"]

#: What nobody here can measure: 100 hosts, 10,000 topics, each read on two others.
FLEET = Cell(100, 100)


@dataclass(frozen=True)
class Options:
    """In typer's form."""

    hosts: int = option(20, "Leave out fleets of more hosts.", min=1, max=MOST_HOSTS)
    only: str = option("", "Fleets whose title has all these words, e.g. `fastdds 5`.")


def measure(quick: bool, options: Options) -> Measured:
    """All fleets, measured and simulated; without root, simulated alone."""
    asked = with_words(options.only, cells(quick, options.hosts))
    reason = why_not()
    result = Measured([])
    if reason:
        result.failures.append(f"nothing could be measured: {reason}; simulated alone")
    for place, cell in enumerate(asked, 1):
        say("fleet", f"{place}/{len(asked)}: {cell.title}")
        if not reason:
            with result.attempt(cell.title):
                result.rows += measured_rows(cell, run_once(cell))
        if cell.peer == OURS:
            result.rows += predicted_rows(cell)
    if not quick and not options.only:
        say("fleet", f"simulated: {FLEET.title}")
        result.rows += on_paper(FLEET, gap_s=1.0)
    result.rows = with_predictions(result.rows)
    result.notes.append(
        "start: until 6 s after all is matched, hosts started one after the other without a pause; "
        "hosts share this machine's cores"
    )
    return result


def other_texts(root: Path) -> dict[Path, str]:
    """The picture of growth, from the kept result."""
    path = root / "results" / "fleet.json"
    if not path.is_file():
        raise FailureError(f"the result {path} is missing", hint="ligament bench fleet --json FILE")
    return {root / "fleet" / "growth.svg": growth_of(path)}
