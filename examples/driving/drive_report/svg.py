# SPDX-License-Identifier: Apache-2.0
"""Plots as SVG text: the track from above, and values over time."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from typing import Any

from drive_report.log import DriveLog

Point = tuple[float, float]
Placing = Callable[[float, float], Point]
Frame = dict[str, Any]
INK, GREY, GRID = "#1b1f24", "#6b7480", "#d9dee4"
#: Of the lateral error: on the line, at the goal, beyond.
COLOURS = ((0.0, (26, 127, 90)), (0.03, (214, 160, 20)), (0.07, (200, 40, 40)))


def colour_of(error: float) -> str:
    """Return the colour of a lateral error in metres."""
    error = abs(error)
    for (low, before), (high, after) in pairwise(COLOURS):
        if error <= high:
            part = (error - low) / (high - low)
            mixed = (round(a + (b - a) * part) for a, b in zip(before, after, strict=True))
            return "#" + "".join(f"{one:02x}" for one in mixed)
    return "#c82828"


@dataclass(frozen=True)
class Sheet:
    """Where places of the world are in a picture from above: x to the right, y up."""

    left: float
    top: float
    scale: float
    width: float
    height: float

    @classmethod
    def around(cls, outline: Sequence[Point], margin: float, width: float = 720) -> Sheet:
        """Return one of that width that shows all of an outline."""
        xs, ys = [p[0] for p in outline], [p[1] for p in outline]
        scale = width / (max(xs) - min(xs) + 2 * margin)
        height = (max(ys) - min(ys) + 2 * margin) * scale
        return cls(min(xs) - margin, max(ys) + margin, scale, width, height)

    def place(self, x: float, y: float) -> Point:
        """Return the pixel of a place."""
        return (x - self.left) * self.scale, (self.top - y) * self.scale


def top_view(log: DriveLog, outline: Sequence[Point]) -> str:
    """Return the track from above with the driven path, coloured by the lateral error."""
    sheet = Sheet.around(outline, margin=0.3)
    place, scale = sheet.place, sheet.scale
    half = float(log.start["track"].get("lane_width", 0.3)) / 2
    parts = [
        f'<path d="{path_text([place(*p) for p in outline])}Z" fill="none" stroke="#3e3e42" '
        f'stroke-width="{(2 * half + 0.03) * scale:.1f}"/>',
        _stripe(outline, half, place, scale, "#e4ba24"),
        _stripe(outline, -half, place, scale, "#ececec"),
    ]
    parts += [
        f'<path d="{path_text([place(a["x"], a["y"]), place(b["x"], b["y"])])}" fill="none" '
        f'stroke="{colour_of(b["lateral"])}" stroke-width="2.2" stroke-linecap="round"/>'
        for a, b in _thinned(log.frames, 0.02)
    ]
    parts += _stops(log, place)
    return svg(sheet.width, sheet.height, parts, "The driven path from above")


def _thinned(frames: Sequence[Frame], step: float) -> Iterable[tuple[Frame, Frame]]:
    """Yield pairs of frames with so much way between them."""
    last = None
    for frame in frames:
        if last is None:
            last = frame
        elif math.hypot(frame["x"] - last["x"], frame["y"] - last["y"]) >= step:
            yield last, frame
            last = frame


def _stripe(
    outline: Sequence[Point], lateral: float, place: Placing, scale: float, colour: str
) -> str:
    points = []
    for i, (x, y) in enumerate(outline):
        ahead, behind = outline[(i + 1) % len(outline)], outline[i - 1]
        yaw = math.atan2(ahead[1] - behind[1], ahead[0] - behind[0])
        points.append(place(x - lateral * math.sin(yaw), y + lateral * math.cos(yaw)))
    width = f"{0.03 * scale:.1f}"
    return f'<path d="{path_text(points)}Z" fill="none" stroke="{colour}" stroke-width="{width}"/>'


def _stops(log: DriveLog, place: Placing) -> Iterable[str]:
    """Yield a mark where the robot was last before each red light turned green, or it crossed."""
    for stop in log.of("stop"):
        red = [
            f
            for f in log.frames
            if f["light"] == "red" and stop["red_at"] <= f["t"] <= stop["crossed_at"]
        ]
        if not red:
            continue
        x, y = place(red[-1]["x"], red[-1]["y"])
        colour = "#1a7f5a" if stop["obeyed"] else "#c82828"
        words = "stopped" if stop["obeyed"] else "did not stop"
        yield (
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="6" fill="none" stroke="{colour}" '
            f'stroke-width="2.5"><title>lap {stop["lap"]}: {words}</title></circle>'
        )


@dataclass(frozen=True)
class Series:
    """Values over time, with a name and a colour."""

    name: str
    points: Sequence[Point]
    colour: str


def over_time(title: str, unit: str, series: Sequence[Series], lines: Sequence[float] = ()) -> str:
    """Return a plot of values over seconds; `lines` are drawn across, such as a goal."""
    width, height, left, top, bottom = 720, 200, 56, 24, 26
    points = [p for one in series for p in one.points]
    if not points:
        return f"<p>{escape(title)}: there are no values.</p>"
    most_x = max(p[0] for p in points) or 1.0
    low, high = _bounds([p[1] for p in points] + list(lines))

    def place(point: Point) -> Point:
        x = left + point[0] / most_x * (width - left - 8)
        return x, top + (high - point[1]) / (high - low) * (height - top - bottom)

    parts = []
    for value in (low, 0.0 if low < 0 < high else (low + high) / 2, high):
        y = place((0, value))[1]
        parts.append(f'<path d="M{left} {y:.1f}H{width - 8}" stroke="{GRID}"/>')
        parts.append(_text(left - 6, y + 4, f"{value:.3g}", "end"))
    for value in lines:
        y = place((0, value))[1]
        parts.append(
            f'<path d="M{left} {y:.1f}H{width - 8}" stroke="#c82828" stroke-dasharray="4 3"/>'
        )
    for part in (0.0, 0.25, 0.5, 0.75, 1.0):
        x = place((most_x * part, 0))[0]
        anchor = "end" if part == 1.0 else "middle"
        parts.append(_text(x, height - 8, f"{most_x * part:.0f} s", anchor))
    for one in series:
        path = path_text([place(p) for p in one.points])
        parts.append(f'<path d="{path}" fill="none" stroke="{one.colour}" stroke-width="1.3"/>')
    names = " ".join(f'<tspan fill="{one.colour}">{escape(one.name)}</tspan>' for one in series)
    parts.append(f'<text x="{left + 6}" y="15" font-size="12">{names} ({escape(unit)})</text>')
    return svg(width, height, parts, title)


def _bounds(values: Sequence[float]) -> Point:
    low, high = min(values), max(values)
    room = (high - low) * 0.06 or 0.1
    return low - room, high + room


def path_text(points: Iterable[Point]) -> str:
    """Return the text of a line through points."""
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="11" text-anchor="{anchor}" fill="{GREY}">'
        f"{escape(text)}</text>"
    )


def svg(width: float, height: float, parts: Sequence[str], title: str) -> str:
    """Return a picture."""
    return (
        f'<svg viewBox="0 0 {width:.0f} {height:.0f}" role="img" font-family="sans-serif">'
        f"<title>{escape(title)}</title>{''.join(parts)}</svg>"
    )
