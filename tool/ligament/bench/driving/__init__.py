# SPDX-License-Identifier: Apache-2.0
"""`ligament bench driving`: benchmarks/driving/README.md says what is measured and how."""

from __future__ import annotations

from dataclasses import dataclass

from ligament.bench.driving.chain import measure_chain
from ligament.bench.driving.drives import late_drives, measure_drives, weather_drives
from ligament.bench.driving.goals import FIGURES
from ligament.bench.driving.hardware import measure_hardware
from ligament.bench.driving.pictures import other_texts
from ligament.bench.driving.versions import measure_slam, measure_versions
from ligament.bench.measuring import Measured
from ligament.bench.options import Lists, option

__all__ = ["FIGURES", "Options", "measure", "other_texts"]

PARTS = ("chain", "versions", "slam", "drives", "delay", "hardware")


@dataclass(frozen=True)
class Options:
    """In typer's form."""

    only: str = option(
        "", "Parts, a list with commas (chain,versions,slam,drives,delay,hardware); all if empty."
    )
    seeds: str = option("", "Of drives in good weather, a list with commas (1,2,3); else 1 to 10.")
    delays: str = option(
        "", "Of commands, in ms, a list with commas (0,274); else ten, and jitters."
    )
    kept: str = option(
        "", "Folder for logs of drives. What it has already is not driven again.", metavar="DIR"
    )


def measure(quick: bool, options: Options) -> Measured:
    """The parts, one after the other."""
    lists = Lists()
    parts = lists.words("--only", options.only, PARTS) or list(PARTS)
    seeds = lists.numbers("--seeds", options.seeds, range(10_000))
    late = lists.numbers("--delays", options.delays, range(2001))
    lists.raise_mistakes()
    result = Measured([])
    if "chain" in parts:
        measure_chain(quick, result)
    if "versions" in parts:
        measure_versions(quick, result)
    if "slam" in parts:
        measure_slam(quick, result)
    planned = []
    if "drives" in parts:
        planned += weather_drives(quick, seeds)
    if "delay" in parts:
        planned += late_drives(quick, late)
    measure_drives(planned, options.kept, result)
    if "hardware" in parts:
        measure_hardware(quick, options.kept, result)
    return result
