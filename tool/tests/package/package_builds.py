# SPDX-License-Identifier: Apache-2.0
"""A user's package, built as a user builds it: CMake, colcon, and the tool beside."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from ligament import resources
from ligament.new import write_new

NAME = "grey_level"
REPOSITORY = Path(__file__).resolve().parents[3]
ROS = REPOSITORY / "build" / "ros" / "jazzy"


@dataclass
class Workspace:
    """A folder with a package in it; every command runs in one environment."""

    root: Path
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def package(self) -> Path:
        return self.root / "src" / NAME

    @property
    def build(self) -> Path:
        return self.root / "build" / NAME

    @property
    def prefix(self) -> Path:
        return self.root / "install"

    def run(self, *command: str | Path, good: bool = True) -> str:
        """Run a command; what it printed."""
        environment = {
            **os.environ,
            "AMENT_PREFIX_PATH": str(self.prefix),
            # One object serves both ways to build.
            "CCACHE_BASEDIR": str(self.root),
            "CCACHE_NOHASHDIR": "1",
            "NINJA_STATUS": "[%f/%t] ",
            **self.environment,
        }
        words = [str(word) for word in command]
        done = subprocess.run(
            words, cwd=self.root, env=environment, check=False, capture_output=True, text=True
        )
        said = done.stdout + done.stderr
        assert (done.returncode == 0) == good, f"{words}: {done.returncode}\n{said}"
        return said

    def configure(self, *words: str, good: bool = True) -> str:
        options = [
            "-GNinja",
            f"-DCMAKE_PREFIX_PATH={resources.prefix()}",
            f"-DLIGAMENT_PYTHON={sys.executable}",
            "-DCMAKE_CXX_COMPILER_LAUNCHER=ccache",
        ]
        return self.run("cmake", "-S", self.package, "-B", self.build, *options, *words, good=good)

    def make(self) -> list[str]:
        """Build; what was done, a line each, but for the look whether files came or went."""
        said = self.run("cmake", "--build", self.build)
        return re.findall(r"^\[\d+/\d+\] (?!Re-checking globbed)(.*)", said, re.M)

    def install(self) -> None:
        self.run("cmake", "--install", self.build, "--prefix", self.prefix)

    def ligament(self, *words: str | Path, good: bool = True) -> str:
        return self.run(sys.executable, "-m", "ligament.cli.main", *words, good=good)

    def results(self, variant: str) -> list[str]:
        """The hashes that the sink recorded in the newest run of a variant."""
        (*_, file) = sorted(self.root.glob(f"build/{NAME}/{variant}/runs/*/outputs/sink.jsonl"))
        return [json.loads(line)["hash"] for line in file.read_text().splitlines()]


def new_workspace(root: Path) -> Workspace:
    workspace = Workspace(root)
    write_new("package", workspace.package)
    return workspace


def times(folder: Path) -> dict[str, int]:
    """When each library below a folder was written."""
    return {p.name: p.stat().st_mtime_ns for p in folder.rglob("*.so")}
