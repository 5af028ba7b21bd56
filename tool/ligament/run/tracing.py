# SPDX-License-Identifier: Apache-2.0
"""The recording of a run: where `ligament run` meets the trace room's sessions."""

from __future__ import annotations

from pathlib import Path
from typing import Any


class TraceSession:
    """Starts and stops a recording; without a provider all of it does nothing."""

    def __init__(self, provider: str | None) -> None:
        self._provider = provider
        self._started = False
        self._described: dict[str, Any] | None = None

    def require(self) -> None:
        """Raise with what to install if this machine cannot record."""

    def start(self, folder: Path, run_id: str) -> dict[str, Any] | None:
        """Start recording into `folder`; returns the `trace` entry of run.json."""
        return None

    def stop(self) -> dict[str, Any] | None:
        """Stop once; returns the `trace` entry with what was lost."""
        return None
