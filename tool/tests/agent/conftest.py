# SPDX-License-Identifier: Apache-2.0
"""The agent and a client of the firmware as processes."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
sys.path.append(str(ROOT / "tool" / "tests" / "run"))  # ros2_wheels, dds_domain

from dds_domain import dds_domain  # noqa: E402
from mcu_agent import Agent, StartAgent  # noqa: E402

from ligament.agent import types_text  # noqa: E402

FIRMWARE = ROOT / "firmware"
WARNINGS = ("-Wall", "-Wextra", "-Wconversion", "-Wpedantic", "-Werror")


@pytest.fixture(scope="session")
def probe(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The client: the firmware's core on POSIX, compiled as a board's build would."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler (apt install gcc)")
    program = tmp_path_factory.mktemp("firmware") / "probe"
    parts = [FIRMWARE / "core", FIRMWARE / "params"]
    sources = [source for part in parts for source in (part / "src").glob("*.c")]
    sources.append(FIRMWARE / "port" / "posix" / "posix.c")
    folders = [*(part / "include" for part in parts), FIRMWARE / "port" / "posix"]
    subprocess.run(
        [
            compiler, "-std=c99", "-O1", *WARNINGS, *(f"-I{f}" for f in folders),
            *map(str, sources), str(FIRMWARE / "tests" / "probe.c"), "-o", str(program),
        ],
        check=True,
    )  # fmt: skip
    return program


@pytest.fixture(scope="session")
def types(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The hashes of ROS 2's types."""
    file = tmp_path_factory.mktemp("types") / "types.json"
    file.write_text(types_text("jazzy", ()), encoding="utf-8")
    return file


@pytest.fixture
def domain_id() -> Iterator[int]:
    with dds_domain() as taken:
        yield taken


@pytest.fixture
def start_agent(domain_id: int, types: Path) -> Iterator[StartAgent]:
    """Starts agents in the test's ROS domain."""
    running: list[Agent] = []

    def begin(*link: str, edge: bool = False) -> Agent:
        words = [*link, "--ros", str(domain_id), "--types", str(types)]
        running.append(Agent(words if edge else [*words, "--no-edge"]))
        return running[-1]

    yield begin
    for agent in running:
        agent.kill()
