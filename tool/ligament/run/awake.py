# SPDX-License-Identifier: Apache-2.0
"""Keep the processor's cores out of their idle states while something is measured or controlled.

A core that has gone idle takes 10 to 100 us to come back, on virtual machines most of all, and each
hand-over between processes pays it. Linux's own remedy is the power-management quality of service:
while a process holds /dev/cpu_dma_latency open with a 0 written to it, idle cores poll instead of
sleeping (Documentation/power/pm_qos_interface.rst). It costs power, and the right to open the file.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PM_QOS = Path("/dev/cpu_dma_latency")


@contextmanager
def cores_awake(device: Path = PM_QOS) -> Iterator[bool]:
    """Hold the cores awake inside the block; yields whether that was allowed."""
    try:
        held = os.open(device, os.O_WRONLY | os.O_CLOEXEC)
    except OSError:
        yield False
        return
    try:
        os.write(held, struct.pack("i", 0))
        yield True
    finally:
        os.close(held)


def wake_latency_limit_us(device: Path = PM_QOS) -> int | None:
    """The limit that holds now; None where it cannot be read."""
    try:
        with device.open("rb", buffering=0) as file:
            (limit,) = struct.unpack("i", file.read(4))
    except (OSError, struct.error):
        return None
    return int(limit)
