# SPDX-License-Identifier: Apache-2.0
"""A long build is never silent, whatever its steps say."""

from __future__ import annotations

import io
import time
from types import SimpleNamespace

import pytest

from ligament.build import progress
from ligament.build.progress import progress_bar


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def wait_for(stream: io.StringIO, text: str) -> None:
    until = time.monotonic() + 60
    while text not in stream.getvalue():
        assert time.monotonic() < until, stream.getvalue()
        time.sleep(0.01)


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    """Lines come at once, and time stands until it is moved."""
    monkeypatch.setattr(progress, "TERMINAL_S", 0.01)
    monkeypatch.setattr(progress, "LOG_S", 0.02)
    clock = SimpleNamespace(now=100.0)
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: clock.now))
    return clock


def test_a_log_gets_lines_before_the_first_step_and_between_steps(clock):
    stream = io.StringIO()
    with progress_bar(stream=stream) as advance:
        wait_for(stream, "building, 0 s\n")
        clock.now += 20
        advance(3, 12, "Building CXX object camera.o")
        wait_for(stream, "building: 3 of 12, 20 s, about 60 s yet, Building CXX object camera.o\n")
    assert "\r" not in stream.getvalue()


def test_a_terminal_has_one_line_that_goes_at_the_end():
    stream = Terminal()
    with progress_bar("making", stream=stream) as advance:
        advance(0, 12, "x" * 200)
        wait_for(stream, "making: 0 of 12, 0 s, " + "x" * 40)
    assert "\n" not in stream.getvalue()
    assert stream.getvalue().endswith("\r\033[K")
    assert max(len(line) for line in stream.getvalue().split("\r\033[K")) <= 100
