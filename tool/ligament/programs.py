# SPDX-License-Identifier: Apache-2.0
"""Other programs: what they say, if they are there and answer in time, and that none is left."""

from __future__ import annotations

import ctypes
import signal
import subprocess
from collections.abc import Sequence

_PR_SET_PDEATHSIG = 1
# Looked up before any fork: the child may only call what is already loaded.
_libc = ctypes.CDLL(None, use_errno=True)


def end_with_tool() -> None:
    """Run in the child (`preexec_fn`): it is asked to end when the tool dies, however that is."""
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)


def asked(command: Sequence[str], timeout_s: float) -> subprocess.CompletedProcess[str] | None:
    """Run a program to its end; None where it cannot be started, or takes longer."""
    try:
        return subprocess.run(
            command, capture_output=True, text=True, timeout=timeout_s, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
