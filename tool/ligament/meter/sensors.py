# SPDX-License-Identifier: Apache-2.0
"""What measures: a counter of joules, or a power that is added up between looks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol


class Sensor(Protocol):
    """One meter. `look` raises OSError or ValueError where it cannot be read."""

    name: str
    kind: str
    interval_s: float
    """How often it must be looked at."""

    def look(self, now_s: float) -> None:
        """Read it."""

    @property
    def joules(self) -> float:
        """Energy between the first look and the last."""


def read_number(path: Path) -> int:
    """The whole number that a file of sysfs holds; ValueError for anything else."""
    text = path.read_text(encoding="ascii", errors="replace").strip()
    if not text.lstrip("-").isdigit():
        raise ValueError(f"{path} holds no number: {text[:40]!r}")
    return int(text)


@dataclass
class Counter:
    """A counter that grows with the energy, and begins again at `wraps_at`."""

    name: str
    kind: str
    read: Callable[[], int]
    joules_per_unit: float
    wraps_at: int | None = None
    interval_s: float = 20.0
    _last: int | None = None
    _sum: int = 0

    def look(self, now_s: float) -> None:
        """Add what was counted since the last look; a counter begins again at most once between."""
        value = self.read()
        if self._last is not None:
            grown = value - self._last
            if grown < 0:
                grown = grown + self.wraps_at if self.wraps_at else 0
            self._sum += max(0, grown)
        self._last = value

    @property
    def joules(self) -> float:
        """Energy between the first look and the last."""
        return self._sum * self.joules_per_unit


@dataclass
class Power:
    """A power, which is taken to change evenly between two looks."""

    name: str
    kind: str
    read: Callable[[], float]
    interval_s: float = 0.25
    _last: tuple[float, float] | None = None
    _sum: float = 0.0

    def look(self, now_s: float) -> None:
        """Add the energy since the last look."""
        watts = self.read()
        if self._last is not None:
            then_s, before = self._last
            self._sum += max(0.0, (watts + before) / 2) * max(0.0, now_s - then_s)
        self._last = (now_s, watts)

    @property
    def joules(self) -> float:
        """Energy between the first look and the last."""
        return self._sum
