# SPDX-License-Identifier: Apache-2.0
"""What may be said about a report."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

WARM_UP_FRAMES = 10


@dataclass(frozen=True)
class ReportOptions:
    """What the runs are compared with, and how many first frames are left out of the figures."""

    reference: str | None = None
    """Name of the variant that the others are compared with; default: the first."""
    expected: Path | None = None
    """Frames that something independent computed, in the sink's form."""
    warm_up: int = WARM_UP_FRAMES
