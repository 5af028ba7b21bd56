# SPDX-License-Identifier: Apache-2.0
"""Where `ligament run` meets the meters: they are looked at whenever figures are shown."""

from __future__ import annotations

from ligament.meter import EnergyMeter
from ligament.run.outcome import Observer
from ligament.run.status import StatusBoard


class Metered:
    """An observer in front of another one. No thread: containers are forked from this process."""

    def __init__(self, observer: Observer, meter: EnergyMeter) -> None:
        self._observer = observer
        self._meter = meter

    def note(self, text: str) -> None:
        """Hand it on."""
        self._observer.note(text)

    def progress(self, text: str) -> None:
        """Hand it on."""
        self._observer.progress(text)

    def figures(self, board: StatusBoard) -> None:
        """Sample, four times a second, and hand it on."""
        self._meter.sample()
        self._observer.figures(board)
