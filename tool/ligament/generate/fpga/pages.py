# SPDX-License-Identifier: Apache-2.0
"""The pages that a design has open at once, held against its device's table of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ligament.errors import InputError, Problem
from ligament.generate.fpga.plan import Design

#: Rooms that software lends (runtime/src/fpga/ends.cpp): to an exit, and to a gateway at most.
EXIT_ROOMS = 2
MOST_ROOMS = 4


def check_pages(design: Design, longest: Mapping[str, int]) -> None:
    """Raise InputError where an end could wait for pages forever.

    `longest` has the bytes of each message type at most.
    """
    device = design.device
    if not device.pages:
        return
    # Wherever it begins within its first page.
    needed = sum(bytes_ // device.page_bytes + 2 for bytes_ in _runs(design, longest))
    if needed <= device.pages:
        return
    raise InputError(
        Problem(
            "design-pages",
            f"the design '{design.name}' has {needed} pages of {device.page_bytes} bytes open at "
            f"once, for messages of their largest size; '{device.name}' has {device.pages}",
            expected=f"pages: {{count: {1 << (needed - 1).bit_length()}}} at the platform's link "
            "(65536 at most), or smaller bounds of the messages",
        )
    )


def _runs(design: Design, longest: Mapping[str, int]) -> Iterator[int]:
    """Bytes of each run of memory that hardware is told of at the same time."""
    for link in design.entries:
        yield longest[link.message]
    for link in design.exits:
        yield from [longest[link.message]] * EXIT_ROOMS
    for ends in design.gateways:
        rooms = min(ends.mapped.rooms, MOST_ROOMS)
        yield from [ends.mapped.room_bytes] * (rooms + (ends.mapped.subscription is not None))
