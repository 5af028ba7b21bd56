# SPDX-License-Identifier: Apache-2.0
"""SLAM on the page: its map and its path beside the driven one, and the map's size over time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from drive_report.log import DriveLog
from drive_report.svg import GRID, Point, Series, Sheet, over_time, path_text, svg
from drive_report.trajectory import alignment_of, pairs

TRUE, TOLD, MAP, LOOP = "#1a7f5a", "#2458a6", "#8a93a0", "#c82828"


def slam_section(log: DriveLog, own: dict[str, Any] | None) -> list[str]:
    """Return the part of the page about SLAM; empty where none ran."""
    if own is None:
        return []
    return [
        "<h3>SLAM</h3>",
        f"<p>{_error_text(own)} {_map_text(own)}</p>",
        _map_view(log),
        over_time(
            "Size of the map",
            "points, 10 keyframes",
            [
                Series("points", _sizes(log, "points", 1), TOLD),
                Series("keyframes x 10", _sizes(log, "keyframes", 10), "#a8641c"),
            ],
        ),
    ]


def _error_text(own: dict[str, Any]) -> str:
    if own["ate_rmse_m"] is None:
        return f"SLAM told {own['poses']} poses: too few for an error."
    kind = "good" if own["goal_met"] else "bad"
    return (
        f'Absolute trajectory error: <b class="{kind}">{own["ate_rmse_m"] * 100:.1f} cm, '
        f"{own['ate_share'] * 100:.2f} %</b> of the path of {own['path_m']:.1f} m (goal "
        f"{own['goal_share'] * 100:g} %; by the wheels alone "
        f"{own['wheels_rmse_m'] * 100:.1f} cm); {own['poses']} poses to {own['frames']} frames."
    )


def _map_text(own: dict[str, Any]) -> str:
    if own["points"] is None:
        return ""
    laps = "; ".join(
        f"after lap {lap['lap']}: {lap['points']} points, {lap['keyframes']} keyframes"
        for lap in own["laps"]
    )
    return (
        f"The map has {own['points']} points and {own['keyframes']} keyframes; "
        f"{own['loops_closed']} loops were closed{f' ({laps})' if laps else ''}."
    )


def _sizes(log: DriveLog, name: str, factor: int) -> list[Point]:
    return [(one["t"], one[name] * factor) for one in log.maps if name in one]


def _map_view(log: DriveLog) -> str:
    """Return the map from above, turned into the world, with both paths."""
    lies = alignment_of(log)
    if lies is None:
        return ""
    found, real, _ = pairs(log)
    outline = [(p[0], p[1]) for p in log.start["track"]["outline"]]
    sheet = Sheet.around(outline, margin=0.8)
    end = log.map_end
    points = _placed(sheet, lies.place(end.get("points", [])).tolist())
    keyframes = _placed(sheet, lies.place(end.get("keyframes", [])).tolist())
    parts = [
        f'<path d="{path_text(sheet.place(*p) for p in outline)}Z" fill="none" stroke="{GRID}" '
        f'stroke-width="{0.33 * sheet.scale:.1f}"/>',
        *_dots(points, 1.2, MAP),
        _line(_placed(sheet, real.tolist()), TRUE, ""),
        _line(_placed(sheet, lies.place(found).tolist()), TOLD, 'stroke-dasharray="5 4"'),
        *_dots(keyframes, 2.5, TOLD),
        *_closings(log, sheet),
    ]
    words = (
        (TRUE, "driven"), (TOLD, "told by SLAM, with keyframes"), (MAP, "points of the map"),
        (LOOP, "a loop closed"),
    )  # fmt: skip
    names = " ".join(f'<tspan fill="{colour}">{text}</tspan>' for colour, text in words)
    parts.append(f'<text x="8" y="16" font-size="12">{names}</text>')
    return svg(sheet.width, sheet.height, parts, "The map of SLAM from above")


def _placed(sheet: Sheet, points: Iterable[Sequence[float]]) -> list[Point]:
    """Return places on the sheet; what is outside is left out."""
    placed = (sheet.place(x, y) for x, y in points)
    return [(x, y) for x, y in placed if 0 <= x <= sheet.width and 0 <= y <= sheet.height]


def _dots(points: Sequence[Point], radius: float, colour: str) -> list[str]:
    """Return one path of dots: zero-long strokes with round ends."""
    if not points:
        return []
    dots = "".join(f"M{x:.1f} {y:.1f}h0" for x, y in points)
    return [f'<path d="{dots}" stroke="{colour}" stroke-width="{2 * radius}" '
            'stroke-linecap="round"/>']  # fmt: skip


def _line(points: Sequence[Point], colour: str, more: str) -> str:
    step = max(1, len(points) // 2000)
    return (
        f'<path d="{path_text(points[::step])}" fill="none" stroke="{colour}" '
        f'stroke-width="1.8" {more}/>'
        if points
        else ""
    )


def _closings(log: DriveLog, sheet: Sheet) -> Iterable[str]:
    """Yield a mark where the robot was when a loop was closed."""
    frames = {round(one["t"], 3): one for one in log.frames}
    closed = 0
    for one in log.maps:
        frame = frames.get(round(one["t"], 3))
        if one.get("loops_closed", 0) > closed and frame is not None:
            x, y = sheet.place(frame["x"], frame["y"])
            yield (f'<circle cx="{x:.1f}" cy="{y:.1f}" r="6" fill="none" stroke="{LOOP}" '
                   f'stroke-width="2"><title>a loop was closed after {one["t"]:.1f} s</title>'
                   "</circle>")  # fmt: skip
        closed = max(closed, one.get("loops_closed", 0))
