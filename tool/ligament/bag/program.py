# SPDX-License-Identifier: Apache-2.0
"""Starts `ligament-bag`, and reads the lines of JSON that it writes."""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

from ligament import resources
from ligament.errors import FailureError, InputError, Problem
from ligament.programs import end_with_tool
from ligament.run.process import exit_text

_MISTAKE = 2


def bag_program() -> Path:
    """Where the program is installed."""
    path = resources.prefix() / "lib" / "ligament" / "ligament-bag"
    if not path.is_file():
        raise FailureError(
            f"the program that records and plays is missing: {path}",
            hint="it comes with the runtime: make setup",
        )
    return path


def errors_of(code: int, said: str) -> None:
    """Raise what it said before it ended, if that was no good end."""
    text = said.strip().removeprefix("ligament-bag: ")
    if code == _MISTAKE:
        hint = "start one: ligament run GRAPH" if text.endswith("no graph runs") else ""
        raise InputError(Problem("bag", text, hint=hint))
    if code != 0:
        raise FailureError(text or f"ligament-bag ended early: {exit_text(code)}")


@dataclass
class Bag:
    """A started `ligament-bag`. Signals that end the tool end it, and the tool ends after it."""

    process: subprocess.Popen[str]

    @classmethod
    @contextlib.contextmanager
    def started(cls, words: list[str]) -> Iterator[Bag]:
        """Run it with these words; its errors become ours."""
        with subprocess.Popen(
            [str(bag_program()), *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,  # Ctrl-C in the terminal reaches only the tool
            preexec_fn=end_with_tool,  # noqa: PLW1509 - there are no threads yet
        ) as process:
            bag = cls(process)
            with bag._forwarded():
                yield bag

    def lines(self) -> Iterator[dict[str, Any]]:
        """What it says, line by line; at the end an error, if it says that there is one."""
        assert self.process.stdout is not None and self.process.stderr is not None
        for line in self.process.stdout:
            yield json.loads(line)
        errors = self.process.stderr.read()
        errors_of(self.process.wait(), errors)

    @contextlib.contextmanager
    def _forwarded(self) -> Iterator[None]:
        def forward(_number: int, _frame: FrameType | None) -> None:
            with contextlib.suppress(ProcessLookupError):
                self.process.send_signal(signal.SIGINT)

        before = {
            number: signal.signal(number, forward) for number in (signal.SIGINT, signal.SIGTERM)
        }
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
