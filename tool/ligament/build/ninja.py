# SPDX-License-Identifier: Apache-2.0
"""CMake and Ninja as child processes: output to a log, progress to a callback."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ligament.build.diagnostics import as_text, find_errors
from ligament.disk import child_failure, writing
from ligament.errors import FailureError

# Told how many steps are done, how many there are, and what the last one was.
Progress = Callable[[int, int, str], None]

_STEP = re.compile(r"^\[(\d+)/(\d+)\] (.*)")


@dataclass(frozen=True)
class Step:
    """A command, its log, whose errors are the user's own, and the generated project's folder."""

    what: str
    command: list[str]
    log: Path
    own_folders: list[Path]
    project: Path


def run_step(step: Step, progress: Progress | None = None) -> str:
    """Run it; returns its output, or raises with the errors that matter and the log's path."""
    with writing(step.log):
        step.log.parent.mkdir(parents=True, exist_ok=True)
    output: list[str] = []
    environment = {**os.environ, "NINJA_STATUS": "[%f/%t] ", "LC_ALL": "C.UTF-8"}
    # What lies beside the build is named by its place there: generated sources, and the headers
    # that the build itself makes of them. So an object of one graph serves another as well.
    environment.setdefault("CCACHE_NOHASHDIR", "true")
    environment.setdefault("CCACHE_BASEDIR", os.path.commonpath((step.project, step.log.parent)))
    environment.setdefault("CCACHE_ABSSTDERR", "true")
    try:
        process = subprocess.Popen(
            step.command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env=environment,
        )
    except OSError as error:
        raise FailureError(
            f"{step.what}: cannot run {step.command[0]}: {error.strerror}",
            command=step.command,
            hint="`ligament doctor` tells what is missing",
        ) from error
    with process, writing(step.log), step.log.open("w", encoding="utf-8") as log:
        assert process.stdout is not None
        for line in process.stdout:
            output.append(line)
            log.write(line)
            if progress is not None and (match := _STEP.match(line)):
                progress(int(match[1]), int(match[2]), match[3])
    text = "".join(output)
    if process.returncode != 0:
        raise _failure(step, text, process.returncode)
    return text


def _failure(step: Step, output: str, code: int) -> FailureError:
    from ligament.run.process import exit_text  # noqa: PLC0415 - slow, and for a failure only

    shown = as_text(find_errors(output, step.own_folders))
    if not shown:
        shown = "\n".join(output.splitlines()[-12:]) or exit_text(code)
    return child_failure(f"{step.what} failed:\n{shown}", step.command, step.log, output)
