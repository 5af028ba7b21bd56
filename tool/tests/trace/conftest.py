# SPDX-License-Identifier: Apache-2.0
"""Real recordings: a C++ program emits a made-up graph's events through the real provider."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from runtime_programs import find_helper

from ligament.trace.errors import TraceError
from ligament.trace.session import TraceSession, provider_path, require_lttng

Emit = Callable[[dict[str, str], str, int], dict[str, Any]]


@pytest.fixture
def emit() -> Emit:
    """Run the emitter with an extra environment; returns what it printed."""
    try:
        require_lttng()
    except TraceError as error:
        pytest.skip(str(error))
    emitter = find_helper("trace_emitter")

    def run(environment: dict[str, str], kind: str, count: int) -> dict[str, Any]:
        result = subprocess.run(
            [str(emitter), str(provider_path()), "run-1", kind, str(count)],
            env={**os.environ, **environment}, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert result.returncode == 0, result.stderr
        printed: dict[str, Any] = json.loads(result.stdout) if result.stdout else {}
        return printed

    return run


@pytest.fixture
def recording(emit: Emit, tmp_path: Path) -> Path:
    """A recording of 20 frames."""
    session = TraceSession(tmp_path / "trace", subbuffer_bytes=1024 * 1024)
    with session:
        emit(session.environment(), "chain", 20)
    return tmp_path / "trace"
