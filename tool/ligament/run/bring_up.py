# SPDX-License-Identifier: Apache-2.0
"""Lifecycle nodes of a run: configured and activated once the containers are ready."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ligament.errors import FailureError
from ligament.run.process import die_with_tool


@dataclass(frozen=True)
class BringUp:
    """What brings the nodes up: ligament-lifecycle, and the order of the nodes."""

    command: tuple[str, ...] = ()
    nodes: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)

    async def run(self) -> str:
        """Bring all of them up; those that are active already stay so. What went wrong, else ""."""
        process = await asyncio.create_subprocess_exec(
            *self.command,
            *self.nodes,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
            preexec_fn=die_with_tool,
            env={**os.environ, **self.environment},
        )
        try:
            out, err = await process.communicate()
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        said = _errors(out.decode(errors="replace"))
        if process.returncode == 0:
            return ""
        tail = err.decode(errors="replace").strip()
        return said or f"ligament-lifecycle ended with exit {process.returncode}: {tail}"


def _errors(lines: str) -> str:
    events = [json.loads(line) for line in lines.splitlines() if line.startswith("{")]
    return "\n".join(str(event["error"]) for event in events if "error" in event)


def bring_up_of(
    nodes: Sequence[str], program: Path, domain: str, run_id: str, patience_s: float = 30.0
) -> BringUp:
    """Return how these nodes are brought up; raise FailureError where the program is missing."""
    if not nodes:
        return BringUp()
    if not program.is_file():
        raise FailureError(
            f"the program that brings lifecycle nodes up is missing: {program}",
            hint="make setup, in Ligament's repository; `ligament doctor` tells more",
        )
    words = ["--domain", domain, "--run-id", run_id, "--patience", f"{patience_s:g}"]
    return BringUp((str(program), *words), tuple(nodes))
