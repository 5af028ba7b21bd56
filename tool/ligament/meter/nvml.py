# SPDX-License-Identifier: Apache-2.0
"""NVIDIA's counters, through the driver's own library (NVML): millijoules since the driver came up.

The library is asked, not `nvidia-smi`: a process per look would use energy itself, and that program
tells powers only. Processors before Volta have no counter, and are left out.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator

from ligament.meter.sensors import Counter

LIBRARY = "libnvidia-ml.so.1"
_NAME_BYTES = 96


def nvml_sensors(library: str = LIBRARY) -> Iterator[Counter]:
    """One counter per GPU that has one; none where there is no driver."""
    try:
        nvml = ctypes.CDLL(library)
        if nvml.nvmlInit_v2() != 0:
            return
        count = ctypes.c_uint(0)
        if nvml.nvmlDeviceGetCount_v2(ctypes.byref(count)) != 0:
            return
    except (OSError, AttributeError):
        return
    for index in range(min(count.value, 64)):
        device = ctypes.c_void_p()
        if nvml.nvmlDeviceGetHandleByIndex_v2(ctypes.c_uint(index), ctypes.byref(device)) != 0:
            continue
        read = _reader(nvml, device)
        try:
            read()
        except (OSError, AttributeError):
            continue
        yield Counter(f"gpu{index} {_name(nvml, device)}", "nvml", read, 1e-3)


def _reader(nvml: ctypes.CDLL, device: ctypes.c_void_p) -> Callable[[], int]:
    def read() -> int:
        value = ctypes.c_ulonglong(0)
        code = nvml.nvmlDeviceGetTotalEnergyConsumption(device, ctypes.byref(value))
        if code != 0:
            raise OSError(f"NVML refused its energy counter (code {code})")
        return value.value

    return read


def _name(nvml: ctypes.CDLL, device: ctypes.c_void_p) -> str:
    text = ctypes.create_string_buffer(_NAME_BYTES)
    if nvml.nvmlDeviceGetName(device, text, ctypes.c_uint(_NAME_BYTES)) != 0:
        return "NVIDIA"
    return text.value.decode("utf-8", "replace")
