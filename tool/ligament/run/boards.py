# SPDX-License-Identifier: Apache-2.0
"""Stand-ins of boards, which a run starts where the platform's FPGA is emulated (`backend: uio`).

Each is a process of its own, from before the containers until behind them. Containers find it by
`LIGAMENT_BOARD_DEVICE`; where that is set already, somebody has a board, and nothing is started.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ligament.errors import FailureError
from ligament.run.process import die_with_tool, last_lines

VARIABLE = "LIGAMENT_BOARD_"
#: The least memory of a stand-in: what the program takes by itself.
_LEAST_BYTES = 64 << 20
_PATIENCE_S = 30.0


@dataclass(frozen=True)
class StandIn:
    """What is started for a device."""

    device: str
    program: Path
    memory_bytes: int
    log: Path


def is_board_named(device: str) -> bool:
    """Whether the environment names the board that is meant."""
    return bool(os.environ.get(VARIABLE + device))


def stand_ins_of(
    build: Mapping[str, object], folder: Path, log: Path, devices: set[str]
) -> list[StandIn]:
    """Return those of a build.json in `folder` whose devices are used here, and are no boards."""
    boards = build.get("boards", {})
    assert isinstance(boards, dict)
    return [
        StandIn(
            name,
            (folder / board["stand_in"]).resolve(),
            max(_LEAST_BYTES, int(board["memory_bytes"])),
            log / f"{name}-stand-in.log",
        )
        for name, board in boards.items()
        if name in devices and not is_board_named(name)
    ]


@contextlib.contextmanager
def started(stand_ins: list[StandIn]) -> Iterator[dict[str, str]]:
    """Run them; gives what containers must have in their environment."""
    if not stand_ins:
        yield {}
        return
    # Not in the run's folder: the path of a socket may have 107 bytes.
    sockets = Path(tempfile.mkdtemp(prefix="ligament-boards-"))
    processes: list[subprocess.Popen[bytes]] = []
    try:
        for one in stand_ins:
            processes.append(_start(one, sockets / one.device))
        for one, process in zip(stand_ins, processes, strict=True):
            _wait_for(one, process, sockets / one.device)
        yield {VARIABLE + one.device: str(sockets / one.device) for one in stand_ins}
    finally:
        for process in processes:
            process.kill()
            process.wait()
        shutil.rmtree(sockets, ignore_errors=True)


def _start(one: StandIn, socket: Path) -> subprocess.Popen[bytes]:
    if not one.program.is_file():
        text = f"the stand-in of the board {one.device} is missing: {one.program}"
        raise FailureError(text, hint="run `ligament build` again")
    words = [str(one.program), str(socket), "--memory", str(one.memory_bytes)]
    one.log.parent.mkdir(parents=True, exist_ok=True)
    with one.log.open("wb") as log:
        return subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            preexec_fn=die_with_tool,  # noqa: PLW1509 - it calls what is loaded
        )


def _wait_for(one: StandIn, process: subprocess.Popen[bytes], socket: Path) -> None:
    end = time.monotonic() + _PATIENCE_S
    while not socket.exists():
        if process.poll() is not None or time.monotonic() > end:
            said = "\n".join(last_lines(one.log)) or f"it says nothing ({one.log})"
            raise FailureError(f"the stand-in of the board {one.device} did not start: {said}")
        time.sleep(0.01)
