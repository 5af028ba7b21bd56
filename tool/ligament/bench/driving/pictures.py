# SPDX-License-Identifier: Apache-2.0
"""Pictures of the driving bench: what a late command does to driving, and what the chain is made
of. Each is generated from a result file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ligament.bench.driving.goals import PUBLISHED_MS, ROAD
from ligament.bench.measuring import OURS, Row
from ligament.bench.showing import bar_at, curve_at, dot_at, line_at, svg, text_at
from ligament.bench.values import value_text

_WIDTH, _HEIGHT, _LEFT, _TOP, _FOOT = 760, 400, 60, 40, 70
#: Lateral error at the top; what is more is drawn there.
_MOST_MM = 200.0
#: A wheel is then beyond the middle of a stripe.
_DEPARTED_MM = 70.0
#: What the nodes drive on a straight; the simulated robot does at most 0.22 m/s.
_SPEED_M_S = 0.2
_DELAY, _JITTER, _BAD = "#2a6f97", "#6a8d2f", "#b3261e"
_COLOURS = ("#2a6f97", "#6a8d2f", "#d17a22", "#7b4b94", "#a8a13c")
_PASSING = "#444"


def other_texts(root: Path) -> dict[Path, str]:
    """The pictures that the page shows beside that of its goals."""
    folder, results = root / "driving", root / "results"
    return {
        folder / "delay.svg": delay_picture(_rows(results / "driving_delay.json")),
        folder / "chain.svg": chain_picture(_rows(results / "driving.json")),
    }


def _rows(path: Path) -> list[Row]:
    rows: list[Row] = json.loads(path.read_text(encoding="utf-8"))["rows"]
    return [row for row in rows if row["peer"] == OURS]


# --- late commands -------------------------------------------------------------------------------


def delay_picture(rows: Sequence[Row]) -> str:
    """Lateral error over delay, and over jitter; drives that left the lane are marked."""
    errors = [row for row in rows if row["metric"] == "lateral_p95"]
    late = [row for row in errors if not row["params"]["jitter_ms"]]
    spread = [row for row in errors if not row["params"]["delay_ms"]]
    most = max(_late_ms(row) for row in errors)
    marks = [text_at(10, 22, "late commands and driving: lateral error p95, one lap each", size=15)]
    marks += _axes(most)
    for name, colour, series in (("delay", _DELAY, late), ("jitter", _JITTER, spread)):
        ordered = sorted(series, key=_late_ms)
        places = [_place(row, most) for row in ordered]
        marks.append(curve_at(places, colour, "" if name == "delay" else "5 4"))
        for row, (x, y) in zip(ordered, places, strict=True):
            is_safe = row["params"]["outcome"] == "laps done"
            marks.append(dot_at(x, y, colour if is_safe else _BAD, _told(row)))
    return svg(_WIDTH, _HEIGHT + 30, [*marks, *_legend()])


def _late_ms(row: Row) -> float:
    return float(row["params"]["delay_ms"] + row["params"]["jitter_ms"])


def _told(row: Row) -> str:
    params = row["params"]
    head = f"{params['delay_ms']} ms + up to {params['jitter_ms']} ms"
    return f"{head}: {row['p50']:.0f} mm, {params['outcome']}"


def _place(row: Row, most: float) -> tuple[float, float]:
    return _x(_late_ms(row), most), _y(row["p50"])


def _x(late_ms: float, most: float) -> float:
    return _LEFT + (_WIDTH - _LEFT - 30) * late_ms / most


def _y(error_mm: float) -> float:
    return _HEIGHT - _FOOT - (_HEIGHT - _FOOT - _TOP) * min(error_mm, _MOST_MM) / _MOST_MM


def _axes(most: float) -> list[str]:
    marks, right, foot = [], _WIDTH - 30, _HEIGHT - _FOOT
    for error in range(0, round(_MOST_MM) + 1, 20):
        marks.append(line_at((_LEFT, _y(error)), (right, _y(error)), "#ddd"))
        marks.append(text_at(_LEFT - 8, _y(error) + 4, f"{error / 10:g} cm", anchor="end"))
    for late in range(0, round(most) + 1, 100 if most > 500 else 50):
        x, driven_cm = _x(late, most), late * _SPEED_M_S / 10
        marks.append(text_at(x, foot + 18, f"{late} ms", anchor="middle"))
        marks.append(text_at(x, foot + 34, f"{driven_cm:g} cm", "#666", anchor="middle"))
    for bound, words in ((30.0, "goal"), (_DEPARTED_MM, "a wheel is beyond a stripe")):
        marks.append(line_at((_LEFT, _y(bound)), (right, _y(bound)), "#333"))
        marks.append(text_at(right, _y(bound) - 4, words, "#333", anchor="end"))
    for place, (words, mean_ms) in enumerate(PUBLISHED_MS.items()):
        if mean_ms <= most:
            x = _x(mean_ms, most)
            marks.append(curve_at([(x, _TOP), (x, foot)], "#999", "2 3"))
            marks.append(text_at(x + 4, _TOP + 12 + 16 * place, words, "#666"))
    return marks


def _legend() -> list[str]:
    marks, y = [], _HEIGHT - 6
    items = (
        (_DELAY, "all commands so late"),
        (_JITTER, "late by 0 to so much"),
        (_BAD, "left the lane, or stopped"),
    )
    for place, (colour, words) in enumerate(items):
        x = _LEFT + 200 * place
        marks += [dot_at(x, y - 4, colour), text_at(x + 10, y, words)]
    words = "below: what the robot drives meanwhile; dotted: chain alpha of the published versions"
    return [*marks, text_at(_LEFT, y + 24, words, "#666")]


# --- the chain -----------------------------------------------------------------------------------


def chain_picture(rows: Sequence[Row]) -> str:
    """A bar per variant: the mean of what each node computes, then message passing."""
    of_road = [row for row in rows if row["params"].get("images") == ROAD]
    chains = {r["params"]["variant"]: r for r in of_road if r["metric"] == "chain"}
    most = max(row["mean"] for row in chains.values())
    marks = [text_at(10, 22, "chain alpha on the drawn road, mean", size=15)]
    y = 64
    for variant, chain in chains.items():
        marks.append(text_at(10, y + 15, variant))
        x = 110.0
        for colour, words, value in _parts(of_road, variant):
            width = 480 * value / most
            marks.append(bar_at(x, y, width, 22, colour, f"{words}: {value_text(value, 'ns')}"))
            x += width
        marks.append(text_at(x + 8, y + 15, value_text(chain["mean"], "ns")))
        y += 34
    return svg(800, y + 10, [*marks, *_names(of_road)])


def _parts(rows: Sequence[Row], variant: str) -> list[tuple[str, str, float]]:
    own = [row for row in rows if row["params"].get("variant") == variant]
    computed = [row for row in own if row["metric"] == "compute"]
    parts = [
        (colour, row["params"]["node"], row["mean"])
        for colour, row in zip(_COLOURS, computed, strict=True)
    ]
    passing = next(row["mean"] for row in own if row["metric"] == "message_passing")
    return [*parts, (_PASSING, "message passing", passing)]


def _names(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    nodes = list(dict.fromkeys(r["params"]["node"] for r in rows if r["metric"] == "compute"))
    marks, x = [], 10.0
    for colour, words in zip((*_COLOURS, _PASSING), (*nodes, "message passing"), strict=True):
        name = words.removeprefix("/")
        marks += [bar_at(x, 34, 10, 10, colour), text_at(x + 14, 43, name)]
        x += 28 + 7 * len(name)
    return marks
