# SPDX-License-Identifier: Apache-2.0
"""The demo is never silent, and says about how long yet once it knows."""

from __future__ import annotations

import io
import json
import time
from pathlib import Path

import pytest

from ligament.demo import phases
from ligament.demo.phases import Phases


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def demo(stream: io.StringIO, memory: Path, clock: Clock) -> None:
    with Phases(stream, memory, clock) as say:
        for what, seconds in (("building", 40.0), ("running", 20.0)):
            say(what)
            clock.now += seconds


def test_the_second_demo_says_how_long_yet(tmp_path: Path) -> None:
    memory, clock, stream = tmp_path / "out" / "demo.json", Clock(), io.StringIO()
    memory.parent.mkdir()
    demo(stream, memory, clock)
    assert stream.getvalue().splitlines() == ["demo: building", "demo: running"]
    assert json.loads(memory.read_text())["seconds"] == {"building": 40.0, "running": 20.0}
    with Phases(stream, memory, clock) as say:
        say("building")
        clock.now += 10
        assert say.line() == "demo: building, 10 s, about 50 s to the end"
        clock.now += 90
        assert say.line() == "demo: building, 100 s, about 20 s to the end"
        say("running")
        assert say.line() == "demo: running, about 20 s to the end"
        say("something new")
        assert say.line() == "demo: something new"
    assert dict(say.seconds) == {"building": 100.0, "running": 0.0, "something new": 0.0}


@pytest.mark.parametrize("text", ["", "[]", '{"seconds": 3}', '{"seconds": {"building": "x"}}'])
def test_a_broken_memory_is_no_memory(tmp_path: Path, text: str) -> None:
    (tmp_path / "demo.json").write_text(text)
    with Phases(io.StringIO(), tmp_path / "demo.json", Clock()) as say:
        say("building")
        assert say.line() == "demo: building"


@pytest.mark.parametrize(("stream", "name"), [(Terminal(), "TERMINAL_S"), (io.StringIO(), "LOG_S")])
def test_long_work_is_told_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stream: io.StringIO, name: str
) -> None:
    monkeypatch.setattr(phases, name, 0.01)
    with Phases(stream, tmp_path / "demo.json") as say:
        say("building")
        until = time.monotonic() + 10
        while stream.getvalue().count("demo: building") < 3:
            assert time.monotonic() < until, "it is told no more"


def test_a_demo_that_fails_leaves_no_times(tmp_path: Path) -> None:
    with pytest.raises(KeyError), Phases(io.StringIO(), tmp_path / "demo.json", Clock()) as say:
        say("building")
        raise KeyError
    assert not (tmp_path / "demo.json").exists()


def test_a_terminal_keeps_a_line_for_each_phase(tmp_path: Path) -> None:
    stream, clock = Terminal(), Clock()
    demo(stream, tmp_path / "demo.json", clock)
    kept = [line.rpartition("\r\033[K")[2] for line in stream.getvalue().split("\n")[:-1]]
    assert kept == ["demo: building, 40.0 s", "demo: running, 20.0 s"]
