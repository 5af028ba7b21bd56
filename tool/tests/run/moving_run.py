# SPDX-License-Identifier: Apache-2.0
"""A graph that runs while its nodes move, and what must hold of its frames."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from run_chat import LIGAMENT

from ligament.graph.json_source import parse_json
from ligament.graph.schema import validate

IMAGES = 8
#: Between stamps of frames: `rate_hz=1000` of each camera.
PERIOD_NS = 1_000_000


def write_images(folder: Path, channels: int = 3) -> Path:
    """Small pictures, each another one: in colour, or grey."""
    images = folder / "images"
    images.mkdir()
    kind, suffix = ("P6", "ppm") if channels == 3 else ("P5", "pgm")
    for number in range(IMAGES):
        pixels = bytes((number * 31 + i * 7) % 256 for i in range(64 * 48 * channels))
        head = f"{kind}\n64 48\n255\n".encode()
        (images / f"{number}.{suffix}").write_bytes(head + pixels)
    return images


class Run:
    """A graph while it runs."""

    def __init__(self, build: Path, settings: list[str], last: str) -> None:
        # However busy the machine is: no subscription is stalled.
        for path in (build.parent / "gen" / "containers").glob("*.json"):
            config = json.loads(path.read_text())
            for topic in config["topics"].values():
                topic["patience_ms"] = 60_000
            path.write_text(json.dumps(config))
        self._last = last
        before = set(build.parent.glob("runs/*"))
        domain = f"moving_{uuid.uuid4().hex[:12]}"
        self.process = subprocess.Popen(
            [*LIGAMENT, "run", str(build), f"--domain={domain}", "--quiet",
             *(f"--set={setting}" for setting in settings)],
            env=os.environ | {"LIGAMENT_GPU_BACKEND": "opencl"},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        self.folder = self._folder(build.parent, before)

    def _folder(self, variant: Path, before: set[Path]) -> Path:
        while not (new := set(variant.glob("runs/*/run.json")) - {b / "run.json" for b in before}):
            assert self.process.poll() is None, self.process.communicate()[0]
            time.sleep(0.05)
        return new.pop().parent

    def count(self) -> int:
        """How many messages the last node has taken."""
        return self.count_of(self._last)

    def count_of(self, sink: str) -> int:
        """The same of another one, by its newest status line."""
        taken = 0
        status = self.folder / "status.jsonl"
        for text in status.read_text().splitlines(True) if status.is_file() else ():
            for node in json.loads(text).get("nodes", ()) if text.endswith("\n") else ():
                if node["id"] == sink:
                    taken = sum(end["taken"] for end in node["subscriptions"])
        return taken

    def wait_for_more(self, messages: int) -> None:
        """Until so many messages more have come through."""
        until = self.count() + messages
        while self.count() < until:
            assert self.process.poll() is None, self.process.communicate()[0]
            time.sleep(0.1)

    def move(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Ask for a move."""
        command = [*LIGAMENT, "move", *words, str(self.folder)]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def end(self) -> dict[str, Any]:
        """Stop it; its run.json."""
        self.process.send_signal(signal.SIGINT)
        said, _ = self.process.communicate(timeout=300)
        assert self.process.returncode == 0, said
        text = (self.folder / "run.json").read_text()
        assert validate(parse_json(text, "run.json"), "run") == []
        data: dict[str, Any] = json.loads(text)
        return data

    def expect_moves(self, node: str, devices: list[str]) -> None:
        """Moves through these devices; nothing is lost, nor in another order."""
        for device in devices:
            moved = self.move(node, device, "--json")
            assert moved.returncode == 0, moved.stdout + moved.stderr
            answer = json.loads(moved.stdout)
            assert answer["node"] == f"/{node}"
            assert answer["gap_ns"] > 0
            self.wait_for_more(50)
        record = self.end()
        assert [move["node"] for move in record["moves"]] == [f"/{node}"] * len(devices)
        assert record["errors"] == []
        assert record["losses"] == []
        for text in (self.folder / "status.jsonl").read_text().splitlines():
            line = json.loads(text)
            del line["container"]
            assert validate(parse_json(json.dumps(line), "status.jsonl"), "status") == []

    def expect_all_frames(self, sink: str = "sink") -> None:
        """Each once, in order, with the pixels that its image has on a processor."""
        first_ns, hashes = 0, []
        # Line by line: a run beside a slow compiler has millions.
        with (self.folder / "outputs" / f"{sink}.jsonl").open() as recorded:
            for index, text in enumerate(recorded):
                line = json.loads(text)
                first_ns = first_ns or line["stamp_ns"]
                if index < IMAGES:
                    hashes.append(line["hash"])
                assert line["stamp_ns"] - first_ns == index * PERIOD_NS
                assert line["hash"] == hashes[index % IMAGES]
        assert len(set(hashes)) == IMAGES


def ended(running: Run) -> Iterator[Run]:
    """Give it to a test; one that fails leaves none behind."""
    running.wait_for_more(50)
    yield running
    if running.process.poll() is None:
        running.process.kill()
        running.process.wait()
