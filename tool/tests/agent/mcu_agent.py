# SPDX-License-Identifier: Apache-2.0
"""The agent as a process."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from ligament.agent import agent_program
from ligament.errors import FailureError

ROOT = Path(__file__).parents[3]


def built_agent() -> Path:
    """That of this checkout, else the installed one."""
    built = ROOT / "build" / "runtime" / "ligament-agent"
    if built.is_file():
        return built
    try:
        return agent_program()
    except FailureError as error:
        pytest.skip(str(error))


class Agent:
    """A running agent, and what it has said."""

    def __init__(self, words: list[str]) -> None:
        self.process = subprocess.Popen(
            [str(built_agent()), *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert self.process.stdout is not None
        self.first = self.process.stdout.readline()
        assert ", ROS domain" in self.first, self.first

    @property
    def port(self) -> int:
        """Of UDP."""
        return int(self.first.split("UDP port ")[1].split(",")[0])

    def stop(self) -> str:
        """End it in order; what it has said meanwhile."""
        self.process.terminate()
        out, _ = self.process.communicate(timeout=30)
        assert self.process.returncode == 0, out
        return out


StartAgent = Callable[..., Agent]
