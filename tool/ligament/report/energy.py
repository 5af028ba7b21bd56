# SPDX-License-Identifier: Apache-2.0
"""Energy per message: what the meters counted over a run, by the messages that came through."""

from __future__ import annotations

from typing import Any


def energy_per_message(energy: Any, messages: int) -> dict[str, Any] | None:
    """From the `energy` of run.json; None for a run whose record tells nothing of it."""
    if not isinstance(energy, dict):
        return None
    joules = _joules(energy.get("joules"))
    return {
        "joules": joules,
        "per_message_j": None if joules is None or messages < 1 else joules / messages,
        "text": str(energy.get("text", "")),
    }


def _joules(value: Any) -> float | None:
    known = isinstance(value, int | float) and not isinstance(value, bool) and value >= 0
    return float(value) if known else None
