# SPDX-License-Identifier: Apache-2.0
"""Programs that are asked something: what they say, if they are there and answer in time."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence


def asked(command: Sequence[str], timeout_s: float) -> subprocess.CompletedProcess[str] | None:
    """Run a program to its end; None where it cannot be started, or takes longer."""
    try:
        return subprocess.run(
            command, capture_output=True, text=True, timeout=timeout_s, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
