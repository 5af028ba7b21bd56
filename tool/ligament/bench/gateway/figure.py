# SPDX-License-Identifier: Apache-2.0
"""Times and speed-ups as one SVG: the published figures 6 (first column) and 7 (second column).

Eight panels: per publisher and path the times of both transports (logarithmic), below them the
speed-ups, with a line at 1. One memory latency, software's time included.
"""

from __future__ import annotations

import math
from typing import Any

from ligament.bench.gateway.design import CLOCK_HZ
from ligament.bench.gateway.goals import NAMES
from ligament.bench.gateway.options import LATENCY
from ligament.bench.showing import bar_at, curve_at, line_at, svg, text_at
from ligament.bench.values import size_text

WIDTH, HEIGHT, GAP, TOP = 400, 190, 60, 40
COLOURS = ("#4477aa", "#ee6677", "#228833", "#ccbb44")

Row = dict[str, Any]


class Panel:
    """A frame with a title, in which values are drawn by size and number of cores."""

    def __init__(self, column: int, line: int, title: str, sizes: list[int]) -> None:
        """At a place of the grid."""
        self.left = GAP + column * (WIDTH + GAP)
        self.bottom = TOP + line * (HEIGHT + GAP) + HEIGHT
        self.sizes = sizes
        self.marks = [
            text_at(self.left, self.bottom - HEIGHT - 8, title),
            line_at((self.left, self.bottom), (self.left + WIDTH, self.bottom), "#333"),
            line_at((self.left, self.bottom), (self.left, self.bottom - HEIGHT), "#333"),
        ]
        for size in sizes:
            self.marks.append(text_at(self.x(size) - 16, self.bottom + 14, size_text(size)))

    def x(self, size: int) -> float:
        """The middle of a size's group."""
        return self.left + WIDTH * (self.sizes.index(size) + 0.5) / len(self.sizes)

    def scale(self, value: float, label: str) -> None:
        """A mark on the left; `value` is a share of the height."""
        y = self.bottom - HEIGHT * value
        self.marks.append(line_at((self.left, y), (self.left + WIDTH, y), "#ddd"))
        self.marks.append(text_at(self.left - 34, y + 4, label))


def svg_of(rows: list[Row]) -> str:
    """The whole figure."""
    chosen = [row for row in rows if is_shown(row["params"])]
    marks: list[str] = []
    for column, (publisher, path) in enumerate(
        (publisher, path) for publisher in ("hw", "sw") for path in ("hw", "sw")
    ):
        mine = [
            row
            for row in chosen
            if (row["params"]["publisher"], row["params"].get("path")) == (publisher, path)
        ]
        if mine:
            title = f"{NAMES[publisher]} to {NAMES[path]}"
            marks += times(column, title, mine) + speedups(column, title, mine)
    width, height = GAP + 4 * (WIDTH + GAP), TOP + 2 * (HEIGHT + GAP) + 20
    legend = text_at(
        GAP, height - 10, "dashed: software-mapped topic, solid: gateway; cores: colours"
    )
    return svg(width, height, [*marks, legend])


def is_shown(params: dict[str, Any]) -> bool:
    """One latency, the narrowest width, with software's time."""
    return params["software"] and params["read_latency"] in (0, LATENCY) and params["width"] == 64


def times(column: int, title: str, rows: list[Row]) -> list[str]:
    """Milliseconds over sizes, one line per transport and number of cores."""
    transfers = [row for row in rows if row["metric"] == "transfer"]
    panel = Panel(column, 0, f"{title}: ms", sizes_of(transfers))
    values = [row["mean"] / CLOCK_HZ * 1e3 for row in transfers]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    for power in range(low, high + 1):
        panel.scale((power - low) / (high - low), f"{10.0**power:g}")
    for index, cores in enumerate(cores_of(transfers)):
        for transport, dash in (("smt", "6 4"), ("gateway", "")):
            points = [
                (
                    panel.x(row["params"]["bytes"]),
                    panel.bottom
                    - HEIGHT * (math.log10(row["mean"] / CLOCK_HZ * 1e3) - low) / (high - low),
                )
                for row in transfers
                if (row["params"]["subscribers"], row["params"]["transport"]) == (cores, transport)
            ]
            panel.marks.append(curve_at(points, COLOURS[index % 4], dash))
    return panel.marks


def speedups(column: int, title: str, rows: list[Row]) -> list[str]:
    """Bars by size, one per number of cores."""
    chosen = [row for row in rows if row["metric"] == "speedup"]
    panel = Panel(column, 1, f"{title}: speed-up", sizes_of(chosen))
    top = max(1.2, *(row["p50"] for row in chosen)) * 1.05
    for value in (1, *range(2, int(top) + 1, 2 if top > 4 else 1)):
        panel.scale(value / top, f"{value:g}")
    counts = cores_of(chosen)
    bar = WIDTH / len(panel.sizes) / (len(counts) + 1)
    for row in chosen:
        index = counts.index(row["params"]["subscribers"])
        x = panel.x(row["params"]["bytes"]) + bar * (index - len(counts) / 2)
        height = HEIGHT * row["p50"] / top
        told = f"{counts[index]} cores: {row['p50']:.2f}"
        colour = COLOURS[index % 4]
        panel.marks.append(bar_at(x, panel.bottom - height, bar * 0.9, height, colour, title=told))
        panel.marks.append(text_at(x, panel.bottom - height - 3, f"{row['p50']:.2f}", size=9))
    for index, count in enumerate(counts):
        x = panel.left + 60 * index
        panel.marks.append(text_at(x + 8, panel.bottom + 32, f"{count} cores"))
        panel.marks.append(bar_at(x, panel.bottom + 24, 6, 8, COLOURS[index % 4]))
    return panel.marks


def sizes_of(rows: list[Row]) -> list[int]:
    """In order."""
    return sorted({row["params"]["bytes"] for row in rows})


def cores_of(rows: list[Row]) -> list[int]:
    """In order."""
    return sorted({row["params"]["subscribers"] for row in rows})
