# SPDX-License-Identifier: Apache-2.0
"""Goals: where a figure lies in a result, and what it should be. The terminal, the pages and the
exit status of a bench all judge by these.

A bench names `FIGURES` in its module:

    FIGURES = Figures(
        goals=(Goal("start-up, {nodes} nodes", "start_up", 5.0, where={"nodes": 200}),),
        results={"scale": "the whole table"},
    )

What is decided by a comparison is reached or missed only with its whole interval, and that only of
so many passes that it is one of 95 %.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ligament.bench.values import size_text, value_text

Row = dict[str, Any]
Result = Mapping[str, Any]
OURS = "ligament"
REACHED, MISSED, UNDECIDED = "reached", "missed", "not decided"
#: Fewer have no interval of 95 % by order statistics.
LEAST_PASSES = 6
_NAMES = {"upper95": "95 % bound"}


@dataclass(frozen=True)
class Goal:
    """A line of a table; all rows with the same text are one line, which shows the worst of them.

    `what` may name parameters of the row: `{nodes}`, and `{size}` for its bytes.
    """

    what: str
    metric: str
    #: In the unit of the row; of a row; None: a figure without a goal, or a row that it is not of.
    limit: float | Callable[[Row], float | None] | None = None
    #: Values of its parameters; a tuple: any of these, None: the row has no such parameter.
    where: Mapping[str, Any] = field(default_factory=dict)
    at_least: bool = False
    #: Of the row: what is judged, and what is told if that is something else.
    value: str = "p50"
    told: str = ""
    #: Whose row it is.
    contestant: str = OURS
    #: Metrics of the same cell: what it is divided by, and what is subtracted from it.
    over: str = ""
    less: str = ""
    #: Judged by the comparison with this peer or floor, which has the interval.
    against: str = ""
    kind: str = "ratio"
    #: How the figure is told: its unit, where that is not the row's.
    unit: str = ""
    #: The least that is possible: a metric of a floor, where it is another one, or from the row.
    floor: str | Callable[[Row], float | None] = ""
    #: What others published, in their words.
    published: str | Callable[[Row], str] = ""
    #: A count of cycles or cells, which no machine's day excuses: missing it is a failure.
    exact: bool = False
    #: Why it is missed, where that is known: for every result, by result file, or of a row.
    why: str | Mapping[str, str] | Callable[[Row], str] = ""

    def why_in(self, file: str) -> str:
        """Why this result misses it; empty where each row has its own reason."""
        if callable(self.why):
            return ""
        return self.why if isinstance(self.why, str) else self.why.get(file, "")


@dataclass(frozen=True)
class Figures:
    """What a bench's page shows."""

    goals: tuple[Goal, ...]
    #: Result files without their ending: what each is of. Where two have a line, the first counts.
    results: Mapping[str, str]
    #: Of these, those under other conditions: all their lines count.
    apart: tuple[str, ...] = ()
    #: Metrics of a result file that are not shown: something else disturbed them.
    without: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    #: Peers that are the machine itself, or the work alone; that which bounds most comes first.
    floors: tuple[str, ...] = ()
    #: Peers that are ours as well.
    ours: tuple[str, ...] = (OURS,)
    #: Parameters in which a peer's row may differ from ours.
    free: tuple[str, ...] = ("goal",)
    #: Words of the lines that only this bench's page explains, for who reads the overview.
    words: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Line:
    """A figure that was judged."""

    goal: Goal
    what: str
    unit: str
    told: float
    judged: float
    #: The interval of what is judged; both ends are the value itself where there is none.
    low: float
    high: float
    passes: int
    limit: float | None
    peer: tuple[str, float] | None
    floor: tuple[str, float] | None
    published: str
    #: Why it is missed, where the row itself knows.
    why: str = ""

    @property
    def verdict(self) -> str:
        """Where the interval lies."""
        if self.limit is None:
            return ""
        if self.goal.against and self.passes < LEAST_PASSES:
            return UNDECIDED
        low, high = (-self.high, -self.low) if self.goal.at_least else (self.low, self.high)
        limit = -self.limit if self.goal.at_least else self.limit
        if high <= limit:
            return REACHED
        return MISSED if low > limit else UNDECIDED

    def ratio(self, value: float) -> float:
        """How many times the goal a figure of this line is: at most 1 where it reaches it."""
        assert self.limit is not None
        limit = self.limit
        if self.goal.kind == "difference" and self.floor:
            value, limit = value + self.floor[1], limit + self.floor[1]
        if limit < 0:  # a change: of what remains
            value, limit = 1 + value, 1 + limit
        if self.goal.at_least:
            value, limit = limit, value
        return value / limit if limit > 0 else 1.0 if value <= limit else float("inf")

    @property
    def goal_text(self) -> str:
        """`<= 5 s`; `<= 1.1 x cyclonedds: 0.82 [0.73, 0.96]`."""
        if self.limit is None:
            return ""
        sign = ">=" if self.goal.at_least else "<="
        if not self.goal.against:
            return f"{sign} {value_text(self.limit, self.unit)}"
        if self.goal.kind == "ratio":
            text = f"{sign} {self.limit:g} x {self.goal.against}"
            interval = (f"{v:.2f}" for v in (self.judged, self.low, self.high))
        else:
            text = f"{sign} {self.goal.against} + {value_text(self.limit, self.unit)}"
            interval = (value_text(v, self.unit) for v in (self.judged, self.low, self.high))
        middle, low, high = interval
        few = f" of {self.passes} passes" if self.passes < LEAST_PASSES else ""
        return f"{text}: {middle} [{low}, {high}]{few}"

    @property
    def ours_text(self) -> str:
        """With the judged value, where that is another one."""
        text = value_text(self.told, self.unit)
        if self.goal.told:
            text += f" ({_NAMES[self.goal.value]} {value_text(self.judged, self.unit)})"
        return text

    def sentence(self) -> str:
        """For terminals."""
        return f"{self.what}: {self.goal_text}: {self.verdict} ({self.ours_text})"


def lines_of(figures: Figures, result: Result) -> list[Line]:
    """All figures of the bench that this result has, in the order of the goals."""
    found: dict[tuple[int, str], Line] = {}
    for number, goal in enumerate(figures.goals):
        for line in _lines(goal, figures, result):
            other = found.setdefault((number, line.what), line)
            if _is_worse(line, other):
                found[number, line.what] = line
    return list(found.values())


def judged(figures: Figures, result: Result) -> list[Line]:
    """Those that have a goal."""
    return [line for line in lines_of(figures, result) if line.limit is not None]


def failures(figures: Figures, result: Result) -> list[str]:
    """What is exact and missed."""
    return [
        f"missed: {line.sentence()}"
        for line in judged(figures, result)
        if line.goal.exact and line.verdict == MISSED
    ]


def _is_worse(line: Line, other: Line) -> bool:
    if line.limit is None or other.limit is None:
        less, more = sorted((line.judged, other.judged))
        return line.judged == (less if line.goal.at_least else more)
    return line.ratio(line.judged) > other.ratio(other.judged)


def _lines(goal: Goal, figures: Figures, result: Result) -> Iterator[Line]:
    own = (goal.metric, goal.contestant)
    needed = {goal.metric, goal.less, goal.over, goal.floor}
    others = [r for r in result["rows"] if r["metric"] in needed and _whose(r) != own]
    for row in result["rows"]:
        if _whose(row) != own:
            continue
        if not all(_is_one_of(row["params"].get(key), value) for key, value in goal.where.items()):
            continue
        rows = [r for r in others if _same_cell(r["params"], row["params"], figures.free)]
        line = _line(goal, row, rows, figures, result)
        if line is not None:
            yield line


def _whose(row: Row) -> tuple[str, str]:
    return row["metric"], row["peer"]


def _is_one_of(value: Any, wanted: Any) -> bool:
    return value in wanted if isinstance(wanted, tuple) else bool(value == wanted)


def _line(goal: Goal, row: Row, rows: list[Row], figures: Figures, result: Result) -> Line | None:
    limit = goal.limit(row) if callable(goal.limit) else goal.limit
    if callable(goal.limit) and limit is None:
        return None
    value = _value(goal, row, rows)
    if value is None:
        return None
    low = high = middle = value
    passes = 0
    if goal.against:
        interval = _comparison(goal, row, result)
        if interval is None:
            return None
        middle, low, high = (interval[key] for key in ("median", "low", "high"))
        passes = interval["passes"]
    told = row[goal.told] if goal.told else value
    unit = goal.unit or row["unit"]
    what = goal.what.format_map({**_shown(row["params"]), "metric": row["metric"]})
    peers, floors = _others(goal, rows, figures)
    best = (max if goal.at_least else min)(peers, key=lambda p: p[1], default=None)
    preferred = [goal.against, *figures.floors]
    floor = min(floors, key=lambda f: preferred.index(f[0]), default=None)
    if callable(goal.floor):
        least = goal.floor(row)
        floor = None if least is None else ("", least)
    published = goal.published(row) if callable(goal.published) else goal.published
    numbers = (told, middle, low, high, passes, limit)
    why = row.get("why", "") or (goal.why(row) if callable(goal.why) else "")
    return Line(goal, what, unit, *numbers, best, floor, published, why)


def _value(goal: Goal, row: Row, rows: list[Row]) -> float | None:
    """What is judged of a row; None where it, or what it is to be combined with, is missing."""
    if goal.value not in row:
        return None
    value = float(row[goal.value])
    for metric, combine in ((goal.less, float.__sub__), (goal.over, float.__truediv__)):
        if metric:
            other = next((r["p50"] for r in rows if r["metric"] == metric), None)
            if other is None:
                return None
            value = combine(value, float(other))
    return value


def _same_cell(one: Row, other: Row, free: tuple[str, ...]) -> bool:
    common = (one.keys() & other.keys()) - set(free)
    return bool(common) and all(one[key] == other[key] for key in common)


def _comparison(goal: Goal, row: Row, result: Result) -> Mapping[str, Any] | None:
    for one in result.get("comparisons", ()):
        if (
            (one["metric"], one["peer"], one["kind"]) == (goal.metric, goal.against, goal.kind)
            and one.get("contestant", goal.contestant) == goal.contestant
            and one["params"] == row["params"]
        ):
            return dict(one)
    return None


def _others(
    goal: Goal, rows: list[Row], figures: Figures
) -> tuple[list[tuple[str, float]], list[tuple[str, float]]]:
    """Peers and floors of the same cell."""
    if goal.over or goal.less:
        peers = []
    else:
        strangers = {*figures.ours, *figures.floors}
        peers = [
            (r["peer"], float(r[goal.told or goal.value]))
            for r in rows
            if r["metric"] == goal.metric and r["peer"] not in strangers
        ]
    metric = goal.floor if isinstance(goal.floor, str) and goal.floor else goal.metric
    floors = [
        (r["peer"], float(r["p50"]))
        for r in rows
        if r["metric"] == metric and r["peer"] in figures.floors
    ]
    return peers, floors


def _shown(params: Mapping[str, Any]) -> dict[str, str]:
    shown = {key: _param_text(value) for key, value in params.items()}
    if "bytes" in params:
        shown["size"] = size_text(params["bytes"])
    if "pacing_us" in params:
        pacing = params["pacing_us"]
        shown["pacing"] = f"every {pacing / 1000:g} ms" if pacing else "as fast as it goes"
    if "clock_hz" in params:
        shown["clock"] = f"{params['clock_hz'] / 1e6:g} MHz"
    return shown


def _param_text(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    return f"{value:,}" if type(value) is int and value >= 10_000 else str(value)
