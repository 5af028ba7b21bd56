# SPDX-License-Identifier: Apache-2.0
"""What benches show with: plain tables for terminals, and the marks of pictures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any
from xml.sax.saxutils import escape

from rich.console import Console
from rich.table import Table

Point = tuple[float, float]


def plain_table(
    headings: Iterable[str], title: str = "", left: Iterable[str] = (), **style: Any
) -> Table:
    """No rules; columns are on the right but those named in `left`."""
    style = {"box": None, "pad_edge": False, "title_justify": "left", **style}
    table = Table(title=title or None, **style)
    for heading in headings:
        justify: Any = "left" if heading in left else "right"
        table.add_column(heading, justify=justify, no_wrap=True)
    return table


def print_lines(console: Console, lines: Iterable[str]) -> None:
    """Sentences as they are: not wrapped, not coloured."""
    for line in lines:
        console.print(line, soft_wrap=True, highlight=False, markup=False)


def svg(width: float, height: float, marks: Sequence[str]) -> str:
    """A picture that needs no other file."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
        f'viewBox="0 0 {width:g} {height:g}" font-family="sans-serif" font-size="12">\n'
        '<rect width="100%" height="100%" fill="#fff"/>\n' + "\n".join(marks) + "\n</svg>\n"
    )


def text_at(x: float, y: float, text: str, colour: str = "#222", **more: Any) -> str:
    """Words; `more`: anchor, size, weight."""
    names = {"anchor": "text-anchor", "size": "font-size", "weight": "font-weight"}
    style = "".join(f' {names[key]}="{value}"' for key, value in more.items())
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}"{style}>{escape(text)}</text>'


def bar_at(x: float, y: float, width: float, height: float, colour: str, title: str = "") -> str:
    """A filled box; `title` is shown where it is pointed at."""
    head = f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"'
    return f'{head} fill="{colour}"' + _closed("rect", title)


def dot_at(x: float, y: float, colour: str, title: str = "") -> str:
    """A figure."""
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.5" fill="{colour}"' + _closed("circle", title)


def line_at(begin: Point, end: Point, colour: str, width: float = 1) -> str:
    """From a point to another."""
    return (
        f'<line x1="{begin[0]:.1f}" y1="{begin[1]:.1f}" x2="{end[0]:.1f}" y2="{end[1]:.1f}" '
        f'stroke="{colour}" stroke-width="{width:g}"/>'
    )


def curve_at(points: Iterable[Point], colour: str, dash: str = "") -> str:
    """Through points."""
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return (
        f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.5" '
        f'stroke-dasharray="{dash}"/>'
    )


def diamond_at(x: float, y: float) -> str:
    """A peer's figure."""
    points = " ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in ((0, -5), (5, 0), (0, 5), (-5, 0)))
    return f'<polygon points="{points}" fill="#fff" stroke="#555" stroke-width="1.5"/>'


def _closed(tag: str, title: str) -> str:
    return f"><title>{escape(title)}</title></{tag}>" if title else "/>"
