# SPDX-License-Identifier: Apache-2.0
"""Sensors of boards through hwmon: energy counters, powers, or a voltage and a current.

/sys/class/hwmon/hwmon0/{name,energy1_input,power1_input,in1_input,curr1_input,*_label}; the units
are uJ, uW, mV and mA. An INA3221, as on Jetson boards, has in and curr only; an INA226 or INA260,
as on Kria boards, has power as well. Sensors of rails may lie behind one another.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from ligament.meter.sensors import Counter, Power, Sensor, read_number

FOLDER = Path("class/hwmon")
_INPUT = re.compile(r"(energy|power|curr)(\d+)_(input|average)")


def hwmon_sensors(sysfs: Path) -> Iterator[Sensor]:
    """One sensor per channel, by the best thing that it has."""
    for folder in sorted((sysfs / FOLDER).glob("hwmon*")):
        kinds = _kinds(folder)
        energies = kinds["energy"]
        powers = {channel for channel in kinds["power"] if channel not in energies}
        currents = set() if energies or powers else kinds["curr"]
        for channel in sorted(energies):
            read = _reader(folder / f"energy{channel}_input")
            yield Counter(_name(folder, "energy", channel), "hwmon", read, 1e-6)
        for channel in sorted(powers):
            yield Power(_name(folder, "power", channel), "hwmon", _watts(folder, channel))
        for channel in sorted(currents):
            if (folder / f"in{channel}_input").is_file():
                name = _name(folder, "in", channel)
                yield Power(name, "hwmon", _volts_times_amperes(folder, channel))


def _kinds(folder: Path) -> dict[str, set[int]]:
    kinds: dict[str, set[int]] = {"energy": set(), "power": set(), "curr": set()}
    try:
        names = [path.name for path in folder.iterdir()]
    except OSError:
        return kinds
    for name in names:
        if match := _INPUT.fullmatch(name):
            kinds[match[1]].add(int(match[2]))
    return kinds


def _reader(path: Path) -> Callable[[], int]:
    return lambda: read_number(path)


def _watts(folder: Path, channel: int) -> Callable[[], float]:
    """The chip's own mean where it makes one: it misses nothing between two looks."""
    average = folder / f"power{channel}_average"
    path = average if average.is_file() else folder / f"power{channel}_input"
    return lambda: read_number(path) * 1e-6


def _volts_times_amperes(folder: Path, channel: int) -> Callable[[], float]:
    volts, amperes = folder / f"in{channel}_input", folder / f"curr{channel}_input"
    return lambda: read_number(volts) * 1e-3 * read_number(amperes) * 1e-3


def _name(folder: Path, kind: str, channel: int) -> str:
    """`ina3221 VDD_IN`: the chip and the rail, where they have names."""
    chip = _text(folder / "name") or folder.name
    return f"{chip} {_text(folder / f'{kind}{channel}_label') or f'{kind}{channel}'}"


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()[:60]
    except OSError:
        return ""
