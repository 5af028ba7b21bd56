# SPDX-License-Identifier: Apache-2.0
"""How a fleet's discovery grows with its hosts: dots measured, lines simulated."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ligament.bench.fleet.cells import FAST, OURS, PER_PROCESS, READERS, SOME
from ligament.bench.fleet.figures import BUSY, QUIET
from ligament.bench.showing import Point, curve_at, dot_at, line_at, svg, text_at
from ligament.bench.values import value_text

#: Metric, what it is called, unit.
PANELS = (
    ("idle_frames", "at rest: frames per second of all hosts", "1/s"),
    ("start_frames", "all at once: frames", "1"),
    ("join_frames", "one host more: frames", "1"),
    ("memory", "memory of one host's edge, or of its processes", "B"),
)
_STYLES = {
    OURS: ("an edge per host, measured", "#1f5fa8", False),
    QUIET: ("simulated, a core for each host", "#1f5fa8", True),
    BUSY: ("simulated, 20 ms for a core", "#d9930d", True),
    PER_PROCESS: ("the same engine, 5 participants per host", "#b3261e", False),
    FAST: ("Fast DDS, 1 or 5 participants per host", "#6b2fa0", False),
}
_WIDTH, _HEIGHT, _LEFT, _TOP = 360.0, 200.0, 70.0, 60.0
_SIZES = (1, 2, 5, 10, 20, 50, 100)


@dataclass(frozen=True)
class _Panel:
    x: float
    y: float
    least: float
    most: float

    def at(self, hosts: float, value: float) -> Point:
        """Both axes are logarithmic."""
        right = math.log(hosts) / math.log(_SIZES[-1]) * (_WIDTH - 20)
        up = math.log(value / self.least) / math.log(self.most / self.least) * _HEIGHT
        return self.x + 10 + right, self.y + _HEIGHT - up


def growth_of(path: Path) -> str:
    """The picture, from a result file."""
    rows = json.loads(path.read_text(encoding="utf-8"))["rows"]
    marks = list(_legend())
    for number, (metric, title, unit) in enumerate(PANELS):
        x = _LEFT + number % 2 * (_WIDTH + _LEFT + 20)
        y = _TOP + 40 + number // 2 * (_HEIGHT + 70)
        own = [row for row in rows if row["metric"] == metric and row["p50"] > 0 and _is_shown(row)]
        marks += _drawn(own, title, unit, x, y)
    return svg(2 * (_WIDTH + _LEFT) + 60, _TOP + 2 * (_HEIGHT + 70) + 20, marks)


def _is_shown(row: dict[str, Any]) -> bool:
    params = row["params"]
    of_size = params["endpoints"] == SOME * (1 + READERS)
    return bool(of_size or (params["hosts"] == _SIZES[-1] and row["peer"] in (QUIET, BUSY)))


def _drawn(
    rows: Sequence[dict[str, Any]], title: str, unit: str, x: float, y: float
) -> Iterable[str]:
    values = [row["p50"] for row in rows] or [1.0]
    least: float = 10 ** math.floor(math.log10(min(values)))
    most: float = 10 ** math.ceil(math.log10(max(values)))
    panel = _Panel(x, y, least, max(most, 10 * least))
    yield text_at(x, y - 12, title, weight="bold")
    yield line_at((x, y + _HEIGHT), (x + _WIDTH, y + _HEIGHT), "#333")
    yield line_at((x, y), (x, y + _HEIGHT), "#333")
    for hosts in _SIZES:
        at, _ = panel.at(hosts, panel.least)
        yield text_at(at, y + _HEIGHT + 16, str(hosts), anchor="middle")
    step = panel.least
    while step <= panel.most * 1.01:
        _, height = panel.at(1, step)
        yield line_at((x, height), (x + _WIDTH, height), "#ddd")
        yield text_at(x - 6, height + 4, value_text(step, unit), anchor="end")
        step *= 10
    for peer, (name, colour, is_line) in _STYLES.items():
        own = sorted((row["params"]["hosts"], row["p50"]) for row in rows if row["peer"] == peer)
        points = [panel.at(hosts, value) for hosts, value in own]
        if is_line:
            yield curve_at(points, colour, "4 3")
        else:
            for point, (hosts, value) in zip(points, own, strict=True):
                told = f"{name}: {hosts} hosts, {value_text(value, unit)}"
                yield dot_at(*point, colour, told)


def _legend() -> Iterable[str]:
    for number, (name, colour, is_line) in enumerate(_STYLES.values()):
        x, y = 20.0 + number % 3 * 290, 18.0 + number // 3 * 20
        yield line_at((x - 8, y), (x + 8, y), colour, 2) if is_line else dot_at(x, y, colour)
        yield text_at(x + 14, y + 4, name)
    yield text_at(20, _TOP + 4, "across: hosts; 75 endpoints each, at 100 hosts 300")
