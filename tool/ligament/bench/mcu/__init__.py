# SPDX-License-Identifier: Apache-2.0
"""`ligament bench mcu`: benchmarks/mcu/README.md says what is measured and how."""

from __future__ import annotations

from pathlib import Path

from ligament.artefacts import write_text
from ligament.bench.mcu.counts import count_all
from ligament.bench.mcu.density import svg_of
from ligament.bench.mcu.goals import FIGURES
from ligament.bench.mcu.links import Rig, require, stations_that_are_missing
from ligament.bench.mcu.one_way import measure_one_way
from ligament.bench.mcu.options import Options, Place, plan_of
from ligament.bench.mcu.rows import NOTES, fits, line_times, rows_of
from ligament.bench.mcu.table import print_result
from ligament.bench.measuring import Measured, in_turn, say

__all__ = ["FIGURES", "Options", "measure", "print_result"]

Times = dict[tuple[Place, int], list[int]]


def measure(quick: bool, options: Options) -> Measured:
    """All links in turn, each with all its sizes; then what follows from their times."""
    plan = plan_of(quick, options)
    measured = Measured([], notes=list(NOTES))
    require(plan.places)
    missing = stations_that_are_missing(plan.places)
    measured.notes += [f"left out: {place.title}: {why}" for place, why in missing.items()]
    places = [place for place in plan.places if place not in missing]
    times: Times = {}
    for number in range(plan.passes):
        for place in in_turn(places, number):
            say("mcu", f"pass {number + 1}/{plan.passes}: {place.title}")
            with measured.attempt(f"pass {number + 1}, {place.title}"):
                _one_pass(place, plan.sizes_of(place), plan.messages // plan.passes, times)
    measured.rows += rows_of(times)
    measured.rows += fits(times)
    measured.rows += line_times(times)
    if not options.only:
        measure_one_way(places, plan.sizes, plan.messages, measured)
        count_all(measured)
    if options.plot:
        write_text(Path(options.plot), svg_of(measured.rows))
    return measured


def _one_pass(place: Place, sizes: list[int], messages: int, times: Times) -> None:
    """All sizes with one start of the link; none of them counts if one fails."""
    found: dict[int, list[int]] = {}
    with Rig(place, messages * len(sizes)) as rig:
        for size in sizes:
            found[size] = rig.round_trips_ns(size, place.fewer(messages, size))
    for size, values in found.items():
        times.setdefault((place, size), []).extend(values)
