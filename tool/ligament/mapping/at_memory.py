# SPDX-License-Identifier: Apache-2.0
"""Cells at a design's memory port, as `map` and its optimiser both count them."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field

from ligament.mapping.network_area import (
    Masters,
    area_of_converters,
    area_of_crossings,
    area_of_ends,
    area_of_port,
)


@dataclass
class AtMemory:
    """What of a design is at its memory port: widths of its streams. Unit: bits."""

    reads: list[int] = field(default_factory=list)
    writes: list[int] = field(default_factory=list)
    gateways: list[int] = field(default_factory=list)

    @property
    def bits(self) -> int:
        """Width of the port; 0 where nothing is at it."""
        return max([*self.reads, *self.writes, *self.gateways], default=0)


def areas_at_memory(
    family: str, streams: AtMemory, own_clocks: Set[str] = frozenset()
) -> list[Mapping[str, float]]:
    """Return the cells of ends, of the port that they share, and of its crossings.

    `own_clocks`: `memory` and `registers`, where they are not in the cores' domain.
    """
    width = streams.bits
    if not width:
        return []
    narrow_writes, narrow_reads = (
        sum(w < width for w in side) for side in (streams.writes, streams.reads)
    )
    masters = Masters(len(streams.gateways), len(streams.reads), len(streams.writes))
    return [
        area_of_ends(family, len(streams.writes), len(streams.reads), width),
        area_of_converters(family, narrow_writes, narrow_reads, width),
        area_of_port(family, masters.count),
        area_of_crossings(
            family,
            memory_bits=width if "memory" in own_clocks else None,
            registers="registers" in own_clocks,
        ),
    ]
