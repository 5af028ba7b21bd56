# SPDX-License-Identifier: Apache-2.0
"""A drawing per workload: the overhead of each line, with the paper's beside it. SVG, in itself
complete."""

from __future__ import annotations

import math
from html import escape
from pathlib import Path

from ligament.artefacts import write_text
from ligament.bench.framework import Row
from ligament.bench.uma.paper import DEVICES, OVERHEAD

LINE, LEFT, RIGHT, TOP, FOOT = 22, 240, 110, 64, 40
WIDTH = 900
#: Percent: what is less is drawn as this. Overheads reach from below 1 to above 10000.
LEAST, MOST = 0.1, 20_000.0
_STYLE = (
    "text{font:12px sans-serif;fill:#222}.t{font-size:15px;font-weight:bold}"
    ".g{stroke:#ddd}.b{fill:#2a6f97}.s{stroke:#111;stroke-width:1.5}"
    ".TX2{fill:#d17a22}.Xavier{fill:#6a8d2f}.n{fill:#8fb9cf}"
)


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
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
        f'viewBox="0 0 {WIDTH} {height}"><style>{_STYLE}</style>',
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>',
        f'<text class="t" x="10" y="22">{escape(title)}</text>',
        *_legend(),
        *_grid(height),
    ]
    for place, row in enumerate(lines):
        parts += _line(TOP + LINE * place, row)
    return "\n".join([*parts, "</svg>", ""])


def _legend() -> list[str]:
    items = (("b", "ours, with the upper 95 % bound"), ("n", "ours, below 0"))
    marks = [*items, *((device, f"the paper's {device}") for device in DEVICES)]
    return [
        f'<rect class="{name}" x="{10 + 210 * i}" y="32" width="10" height="10"/>'
        f'<text x="{25 + 210 * i}" y="41">{escape(text)}</text>'
        for i, (name, text) in enumerate(marks)
    ]


def _grid(height: int) -> list[str]:
    decades = range(round(math.log10(LEAST)), math.floor(math.log10(MOST)) + 1)
    return [
        f'<line class="g" x1="{_x(10.0**d):.1f}" y1="{TOP - 6}" x2="{_x(10.0**d):.1f}" '
        f'y2="{height - FOOT + 4}"/>'
        f'<text x="{_x(10.0**d):.1f}" y="{height - FOOT + 20}" text-anchor="middle">'
        f"{10.0**d:g} %</text>"
        for d in decades
    ]


def _line(y: int, row: Row) -> list[str]:
    params = row["params"]
    by = " by service" if params["ros_type"] == "service" else ""
    name = f"{params['nodes']} nodes, {params['ros_mode']}{by} + {params['device_mode']}"
    mean, bound = row["mean"], row["upper95"]
    middle = y + LINE // 2
    kind = "b" if mean >= 0 else "n"
    parts = [
        f'<text x="10" y="{middle + 4}">{escape(name)}</text>',
        f'<rect class="{kind}" x="{LEFT}" y="{y + 5}" width="{_x(abs(mean)) - LEFT:.1f}" '
        f'height="{LINE - 10}"/>',
        f'<text x="{WIDTH - RIGHT + 10}" y="{middle + 4}">{mean:+.1f} %</text>',
    ]
    if math.isfinite(bound) and bound > 0:
        parts.append(
            f'<line class="s" x1="{_x(bound):.1f}" y1="{y + 3}" x2="{_x(bound):.1f}" '
            f'y2="{y + LINE - 3}"/>'
        )
    key = (params["nodes"], params["ros_mode"], params["ros_type"], params["device_mode"])
    for device in DEVICES:
        theirs = OVERHEAD[device, params["workload"]].get(key)
        if theirs is not None:
            parts.append(
                f'<circle class="{device}" cx="{_x(abs(theirs)):.1f}" cy="{middle}" r="4">'
                f"<title>{device}: {theirs:+d} %</title></circle>"
            )
    return parts


def _x(percent: float) -> float:
    """Logarithmic."""
    shown = min(max(percent, LEAST), MOST)
    share = math.log(shown / LEAST) / math.log(MOST / LEAST)
    return LEFT + share * (WIDTH - RIGHT - LEFT)
