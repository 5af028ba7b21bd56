# SPDX-License-Identifier: Apache-2.0
"""All meters of the machine over one run, and their sum without counting anything twice.

What is measured is the whole machine (or chip), other programs and idling included: there is no
meter of a process. spec/run/run.md says what is summed.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ligament.meter.hwmon import hwmon_sensors
from ligament.meter.nvml import nvml_sensors
from ligament.meter.rapl import rapl_sensors
from ligament.meter.sensors import Sensor

SYSFS = Path("/sys")


class EnergyMeter:
    """Start, sample now and then, stop."""

    def __init__(
        self, sysfs: Path = SYSFS, clock: Callable[[], float] = time.monotonic, nvml: bool = True
    ) -> None:
        self._clock = clock
        self._sensors: list[Sensor] = [
            *rapl_sensors(sysfs),
            *hwmon_sensors(sysfs),
            *(nvml_sensors() if nvml else ()),
        ]
        self._refused: list[str] = []
        self._looked: dict[int, float] = {}
        """When, by the sensor's identity: two chips may have one name."""
        self._started = 0.0

    def start(self) -> None:
        """Look at every meter; those that cannot be read are left out, with the reason."""
        self._started = self._clock()
        self._look(self._sensors)

    def sample(self) -> None:
        """Look at those meters whose time it is; cheap if called often."""
        now = self._clock()
        self._look([s for s in self._sensors if now - self._looked[id(s)] >= s.interval_s])

    def stop(self) -> dict[str, Any]:
        """Look for the last time; the `energy` entry of run.json."""
        self._look(self._sensors)
        counted = self._counted()
        joules = sum(sensor.joules for sensor in counted) if counted else None
        return {
            "joules": joules,
            "elapsed_ns": int((self._clock() - self._started) * 1e9),
            "meters": [
                {"name": s.name, "kind": s.kind, "joules": s.joules, "counted": s in counted}
                for s in self._sensors
            ],
            "text": self._text(counted),
        }

    def _look(self, sensors: list[Sensor]) -> None:
        now = self._clock()
        for sensor in list(sensors):
            try:
                sensor.look(now)
                self._looked[id(sensor)] = now
            except (OSError, ValueError) as error:
                self._sensors.remove(sensor)
                why = error.strerror if isinstance(error, OSError) and error.strerror else error
                self._refused.append(f"{sensor.name}: {why}")

    def _counted(self) -> list[Sensor]:
        """Counters of chips, which do not hold each other; else the board's largest sensor."""
        chips = [s for s in self._sensors if s.kind in ("rapl", "nvml")]
        if chips:
            return chips
        # A board's input holds its rails: the largest is the most that is known.
        return sorted(self._sensors, key=lambda s: s.joules)[-1:]

    def _text(self, counted: list[Sensor]) -> str:
        refused = f"; not read: {'; '.join(self._refused)}" if self._refused else ""
        if counted:
            names = ", ".join(sensor.name for sensor in counted)
            return f"measured by {names}, of the whole machine, idling included{refused}"
        if self._refused:
            return f"no meter that may be read: {'; '.join(self._refused)}"
        return "no meter (no RAPL, NVML or hwmon sensor on this machine)"
