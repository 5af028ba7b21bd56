# SPDX-License-Identifier: Apache-2.0
"""Pictures of judged figures: how many times its goal each is, and what each bench reaches."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ligament.bench.goals import MISSED, REACHED, UNDECIDED, Line
from ligament.bench.showing import bar_at, diamond_at, dot_at, line_at, svg, text_at

COLOURS = {REACHED: "#2b8a3e", UNDECIDED: "#d9930d", MISSED: "#b3261e"}
_PLOT, _HEIGHT, _TOP = 360, 20, 56
#: Mean width of a character, on the wide side, so that text never leaves the picture.
_CHARACTER = 6.6
#: Times the goal at both ends of the axis; what is beyond is drawn there.
_LEAST, _MOST = 0.02, 20.0
_TICKS = (0.02, 0.1, 0.5, 1, 2, 10)


def picture_of(sections: Sequence[tuple[str, Sequence[Line]]]) -> str:
    """A dot per judged figure, by result file; left of the line in the middle is reached."""
    drawn = [(title, lines) for title, lines in sections if lines]
    every = [line for _, lines in drawn for line in lines]
    plot = _Plot(24 + _widest(_name(line) for line in every))
    marks: list[str] = []
    y = _TOP
    for title, lines in drawn:
        marks.append(text_at(8, y + 14, title, weight="bold"))
        y += _HEIGHT
        for line in lines:
            marks += plot.row(y, line)
            y += _HEIGHT
    width = round(plot.left + _PLOT + 24 + _widest(_told(line) for line in every))
    return svg(width, y + 8, [*plot.axis(y), *_legend(), *marks])


def overview_of(counts: Sequence[tuple[str, Sequence[Line]]]) -> str:
    """A bar per bench: goals reached, not decided, missed."""
    most = max((len(lines) for _, lines in counts), default=1)
    marks = _legend()[:6]
    y = _TOP - 20
    for name, lines in counts:
        marks.append(text_at(8, y + 14, name))
        x = 100.0
        for verdict, colour in COLOURS.items():
            number = sum(line.verdict == verdict for line in lines)
            width = 560.0 * number / most
            if number:
                marks.append(bar_at(x, y + 3, width, 14, colour))
                marks.append(text_at(x + width / 2, y + 14, str(number), "#fff", anchor="middle"))
            x += width
        y += _HEIGHT + 2
    return svg(700, y + 6, marks)


def _name(line: Line) -> str:
    """What is measured, and what it is compared with."""
    text = line.what.replace("`", "")
    return f"{text}, to {line.goal.against}" if line.goal.against else text


def _told(line: Line) -> str:
    return f"{line.ours_text}, {line.verdict}"


def _widest(texts: Iterable[str]) -> float:
    return _CHARACTER * max(map(len, texts), default=0)


@dataclass(frozen=True)
class _Plot:
    """Where the plot begins: behind the longest name."""

    left: float

    def row(self, y: int, line: Line) -> list[str]:
        """Name, floor, peer, interval and figure of a line."""
        middle = y + _HEIGHT / 2
        colour = COLOURS[line.verdict]
        marks = [text_at(self.left - 8, middle + 4, _name(line), anchor="end")]
        low, high, judged = (self.x(line.ratio(v)) for v in (line.low, line.high, line.judged))
        if line.floor:
            marks.append(_tick(self.x(line.ratio(_beside(line, line.floor[1]))), middle))
        if line.peer:
            marks.append(diamond_at(self.x(line.ratio(_beside(line, line.peer[1]))), middle))
        if abs(high - low) > 1:
            marks.append(line_at((low, middle), (high, middle), colour, 2))
        marks.append(dot_at(judged, middle, colour))
        return [*marks, text_at(self.left + _PLOT + 10, middle + 4, _told(line), colour)]

    def axis(self, bottom: int) -> list[str]:
        """The ground of what is reached, and ticks."""
        width = self.x(1.0) - self.left
        marks = [bar_at(self.left, _TOP, width, bottom - _TOP, "#eef6ef")]
        for tick in _TICKS:
            x = self.x(tick)
            colour, thick = ("#333", 1.5) if tick == 1 else ("#ccc", 1.0)
            marks.append(line_at((x, _TOP - 4), (x, bottom), colour, thick))
            marks.append(text_at(x, _TOP - 8, f"{tick:g}", anchor="middle"))
        return [*marks, text_at(8, _TOP - 8, "times the goal; left of 1 is reached")]

    def x(self, ratio: float) -> float:
        """Logarithmic."""
        shown = min(max(ratio, _LEAST), _MOST)
        return self.left + _PLOT * math.log(shown / _LEAST) / math.log(_MOST / _LEAST)


def _beside(line: Line, value: float) -> float:
    """A peer's or the floor's figure as the goal judges ours."""
    if not line.goal.against:
        return value
    if line.goal.kind == "difference":
        return value - (line.floor[1] if line.floor else 0.0)
    # Of a ratio to one of them, by what ours is of it.
    return line.judged * value / line.told


def _legend() -> list[str]:
    marks = []
    x = 14.0
    for verdict, colour in COLOURS.items():
        marks.append(dot_at(x, 16, colour))
        marks.append(text_at(x + 9, 20, verdict))
        x += 100
    return [
        *marks,
        diamond_at(x, 16), text_at(x + 9, 20, "best peer"),
        _tick(x + 100, 16), text_at(x + 109, 20, "floor"),
        line_at((x + 180, 16), (x + 204, 16), "#555", 2), text_at(x + 210, 20, "interval"),
    ]  # fmt: skip


def _tick(x: float, y: float) -> str:
    return line_at((x, y - 7), (x, y + 7), "#555", 2)
