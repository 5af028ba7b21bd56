# SPDX-License-Identifier: Apache-2.0
"""What a host says of itself: version, processor, clocks. Asked here and there, and compared."""

from __future__ import annotations

import ctypes
import hashlib
import os
import shutil
import time
from pathlib import Path
from typing import Any

from ligament import __version__, resources

_TIME_ERROR = 5
"""adjtimex: the kernel's clock is not synchronised."""


class _Timex(ctypes.Structure):
    """The beginning of struct timex (linux/timex.h), and room for the rest."""

    _fields_ = (
        ("modes", ctypes.c_uint),
        ("offset", ctypes.c_long),
        ("freq", ctypes.c_long),
        ("maxerror", ctypes.c_long),
        ("esterror", ctypes.c_long),
        ("rest", ctypes.c_byte * 256),
    )


def describe(folder: Path) -> dict[str, Any]:
    """All that is compared before anything is copied."""
    return {
        "version": __version__,
        "headers": headers_digest(),
        "machine": os.uname().machine,
        "folder": str(folder),
        "free_bytes": shutil.disk_usage(folder).free,
        "boot_id": _boot_id(),
        "clock_sync": clock_sync(),
        **clocks(),
    }


def clocks() -> dict[str, int]:
    """Both clocks, read one after the other."""
    return {
        "monotonic_ns": time.clock_gettime_ns(time.CLOCK_MONOTONIC),
        "realtime_ns": time.clock_gettime_ns(time.CLOCK_REALTIME),
    }


def headers_digest(prefix: Path | None = None) -> str | None:
    """Digest of the runtime's public headers: what libraries of nodes were compiled against.

    None where they are not installed. `prefix`: of another runtime than this Python's.
    """
    folder = (prefix or resources.prefix()) / "include" / "ligament"
    if not folder.is_dir():
        return None
    found = hashlib.sha256()
    # Not those of messages, which are many, and made by rules that are in these.
    for path in sorted([*folder.glob("*.hpp"), *(folder / "detail").glob("*.hpp")]):
        found.update(f"{path.relative_to(folder)}\0".encode())
        found.update(path.read_bytes())
    return found.hexdigest()


def clock_sync() -> dict[str, Any] | None:
    """What the kernel knows of who sets its real-time clock (NTP, PTP); None: it does not tell."""
    state = _Timex()
    try:
        answer = ctypes.CDLL(None, use_errno=True).adjtimex(ctypes.byref(state))
    except AttributeError:
        return None
    if answer < 0:
        return None
    return {
        "synchronised": answer != _TIME_ERROR,
        "max_error_us": int(state.maxerror),
        "estimated_error_us": int(state.esterror),
    }


def _boot_id() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""
