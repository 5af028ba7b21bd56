# SPDX-License-Identifier: Apache-2.0
"""RAPL through the kernel's powercap tree: counters in processors of Intel and AMD.

/sys/class/powercap/intel-rapl:0/{name,energy_uj,max_energy_range_uj} is a package; its parts lie
beside it as intel-rapl:0:0. Memory (`dram`) is not in its package's count; all other parts are.
`psys` holds the packages and more. Since Linux 5.10 only root may read the counters.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from pathlib import Path

from ligament.meter.sensors import Counter, read_number

FOLDER = Path("class/powercap")
_ZONE = re.compile(r"intel-rapl:\d+(:\d+)?")
_COUNTED = re.compile(r"(package|dram).*")


def rapl_sensors(sysfs: Path) -> Iterator[Counter]:
    """Packages and their memory: counts that do not hold each other."""
    zones = sorted(path for path in (sysfs / FOLDER).glob("intel-rapl:*") if _is_zone(path))
    for zone in zones:
        try:
            name = (zone / "name").read_text(encoding="ascii", errors="replace").strip()
            wraps_at = read_number(zone / "max_energy_range_uj")
        except (OSError, ValueError):
            continue
        if not _COUNTED.fullmatch(name):
            continue
        read = functools.partial(read_number, zone / "energy_uj")
        yield Counter(f"{zone.name} {name}", "rapl", read, 1e-6, wraps_at)


def _is_zone(path: Path) -> bool:
    return _ZONE.fullmatch(path.name) is not None
