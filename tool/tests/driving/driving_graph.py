# SPDX-License-Identifier: Apache-2.0
"""examples/driving/graph_lanes.yaml with its real nodes: compiled once, run often."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from driving_place import DRIVING, WATCHDOG_S
from driving_ros import LIGAMENT, environment

GRAPH = DRIVING / "graph_lanes.yaml"
VARIANTS = ("processes", "one_process")
#: A quarter of the pixels, half of the frames: a lap takes seconds.
CAMERA: dict[str, Any] = {"laps": 1, "width": 320, "height": 240, "rate_hz": 15, "animation": 0,
                          "reply_timeout_s": 120}  # fmt: skip
#: What belongs to such pictures.
NODES: dict[str, Any] = {
    "gaussian_blur.size": 3,
    "image_projection.width": 500,
    "image_projection.height": 300,
    "red_traffic_light_detection.diameter_from": 4,
    "green_traffic_light_detection.diameter_from": 4,
}


#: Slower than this is standing, in metres per second.
STANDING = 0.005
SAID = "said.log"
LOG = "runs/*/outputs/drive.jsonl"


@dataclass
class Driven:
    """A run that has ended."""

    folder: Path
    code: int
    said: str
    lines: list[dict[str, Any]] = field(default_factory=list)

    @property
    def frames(self) -> list[dict[str, Any]]:
        """The frames of the simulator's log."""
        return [line for line in self.lines if line["event"] == "frame"]

    @property
    def end(self) -> dict[str, Any]:
        """The last line of it."""
        assert self.lines and self.lines[-1]["event"] == "end", self.said
        return self.lines[-1]

    @property
    def record(self) -> dict[str, Any]:
        """Its run.json."""
        found: dict[str, Any] = json.loads((self.folder / "run.json").read_text())
        return found

    def of(self, event: str) -> list[dict[str, Any]]:
        """The lines of one kind."""
        return [line for line in self.lines if line["event"] == event]

    def log(self, name: str) -> str:
        """What a process printed."""
        return (self.folder / "log" / f"{name}.log").read_text()

    def lateral_p95(self) -> float:
        """The lateral error while it moves, in metres."""
        errors = sorted(abs(f["lateral"]) for f in self.frames if abs(f["speed"]) > 0.01)
        return float(errors[int(len(errors) * 0.95)])


def words_of(build: Path, options: dict[str, Any], more: tuple[str, ...]) -> list[str]:
    """The command; a node's parameter is named `node__parameter`, others are the simulator's."""
    values = {**{f"simulator.{name}": value for name, value in CAMERA.items()}, **NODES}
    for name, value in options.items():
        node, _, parameter = name.rpartition("__")
        values[f"{node or 'simulator'}.{parameter}"] = value
    sets = [f"--set={name}={json.dumps(value)}" for name, value in values.items()]
    return [*LIGAMENT, "run", str(build / "build.json"), "--quiet", *sets, *more]


def read(build: Path, code: int, said: str) -> Driven:
    """The newest run of a variant."""
    runs = (build / "runs").glob("*/run.json")
    folder = max(runs, key=lambda path: path.stat().st_mtime_ns).parent
    log = folder / "outputs" / "drive.jsonl"
    lines = log.read_text().splitlines() if log.exists() else []
    return Driven(folder, code, said, [json.loads(line) for line in lines])


def drive_graph(
    lanes: Path,
    domain_id: int,
    *more: str,
    variant: str = "processes",
    own: dict[str, str] | None = None,
    **options: Any,
) -> Driven:
    """Run the graph to its end; `own` is added to its environment."""
    done = subprocess.run(
        words_of(lanes / variant, options, more), capture_output=True, text=True,
        timeout=WATCHDOG_S, env={**environment(domain_id), **(own or {})},
    )  # fmt: skip
    return read(lanes / variant, done.returncode, done.stdout + done.stderr)


class Running:
    """A drive that goes on, to disturb."""

    def __init__(self, process: subprocess.Popen[str], build: Path, known: set[Path]) -> None:
        self.process, self._build, self._known = process, build, known
        self.frames: list[dict[str, Any]] = []
        self._read = 0

    def stop(self) -> None:
        """Ask it to end, as Ctrl-C does."""
        self.process.send_signal(signal.SIGINT)

    def ended(self) -> Driven:
        """Wait for its end."""
        code = self.process.wait(WATCHDOG_S)
        return read(self._build, code, (self._build / SAID).read_text())

    def pid_of(self, container: str) -> int | None:
        """The process of a container that lives now."""
        children = Path(f"/proc/{self.process.pid}/task")
        for task in children.glob("*/children"):
            for pid in task.read_text().split():
                if f"/{container}.json" in _command(int(pid)):
                    return int(pid)
        return None

    def await_frame(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Wait for a new frame of the log with which `wanted` is content."""
        until = time.monotonic() + WATCHDOG_S
        while True:
            self._look()
            while self._read < len(self.frames):
                self._read += 1
                if wanted(self.frames[self._read - 1]):
                    return self.frames[self._read - 1]
            assert self.process.poll() is None, "the run has ended"
            assert time.monotonic() < until, f"never; the last frames: {self.frames[-3:]}"
            time.sleep(0.02)

    def _look(self) -> None:
        logs = set(self._build.glob(LOG)) - self._known
        for log in logs:
            whole = log.read_text().rpartition("\n")[0].splitlines()
            lines = [json.loads(line) for line in whole]
            self.frames = [line for line in lines if line["event"] == "frame"]

    def stand_without(self, container: str) -> None:
        """Kill a container until the robot stands; what is started in its place comes late.

        Once more, if what was started was ready before it could be made to stand still.
        """
        for _ in range(5):
            pid = self._kill(container)
            os.kill(pid, signal.SIGSTOP)
            try:
                if self._stands_within(40):
                    return
            finally:
                os.kill(pid, signal.SIGCONT)
        raise AssertionError(f"the robot drives without {container}")

    def _stands_within(self, frames: int) -> bool:
        last = self.frames[-1]["frame"] + frames
        found = self.await_frame(lambda f: abs(f["speed"]) < STANDING or f["frame"] >= last)
        return bool(abs(found["speed"]) < STANDING)

    def _kill(self, container: str) -> int:
        """Return the process that is started in its place."""
        before = self.pid_of(container)
        assert before is not None, f"{container} does not run"
        os.kill(before, signal.SIGKILL)
        until = time.monotonic() + WATCHDOG_S
        while (after := self.pid_of(container)) in (before, None):
            assert self.process.poll() is None, "the run has ended"
            assert time.monotonic() < until, f"{container} was not started again"
            time.sleep(0.005)
        assert after is not None
        return after


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode().replace("\0", " ")
    except OSError:
        return ""


@contextmanager
def driving_graph(lanes: Path, domain_id: int, *more: str, **options: Any) -> Iterator[Running]:
    """The same, while it goes on; it is stopped as by Ctrl-C at the end."""
    build = lanes / "processes"
    known = set(build.glob(LOG))
    with (build / SAID).open("w") as file:
        process = subprocess.Popen(
            words_of(build, options, more), stdout=file, stderr=subprocess.STDOUT, text=True,
            env=environment(domain_id), start_new_session=True,
        )  # fmt: skip
        running = Running(process, build, known)
        try:
            yield running
        finally:
            running.stop()
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
