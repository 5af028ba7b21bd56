# SPDX-License-Identifier: Apache-2.0
"""What was compiled for arm64 and runs here under user emulation gives what this machine gives.

Needs what `make arm64` makes; `make test` has none of it, and skips.
"""

from __future__ import annotations

import json
import platform
import shutil
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[3]
PREFIX = REPOSITORY / "build" / "arm64" / "install"
LIGAMENT = [sys.executable, "-m", "ligament.cli.main"]

pytestmark = [
    pytest.mark.skipif(
        not (PREFIX / "share/ligament/target.json").is_file()
        or shutil.which("qemu-aarch64-static") is None
        or platform.machine() != "x86_64",
        reason="this machine has no such thing: what `make arm64` makes",
    ),
    pytest.mark.timeout(600),
]


def ligament(*words: str) -> str:
    """Run the tool to its end."""
    done = subprocess.run(
        [*LIGAMENT, *words], capture_output=True, text=True, timeout=500, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's graph with fewer frames, under a name that nobody else has."""
    folder = tmp_path_factory.mktemp("arm64")
    text = (REPOSITORY / "examples/perception/graph.yaml").read_text()
    name = f"arm64_{uuid.uuid4().hex[:8]}"
    text = text.replace("name: perception\n", f"name: {name}\n").replace("600", "30")
    (folder / "graph.yaml").write_text(text)
    return folder / "graph.yaml"


def frames(run: Path) -> list[dict[str, object]]:
    """The sink's line of each frame, without what is of one run: its times."""
    (record,) = (run / "outputs").glob("*sink.jsonl")
    lines = [json.loads(line) for line in record.read_text().splitlines()]
    return [{key: line[key] for key in line if key != "stamp_ns"} for line in lines]


class Peer:
    """The other process of the pool's tests: one line asks, one line answers."""

    def __init__(self, command: list[str], domain: str) -> None:
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        assert self.ask(f"join {domain} run") == "ok"

    def ask(self, command: str) -> str:
        """Send a command; return the answer."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(command + "\n")
        return self._process.stdout.readline().strip()

    def until(self, command: str, answer: str) -> None:
        """Ask until this is the answer."""
        deadline = time.monotonic() + 60
        while (said := self.ask(command)) != answer:
            assert time.monotonic() < deadline, said
            time.sleep(0.05)

    def end(self) -> None:
        """End it, whatever it does."""
        self._process.kill()
        self._process.communicate()


def test_the_demo_gives_the_same_bytes_on_both(graph: Path) -> None:
    name, out = graph.read_text().split("name: ")[1].split()[0], str(graph.parent / "build")
    seen = []
    for folder, words in ((out, []), (f"{out}/aarch64", ["--target", str(PREFIX)])):
        ligament("build", str(graph), "--variant", "fused", "--out", out, *words)
        build = Path(folder) / name / "fused" / "build.json"
        ligament("run", str(build), "--start-timeout", "60", "--drain-timeout", "60")
        (run,) = (build.parent / "runs").iterdir()
        seen.append(frames(run))
    assert len(seen[0]) == 30
    assert seen[0] == seen[1]
    library = Path(out) / "aarch64" / name / "lib" / "libimage-sink.so"
    assert library.read_bytes()[18:20] == b"\xb7\x00"  # EM_AARCH64


def test_processes_of_both_architectures_share_a_pool() -> None:
    """The layout is the same bytes: what one publishes the other takes, both ways."""
    both = [
        REPOSITORY / f"build/{folder}/tests/pool_peer" for folder in ("runtime", "arm64/runtime")
    ]
    if missing := [path for path in both if not path.is_file()]:
        pytest.skip(f"this machine has no such thing: {missing[0]}")
    emulator = json.loads((PREFIX / "share/ligament/target.json").read_text())["emulator"]
    domain = f"both_{uuid.uuid4().hex[:8]}"
    here, there = Peer([str(both[0])], domain), Peer([*emulator, str(both[1])], domain)
    try:
        for writer, reader, topic in ((here, there, "/a"), (there, here, "/b")):
            assert reader.ask(f"reader {topic}") == "ok"
            assert writer.ask(f"writer {topic}") == "ok"
            writer.until(f"matched {topic}", "ok 1")
            reader.until(f"matched {topic}", "ok 1")
            # Small ones, and ones that need new memory; each is stamped all over.
            for count, size in ((3, 64), (6, 100_000), (9, 3_000_000)):
                assert writer.ask(f"publish {topic} 3 {size}") == f"ok {count}"
                assert reader.ask(f"take {topic} 3") == "ok 3 lost 0"
    finally:
        here.end()
        there.end()
