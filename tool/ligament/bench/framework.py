# SPDX-License-Identifier: Apache-2.0
"""All benchmarks: their table, running one, its result file.

To add one: a module with `measure(quick) -> rows` and its goals in FIGURES (`goals.py`), a line in
BENCHES, a page in benchmarks/ (`ligament bench pages` writes its figures). It measures with
`measuring.py`, reads lists with `options.py` and shows with `showing.py`.
One with options of its own has a frozen dataclass `Options` in its module (another says
`has_options=False` in its line): each field is an `option` (`options.py`), shown by `ligament bench
NAME --help`; it is called as `measure(quick, options)`. One that compares returns a `Measured`, and
one with a table of its own has a `print_result(console, result)` in its module.

What is left in a bench is its cells, how its own programs are started and what these print, its
checks of the figures, and its goals: of no two benches the same.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from ligament import __version__
from ligament.bench.goals import Figures, failures
from ligament.bench.measuring import Measured, Row
from ligament.errors import InputError, no_such
from ligament.run.context import describe_context

SCHEMA = "ligament/bench/1"

Measure = Callable[..., list[Row] | Measured]


@dataclass(frozen=True)
class Bench:
    """A line of the table: the name of its module, and what it is to answer."""

    name: str
    question: str
    #: It has `Options`: other modules are not loaded to show what options there are.
    has_options: bool = True

    def module(self) -> ModuleType:
        """What measures."""
        return importlib.import_module(f"ligament.bench.{self.name}")

    def own_options(self) -> type | None:
        """The dataclass of its own options, if it has any."""
        return cast(type, self.module().Options) if self.has_options else None

    def figures(self) -> Figures:
        """Its goals and what its page shows; none where it has no page."""
        found = getattr(self.module(), "FIGURES", None)
        return found if isinstance(found, Figures) else Figures((), {})


BENCHES: tuple[Bench, ...] = (
    Bench(
        "messages",
        "What do views, builders and codec cost above a memcpy of the same bytes?",
        has_options=False,
    ),
    Bench(
        "perception",
        "Which share of the perception chain is message passing?",
        has_options=False,
    ),
    Bench(
        "hmt",
        "How many cycles does a message take between nodes in hardware, and what does that cost?",
    ),
    Bench(
        "gateway",
        "What does a gateway gain over a topic in memory, for cores and for software?",
    ),
    Bench(
        "agent",
        "What does the agent of microcontrollers cost over receiving the same datagrams?",
        has_options=False,
    ),
    Bench("floor", "What does the machine charge for a wake-up?", has_options=False),
    Bench(
        "scale",
        "What do 10, 50 and 200 nodes cost to start and to keep, and do they slow a message?",
    ),
    Bench(
        "record",
        "How fast is a running graph recorded, beside plain writes of the same bytes?",
    ),
    Bench(
        "workspace",
        "What does `colcon build` cost where nothing has changed, beside an empty package?",
        has_options=False,
    ),
    Bench(
        "trace",
        "What do trace events cost, off and on, and how fast are recordings read?",
    ),
    Bench(
        "dds",
        "What does a message cost between hosts through our edges, beside the engine's own API?",
    ),
    Bench(
        "fleet",
        "How does DDS discovery grow with hosts and topics, with an edge per host and without?",
    ),
    Bench(
        "uma",
        "What does ROS between a CPU and a GPU node cost over the same work without it?",
    ),
    Bench(
        "rmw",
        "What does a ROS 2 message cost with our middleware below rcl, beside Fast DDS?",
    ),
    Bench(
        "mcu",
        "What does a message to a microcontroller's node and back cost, and where does it go?",
    ),
    Bench(
        "advise",
        "How far are the predictions of `ligament advise` from what happens then?",
    ),
    Bench(
        "driving",
        "How long does a driving robot's chain of nodes take, and what does a late command cost?",
    ),
    Bench(
        "transport",
        "What does a message cost between processes, beside peers and bare floors?",
    ),
)


def find_bench(name: str) -> Bench:
    """The line of that name."""
    bench = next((b for b in BENCHES if b.name == name), None)
    if bench is None:
        names = [b.name for b in BENCHES]
        raise InputError(no_such("bench-unknown", f"there is no benchmark '{name}'", name, names))
    return bench


def run_bench(name: str, quick: bool, options: Any = None) -> dict[str, Any]:
    """Measure, and return the result file's content."""
    bench = find_bench(name)
    measure = cast(Measure, bench.module().measure)
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
