# SPDX-License-Identifier: Apache-2.0
"""Workspaces of the tests, and `colcon acceleration` as a user calls it."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import ligament
from ligament.acceleration import frame

TOOL = Path(__file__).resolve().parents[2]
BOARD = """schema: ligament/platform/1
name: {name}
version: 1.2.3
board: {{name: My Board, vendor: Me, soc: chip-1, architecture: aarch64}}
devices:
  cpu0: {{kind: cpu, memory: ram}}
memories:
  ram: {{pool: true}}
toolchains:
  own:
    get: from me
    programs:
      sh-that-is-not-there: {{}}
      python3: {{version: ">=3"}}
vendor_files:
  - {{file: kernel/Image, from: "the vendor's page", for: booting, sha256: "{sha}"}}
"""
#: Of the file "kernel\n".
SHA = "a0c936696eb7d5ee3192bf53b9d281cecbb40ca9db520de72cb95817ad92ac72"


def add_board(root: Path, name: str, text: str = BOARD, sha: str = SHA) -> Path:
    """A platform of the workspace; its folder."""
    folder = root / "acceleration" / "firmware" / name
    folder.mkdir(parents=True)
    (folder / "platform.yaml").write_text(text.format(name=name, sha=sha))
    return folder


def add_published(root: Path, name: str = "old") -> Path:
    """A board of the published convention; its folder."""
    folder = root / "acceleration" / "firmware" / name
    (folder / "platform" / "hw").mkdir(parents=True)
    (folder / "BOARD").write_text("kr260\nmore\n")
    (folder / "SOC").write_text("xck26-sfvc784-2LV-c\n")
    (folder / "shell.json").write_text('{"shell_type": "XRT_FLAT", "num_slots": "1"}')
    (folder / "platform" / "hw" / "kr260_shell.xpfm").write_text("<xml/>")
    return folder


def call(root: Path, *words: str | Path) -> int:
    """Run a verb in this process; its exit code."""
    return frame.run([*map(str, words), "--workspace", str(root)], "colcon acceleration")


def colcon(root: Path, metadata: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run colcon itself, which finds the verb by the entry point that pyproject.toml declares."""
    project = tomllib.loads((TOOL / "pyproject.toml").read_text())["project"]
    info = metadata / f"ligament-{ligament.__version__}.dist-info"
    info.mkdir(exist_ok=True)
    (info / "METADATA").write_text(f"Name: ligament\nVersion: {ligament.__version__}\n")
    lines = [
        f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in entries.items())
        for group, entries in project["entry-points"].items()
    ]
    (info / "entry_points.txt").write_text("\n".join(lines))
    packages = next(Path(p) for p in sys.path if p.endswith("site-packages"))
    # Before that of an editable installation, whose requirements Debian's pkg_resources cannot
    # read (it takes ruamel_yaml for another package than ruamel.yaml).
    path = os.pathsep.join(map(str, (metadata, TOOL, packages)))
    environment = {**os.environ, "PYTHONPATH": path}
    command = ["colcon", "acceleration", *words]
    return subprocess.run(
        command, cwd=root, env=environment, capture_output=True, text=True, check=False
    )
