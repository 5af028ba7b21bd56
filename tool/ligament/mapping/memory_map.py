# SPDX-License-Identifier: Apache-2.0
"""The memory of a microcontroller (spec/platform/memory.schema.json): one table, and its checks.

Linker script and firmware have it by `firmware/cmake/memory.cmake`, emulator and agent by
`MemoryMap`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ligament.errors import Location, Problem, listing

#: Of the area and its parts, as firmware/rpmsg/include/ligament/rpmsg_layout.h says; a test
#: compares the sums.
ALIGN = 4096
#: Counts in the ring of events behind RPMsg's parts, and the ring's bytes
#: (firmware/node/include/ligament/mcu_trace.h; the test compares these, too).
ENDS = 256
EVENTS = 256 + ENDS * 4 + 4096 * 16
_REGION_ALIGN = 8
"""A stack begins at a region's end."""
_END = 1 << 32

At = Callable[..., Location]


@dataclass(frozen=True)
class Region:
    """A piece of memory, as the core sees it."""

    address: int
    bytes: int
    access: str = ""

    @property
    def end(self) -> int:
        """Return the first address behind it."""
        return self.address + self.bytes

    def __str__(self) -> str:
        return f"0x{self.address:08X} to 0x{self.end - 1:08X}"


@dataclass(frozen=True)
class MemoryMap:
    """Where things are in a microcontroller's memory."""

    regions: Mapping[str, Region]
    shared: Region
    area: Region
    buffers: int
    buffer_size: int
    blocks: int
    block_size: int

    @property
    def offset(self) -> int:
        """Return where the area begins in the file that is the shared memory on the host."""
        return self.area.address - self.shared.address

    @property
    def needed(self) -> int:
        """Return how many bytes RPMsg's parts and the ring of events take."""
        avail = 16 * self.buffers + 6 + 2 * self.buffers
        ring = _aligned(_aligned(avail) + 6 + 8 * self.buffers)
        buffers = _aligned(self.buffers * self.buffer_size)
        slab = _aligned(self.blocks * self.block_size)
        return ALIGN + 2 * (ring + buffers + slab) + EVENTS

    def to_json(self) -> dict[str, Any]:
        """Return the table, as its file has it."""
        area = {
            "buffers": self.buffers,
            "buffer_size": self.buffer_size,
            "blocks": self.blocks,
            "block_size": self.block_size,
        }
        return {
            "schema": "ligament/memory/1",
            "regions": {
                name: _shown(region) | {"access": region.access}
                for name, region in self.regions.items()
            },
            "shared": _shown(self.shared),
            "area": _shown(self.area) | area,
        }


def _aligned(size: int) -> int:
    return -(-size // ALIGN) * ALIGN


def _shown(region: Region) -> dict[str, Any]:
    return {"address": f"0x{region.address:08X}", "bytes": f"0x{region.bytes:08X}"}


def _number(value: int | str) -> int:
    return value if isinstance(value, int) else int(value, 16)


def _region(data: Mapping[str, Any]) -> Region:
    return Region(_number(data["address"]), _number(data["bytes"]), data.get("access", ""))


def memory_map_of(data: Mapping[str, Any]) -> MemoryMap:
    """Return the map of schema-valid data."""
    area = data["area"]
    return MemoryMap(
        {name: _region(region) for name, region in data["regions"].items()},
        _region(data["shared"]),
        _region(area),
        area.get("buffers", 64),
        area.get("buffer_size", 512),
        area.get("blocks", 32),
        area.get("block_size", 4096),
    )


def memory_problems(memory: MemoryMap, at: At, whose: str) -> Iterator[Problem]:
    """Yield what cannot be of a map; `at` finds its members, `whose` names it."""
    pieces: dict[str, tuple[str, ...]] = {
        f"the region '{name}'": ("regions", name) for name in memory.regions
    }
    regions = dict(zip(pieces, memory.regions.values(), strict=True))
    regions |= {"the shared memory": memory.shared, "the area": memory.area}
    pieces |= {"the shared memory": ("shared",), "the area": ("area",)}
    for name, region in regions.items():
        yield from _place_problems(f"{name} of {whose}", region, at, pieces[name])
    yield from _area_problems(memory, at, whose)
    del regions["the shared memory"]
    yield from _overlaps(regions, pieces, at, whose)


def _place_problems(name: str, region: Region, at: At, path: tuple[str, ...]) -> Iterator[Problem]:
    align = ALIGN if path[0] == "area" else _REGION_ALIGN
    for key in ("address", "bytes"):
        value = getattr(region, key)
        if value % align:
            yield Problem(
                "memory-alignment",
                f"`{key}` of {name} is 0x{value:08X}",
                at(*path, key),
                expected=f"a multiple of {align}",
            )
        elif key == "bytes" and value == 0:
            yield Problem(
                "memory-small", f"{name} has no bytes", at(*path, key), expected="more than 0"
            )
    if region.end > _END:
        yield Problem(
            "memory-outside",
            f"{name} ends at 0x{region.end - 1:X}, and the core has addresses of 32 bits",
            at(*path, "bytes"),
            expected=f"at most 0x{_END - region.address:X} bytes",
        )


def _area_problems(memory: MemoryMap, at: At, whose: str) -> Iterator[Problem]:
    area, shared = memory.area, memory.shared
    if area.address < shared.address or area.end > shared.end:
        yield Problem(
            "memory-outside",
            f"the area of {whose} is {area}, and the shared memory {shared}",
            at("area", "address"),
            expected="an area within the shared memory: the host reaches nothing else",
        )
    if area.bytes < memory.needed:
        yield Problem(
            "memory-small",
            f"the area of {whose} has 0x{area.bytes:08X} bytes, and {memory.buffers} buffers of "
            f"{memory.buffer_size} and {memory.blocks} blocks of {memory.block_size} bytes in each "
            f"direction take 0x{memory.needed:08X} with their rings",
            at("area", "bytes"),
            expected="more bytes, or fewer or smaller buffers or blocks",
        )


def _overlaps(
    regions: Mapping[str, Region],
    pieces: Mapping[str, tuple[str, ...]],
    at: At,
    whose: str,
) -> Iterator[Problem]:
    names = list(regions)
    for i, name in enumerate(names):
        for other in names[:i]:
            one, two = regions[other], regions[name]
            if one.address < two.end and two.address < one.end:
                yield Problem(
                    "memory-overlap",
                    f"{name} of {whose} is {two}, and {other} is {one}",
                    at(*pieces[name], "address"),
                    expected="pieces of memory that do not overlap",
                    notes=((f"{other} is here", at(*pieces[other], "address")),),
                )


def board_problems(memory: MemoryMap, board: str, own: MemoryMap, at: At) -> Iterator[Problem]:
    """Yield where a map does not fit the board: its linker script, and its emulator."""
    if sorted(memory.regions) != sorted(own.regions):
        yield Problem(
            "memory-regions",
            f"the linker script of {board} does not know the regions "
            f"{listing(sorted(memory.regions))}",
            at("regions"),
            expected=listing(sorted(own.regions)),
        )
    if memory.shared != own.shared:
        yield Problem(
            "memory-shared",
            f"the shared memory is {memory.shared}, which is not what the emulator of {board} "
            "shares",
            at("shared"),
            expected=str(own.shared),
        )
