# SPDX-License-Identifier: Apache-2.0
"""A drawing per workload: the overhead of each line, with the paper's beside it. SVG, in itself
complete."""

from __future__ import annotations

import math
from pathlib import Path

from ligament.artefacts import write_text
from ligament.bench.measuring import Row
from ligament.bench.showing import bar_at, dot_at, line_at, svg, text_at
from ligament.bench.uma.cells import Line
from ligament.bench.uma.paper import DEVICES, OVERHEAD

LINE, LEFT, RIGHT, TOP, FOOT = 22, 240, 110, 64, 40
WIDTH = 900
#: Percent: what is less is drawn as this. Overheads reach from below 1 to above 10000.
LEAST, MOST = 0.1, 20_000.0
_OURS, _BELOW = "#2a6f97", "#8fb9cf"
_PAPER = {"TX2": "#d17a22", "Xavier": "#6a8d2f"}


def write_plots(folder: str, rows: list[Row]) -> list[Path]:
    """Write `uma_WORKLOAD.svg` for each workload; the files."""
    written = []
    for workload in dict.fromkeys(r["params"]["workload"] for r in rows):
        lines = [
            r
            for r in rows
            if r["metric"] == "overhead"
            and r["peer"] == "ligament"
            and r["params"]["workload"] == workload
        ]
        path = Path(folder) / f"uma_{workload}.svg"
        write_text(path, drawing(workload, lines))
        written.append(path)
    return written


def drawing(workload: str, lines: list[Row]) -> str:
    """The SVG's text."""
    height = TOP + LINE * len(lines) + FOOT
    first = lines[0]["params"]
    title = (
        f"{workload}: overhead over the same work without ROS, {first['device']}, "
        f"{first['bytes'] / 1e6:.1f} MB"
    )
    marks = [text_at(10, 22, title, size=15, weight="bold"), *_legend(), *_grid(height)]
    for place, row in enumerate(lines):
        marks += _line(TOP + LINE * place, row)
    return svg(WIDTH, height, marks)


def _legend() -> list[str]:
    marks = []
    items = {"ours, with the upper 95 % bound": _OURS, "ours, below 0": _BELOW}
    items |= {f"the paper's {device}": colour for device, colour in _PAPER.items()}
    for place, (text, colour) in enumerate(items.items()):
        x = 10 + 210 * place
        marks += [bar_at(x, 32, 10, 10, colour), text_at(x + 15, 41, text)]
    return marks


def _grid(height: int) -> list[str]:
    marks = []
    for decade in range(round(math.log10(LEAST)), math.floor(math.log10(MOST)) + 1):
        x = _x(10.0**decade)
        marks.append(line_at((x, TOP - 6), (x, height - FOOT + 4), "#ddd"))
        marks.append(text_at(x, height - FOOT + 20, f"{10.0**decade:g} %", anchor="middle"))
    return marks


def _line(y: int, row: Row) -> list[str]:
    params = row["params"]
    key = (params["nodes"], params["ros_mode"], params["ros_type"], params["device_mode"])
    mean, bound = row["mean"], row["upper95"]
    middle = y + LINE // 2
    colour = _OURS if mean >= 0 else _BELOW
    marks = [
        text_at(10, middle + 4, Line(*key).title),
        bar_at(LEFT, y + 5, _x(abs(mean)) - LEFT, LINE - 10, colour),
        text_at(WIDTH - RIGHT + 10, middle + 4, f"{mean:+.1f} %"),
    ]
    if math.isfinite(bound) and bound > 0:
        marks.append(line_at((_x(bound), y + 3), (_x(bound), y + LINE - 3), "#111", 1.5))
    for device in DEVICES:
        theirs = OVERHEAD[device, params["workload"]].get(key)
        if theirs is not None:
            told = f"{device}: {theirs:+d} %"
            marks.append(dot_at(_x(abs(theirs)), middle, _PAPER[device], told))
    return marks


def _x(percent: float) -> float:
    """Logarithmic."""
    shown = min(max(percent, LEAST), MOST)
    share = math.log(shown / LEAST) / math.log(MOST / LEAST)
    return LEFT + share * (WIDTH - RIGHT - LEFT)
