# SPDX-License-Identifier: Apache-2.0
"""The recording of a run: where `ligament run` meets the trace room's sessions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ligament.errors import InputError, Problem
from ligament.trace.errors import TraceError
from ligament.trace.session import TraceSession, require_lttng


class Recording:
    """One run's recording; without a provider (no --trace) all of it does nothing."""

    def __init__(self, provider: str | None) -> None:
        self._provider = provider
        self._session: TraceSession | None = None

    def require(self) -> None:
        """Raise with what to install if this machine cannot record; before anything is started."""
        if self._provider is None:
            return
        try:
            require_lttng(self._provider)
        except TraceError as error:
            problem = Problem("lttng-missing", error.text, hint=error.hint)
            raise InputError(problem) from error

    def start(self, folder: Path) -> dict[str, Any] | None:
        """Start recording into `folder`; returns the `trace` entry of run.json."""
        if self._provider is None:
            return None
        self._session = TraceSession(folder, provider=self._provider)
        return self._session.start().as_dict()

    def environment(self) -> dict[str, str]:
        """What a container needs in its environment to be recorded."""
        return self._session.environment() if self._session else {}

    def stop(self) -> dict[str, Any] | None:
        """Stop; returns the `trace` entry with what was lost. A second call changes nothing."""
        summary = self._session.stop() if self._session else None
        return summary.as_dict() if summary else None
