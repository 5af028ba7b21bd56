# SPDX-License-Identifier: Apache-2.0
"""One way to a core and one way back, by the core's clock.

The core writes its clock into the text when it has it. Round trips of small texts between tell how
that clock lies to this computer's; the bound is how wrong that may be, and so both ways.
"""

from __future__ import annotations

from collections.abc import Iterable

from ligament.bench.mcu.links import Rig
from ligament.bench.mcu.options import Place
from ligament.bench.mcu.rows import params_of
from ligament.bench.measuring import Measured, Row, make_row, say

#: Its image by link.
IMAGES = {"rpmsg": "one_way", "freertos": "one_way_freertos", "r5f": "one_way_r5"}
WAYS = {"to_core_ns": "to the core", "to_host_ns": "from the core"}
#: Letters of the stamp.
LEAST_BYTES = 16


def measure_one_way(
    places: Iterable[Place], sizes: Iterable[int], messages: int, measured: Measured
) -> None:
    """All links to an emulated core that are behind a node of ours."""
    kept = [size for size in sizes if size >= LEAST_BYTES]
    for place in places:
        if place.at != "shm" or place.link not in IMAGES:
            continue
        say("mcu", f"one way: {place.title}")
        with (
            measured.attempt(f"one way, {place.title}"),
            Rig(place, 2 * messages * len(kept), image=IMAGES[place.link]) as rig,
        ):
            for size in kept:
                measured.rows += rows_of_ways(place, size, rig.one_way(size, messages))


def rows_of_ways(place: Place, size: int, told: dict[str, list[float] | float]) -> list[Row]:
    """Both ways of one size, and the bound of their clock."""
    params = params_of(place, bytes=size)
    rows = [
        make_row("mcu", {**params, "way": way}, "one_way", "ns", told[key])
        for key, way in WAYS.items()
    ]
    return [*rows, make_row("mcu", params, "one_way_bound", "ns", told["bound_ns"])]
