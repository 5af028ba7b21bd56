# SPDX-License-Identifier: Apache-2.0
"""Idle processors that do not sleep, for as long as something is measured.

A processor that sleeps takes microseconds to wake, 10 to 30 in a virtual machine. Machines set up
for real time keep theirs awake, and so does cyclictest while it measures: the kernel keeps them so
while somebody has this device open.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

#: The kernel's PM QoS interface: the longest wake-up that its opener can bear.
DEVICE = Path("/dev/cpu_dma_latency")
ASLEEP = "idle processors sleep, as this machine has it: wake-ups cost what it takes for them"


@contextmanager
def awake_processors(device: Path = DEVICE) -> Iterator[str]:
    """Keep idle processors awake; gives a note that says whether they are."""
    try:
        request = device.open("wb", buffering=0)
    except OSError as error:
        yield f"{ASLEEP} ({device} cannot be opened: {error.strerror})"
        return
    with request:
        request.write(struct.pack("i", 0))
        yield (
            "idle processors were kept from sleeping, for programs with and without ROS alike, as "
            "machines for real time are set up (--asleep: as the machine has it)"
        )
