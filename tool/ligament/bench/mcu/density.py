# SPDX-License-Identifier: Apache-2.0
"""The paper's figures 7 and 8: probability densities of the time per byte, and all measurements."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ligament.bench.mcu.goals import PAPER
from ligament.bench.showing import curve_at, dot_at, line_at, svg, text_at

Row = dict[str, Any]
WIDTH, HEIGHT, LEFT, GAP = 760, 220, 60, 70
COLOURS = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#bbbbbb", "#000000",
           "#7b4f1d", "#f08a24")  # fmt: skip
#: Of the logarithmic axis, in ms per byte: ours is hundreds of times below the published figures.
_LEAST, _MOST = 1e-3, 1.0
_BINS = 120


def svg_of(rows: Sequence[Row]) -> str:
    """Above the densities, below every measurement in the order in which it was made."""
    shown = [row for row in rows if row.get("values") and row["params"]["at"] != "ring"]
    shown.sort(key=lambda row: (row["params"]["link"], row["params"]["at"], row["params"]["bytes"]))
    marks = [*_densities(shown), *_measurements(shown), *_legend(shown)]
    return svg(LEFT + WIDTH + 240, 2 * (HEIGHT + GAP) + 20, marks)


def _per_byte_ms(row: Row) -> NDArray[np.float64]:
    scale = float(row["params"]["bytes"] * 1e6)
    values: NDArray[np.float64] = np.asarray(row["values"], dtype=np.float64) / scale
    return values


def _share(value: float) -> float:
    """Of the axis."""
    bounded = min(max(value, _LEAST), _MOST)
    return math.log(bounded / _LEAST) / math.log(_MOST / _LEAST)


def _densities(shown: Sequence[Row]) -> list[str]:
    """Per decade, each with its highest point at the top; the paper's normal ones are dashed."""
    top, bottom = 30.0, 30.0 + HEIGHT
    marks = [text_at(LEFT, 20, "probability density over the time per byte, ms (logarithmic)")]
    for tick in (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0):
        x = LEFT + WIDTH * _share(tick)
        marks.append(line_at((x, top), (x, bottom), "#ddd"))
        marks.append(text_at(x, bottom + 16, f"{tick:g}", anchor="middle"))
    edges = np.geomspace(_LEAST, _MOST, _BINS + 1)
    middles = np.sqrt(edges[:-1] * edges[1:])
    for number, row in enumerate(shown):
        counts, _ = np.histogram(np.clip(_per_byte_ms(row), _LEAST, _MOST * 0.999), edges)
        marks.append(_curve(middles, counts, bottom, COLOURS[number % len(COLOURS)]))
    for mean, sd in PAPER.values():
        density = np.exp(-0.5 * ((middles - mean) / max(sd, mean / 30)) ** 2)
        marks.append(_curve(middles, density, bottom, "#888", "4 3"))
    return marks


def _curve(middles: Any, heights: Any, bottom: float, colour: str, dash: str = "") -> str:
    highest = max(float(np.max(heights)), 1e-12)
    points = [
        (LEFT + WIDTH * _share(float(x)), bottom - (HEIGHT - 10) * float(y) / highest)
        for x, y in zip(middles, heights, strict=True)
    ]
    return curve_at(points, colour, dash)


def _measurements(shown: Sequence[Row]) -> list[str]:
    """All of them, thinned to what a picture can show."""
    top = 30.0 + HEIGHT + GAP
    bottom = top + HEIGHT
    marks = [text_at(LEFT, top - 10, "every measurement, in order: time per byte, ms")]
    for tick in (0.001, 0.01, 0.1, 1.0):
        y = bottom - HEIGHT * _share(tick)
        marks.append(line_at((LEFT, y), (LEFT + WIDTH, y), "#ddd"))
        marks.append(text_at(LEFT - 6, y + 4, f"{tick:g}", anchor="end"))
    for number, row in enumerate(shown):
        values = _per_byte_ms(row)
        step = max(1, len(values) // 500)
        points = [
            (LEFT + WIDTH * k / len(values), bottom - HEIGHT * _share(float(values[k])))
            for k in range(0, len(values), step)
        ]
        marks.append(curve_at(points, COLOURS[number % len(COLOURS)]))
    return marks


def _legend(shown: Sequence[Row]) -> list[str]:
    marks = []
    for number, row in enumerate(shown):
        params, y = row["params"], 50.0 + 20 * number
        marks.append(dot_at(LEFT + WIDTH + 20, y - 4, COLOURS[number % len(COLOURS)]))
        text = f"{params['bytes']} B {params['link']} at {params['at']}"
        marks.append(text_at(LEFT + WIDTH + 30, y, text))
    y = 50.0 + 20 * len(shown)
    marks.append(text_at(LEFT + WIDTH + 12, y, "- - published (mean and sd)", "#888"))
    return marks
