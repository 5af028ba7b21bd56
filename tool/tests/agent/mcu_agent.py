# SPDX-License-Identifier: Apache-2.0
"""The agent and a client of the firmware as processes."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from ligament.agent import agent_program
from ligament.errors import FailureError

ROOT = Path(__file__).parents[3]
WATCHDOG_S = 120.0


def built_agent() -> Path:
    """That of this checkout, else the installed one."""
    built = ROOT / "build" / "runtime" / "ligament-agent"
    if built.is_file():
        return built
    try:
        return agent_program()
    except FailureError as error:
        pytest.skip(str(error))


class Spoken:
    """A process whose lines are read as they come. A watchdog kills one that does not end."""

    def __init__(self, words: list[str]) -> None:
        self.process = subprocess.Popen(
            words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        self._watchdog = threading.Timer(WATCHDOG_S, self.process.kill)
        self._watchdog.daemon = True
        self._watchdog.start()

    def read_line(self) -> str:
        """Empty: it has ended."""
        # Never `communicate` after this: it does not know of what is in the buffer already.
        assert self.process.stdout is not None
        return self.process.stdout.readline()

    def await_line(self, wanted: str) -> None:
        """Until it has said so."""
        said = []
        while line := self.read_line():
            said.append(line)
            if line.strip() == wanted:
                return
        raise AssertionError(f"it never said '{wanted}', but: {said}")

    def finish(self) -> str:
        """What else it says, to its end."""
        assert self.process.stdout is not None
        rest = self.process.stdout.read()
        self.process.wait()
        self._watchdog.cancel()
        assert self.process.returncode == 0, f"{self.process.returncode}: {rest}"
        return rest

    def kill(self) -> None:
        """At once, wherever it is."""
        self._watchdog.cancel()
        self.process.kill()
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()


class Agent(Spoken):
    """A running agent, and what it has said."""

    def __init__(self, words: list[str]) -> None:
        super().__init__([str(built_agent()), *words])
        self.first = self.read_line()
        assert ", ROS domain" in self.first, self.first

    @property
    def port(self) -> int:
        """Of UDP."""
        return int(self.first.split("UDP port ")[1].split(",")[0])

    def cpu_s(self) -> float:
        """What it has had of the processors."""
        words = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")

    def stop(self) -> str:
        """End it in order; what it has said meanwhile."""
        self.process.terminate()
        return self.finish()


StartAgent = Callable[..., Agent]
