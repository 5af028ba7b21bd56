# SPDX-License-Identifier: Apache-2.0
"""Times for people."""

from __future__ import annotations


def time_text(value: float) -> str:
    """A time with three digits and its unit."""
    for limit, factor, unit in ((1e9, 1e-9, "s"), (1e6, 1e-6, "ms"), (1e3, 1e-3, "us")):
        if value >= limit:
            return f"{value * factor:.3g} {unit}"
    return f"{value:.0f} ns"
