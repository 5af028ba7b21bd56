# SPDX-License-Identifier: Apache-2.0
"""`ligament agent`: a place held for microcontrollers."""

from __future__ import annotations

from ligament.errors import FailureError


def agent() -> None:
    """Serve microcontrollers: not in this version."""
    raise FailureError("the agent comes with microcontrollers, which this version does not have")
