# SPDX-License-Identifier: Apache-2.0
"""One page without links to anywhere: figures, the path, plots, an animated picture."""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from html import escape
from typing import Any

from sim.pictures import png_animation

from drive_report.birds_view import beside
from drive_report.figures import title_of
from drive_report.hardware import hardware_lines
from drive_report.log import DriveLog, read_pictures
from drive_report.slam_map import slam_section
from drive_report.svg import Series, over_time, top_view

#: Pictures of the animation, at most: a page stays small.
MOST_PICTURES = 150
STYLE = """
body{font:15px/1.5 system-ui,sans-serif;color:#1b1f24;max-width:60rem;margin:2rem auto;
padding:0 1rem}
h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2rem}
table{border-collapse:collapse}td:first-child,th:first-child{text-align:left}
td,th{padding:.25rem .8rem;border-bottom:1px solid #d9dee4;text-align:right}
.good{color:#1a7f5a}.bad{color:#c82828}
.side{display:flex;gap:1.5rem;flex-wrap:wrap;align-items:flex-start}
.side svg{flex:2;min-width:20rem}.side figure{flex:1;min-width:16rem;margin:0}
.side img{width:100%;image-rendering:pixelated}
figcaption,.note{color:#6b7480;font-size:13px}
"""


def page(
    logs: Sequence[DriveLog], all_figures: Sequence[dict[str, Any]], chain: dict[str, Any] | None
) -> str:
    """Return the page of one drive, or of several."""
    parts = ["<h1>How it drove</h1>", summary_table(all_figures)]
    if chain:
        parts.append(chain_table(chain))
    for log, own in zip(logs, all_figures, strict=True):
        parts += _drive(log, own)
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>How it drove</title><style>{STYLE}</style>{''.join(parts)}</html>"
    )


def summary_table(all_figures: Sequence[dict[str, Any]]) -> str:
    """Return a row for each drive."""
    head = ("drive", "laps", "lap time", "lateral p50", "p95", "max", "goal p95", "departures",
            "red lights", "ended because")  # fmt: skip
    rows = "".join(_row(one) for one in all_figures)
    cells = "".join(f"<th>{escape(name)}</th>" for name in head)
    return f"<table><tr>{cells}</tr>{rows}</table>" + (
        '<p class="note">Lateral: how far the middle of the axle is from the centre of the lane, '
        "while the robot moves. Red lights: how many it stopped at, of how many.</p>"
    )


def _row(one: dict[str, Any]) -> str:
    lateral = one["lateral_m"]
    laps = one["lap_s"]
    obeyed = one["stops_obeyed"] == one["red_lights"]
    cells = [
        (escape(title_of(one)), ""),
        (str(one["laps"]), ""),
        (f"{sum(laps) / len(laps):.1f} s" if laps else "-", ""),
        (_cm(lateral.get("p50")), ""),
        (_cm(lateral.get("p95")), "good" if one["lateral_goal_met"] else "bad"),
        (_cm(lateral.get("max")), ""),
        (_cm(one["lateral_goal_m"]), ""),
        (str(one["departures"]), "bad" if one["departures"] else "good"),
        (f"{one['stops_obeyed']} of {one['red_lights']}", "good" if obeyed else "bad"),
        (escape(str(one["reason"])), ""),
    ]
    return "<tr>" + "".join(f'<td class="{kind}">{text}</td>' for text, kind in cells) + "</tr>"


def _cm(metres: float | None) -> str:
    return "-" if metres is None else f"{metres * 100:.1f} cm"


def chain_table(chain: dict[str, Any]) -> str:
    """Return what `ligament report` found of the chain."""
    nodes = " → ".join(escape(name) for name in chain.get("nodes", []))
    own = chain.get("latency_ns") or {}
    cells = "".join(
        f"<tr><td>{name}</td><td>{own[key] / 1e6:.2f} ms</td></tr>"
        for name, key in (("p50", "p50"), ("p99", "p99"), ("mean", "mean"), ("sd", "sd"))
        if own.get(key) is not None
    )
    share = chain.get("message_passing")
    passing = f"<tr><td>message passing</td><td>{share * 100:.1f} %</td></tr>" if share else ""
    lines = hardware_lines(chain["hardware"]) if chain.get("hardware") else []
    told = "".join(f"<li>{escape(line)}</li>" for line in lines)
    hardware = f"<h2>In the FPGA</h2><ul>{told}</ul>" if told else ""
    return f"<h2>The chain</h2><p>{nodes}</p><table>{cells}{passing}</table>{hardware}"


def _drive(log: DriveLog, own: dict[str, Any]) -> list[str]:
    outline, goal = [tuple(p) for p in log.start["track"]["outline"]], own["lateral_goal_m"] * 100
    return [
        f"<h2>{escape(title_of(own))}</h2>",
        f'<div class="side">{top_view(log, outline)}{_animation(log)}</div>',
        '<p class="note">The driven path: green in the middle of the lane, yellow 3 cm beside it, '
        "red beyond. A circle: where it stood at a red light (red: where it did not).</p>",
        *slam_section(log, own["slam"]),
        over_time(
            "Lateral error",
            "cm, the goal dashed",
            [Series("lateral error", _values(log, lambda f: f["lateral"] * 100), "#2458a6")],
            (-goal, goal),
        ),
        over_time(
            "Commands",
            "m/s and rad/s",
            [
                Series("speed", _values(log, lambda f: f["speed"]), "#1a7f5a"),
                Series("commanded turn", _values(log, lambda f: f["command"][1]), "#a8641c"),
            ],
        ),
        over_time(
            "From image to command",
            "ms of real time",
            [Series("from image to command", _values(log, lambda f: f.get("reply_ms")), "#7a3ea8")],
        ),
    ]


def _values(
    log: DriveLog, value: Callable[[dict[str, Any]], float | None]
) -> list[tuple[float, float]]:
    """Return a value over the simulated time, where there is one."""
    return [(f["t"], found) for f in log.frames if (found := value(f)) is not None]


def _animation(log: DriveLog) -> str:
    kept = read_pictures(log.path)
    if not kept:
        return ""
    step = -(-len(kept) // MOST_PICTURES)
    pictures = [beside(picture) for _, picture in kept[::step]]
    data = base64.b64encode(png_animation(pictures, 10)).decode()
    return (
        '<figure><img alt="What the camera saw, and the ground from above" '
        f'src="data:image/png;base64,{data}">'
        "<figcaption>what the camera saw, and the ground from above; fast motion</figcaption>"
        "</figure>"
    )
