# SPDX-License-Identifier: Apache-2.0
"""Images of firmware, and the emulated core that runs them."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

FIRMWARE = Path(__file__).parents[3] / "firmware"
EMULATOR = "qemu-system-arm"
MEMORY_SIZE = 16 << 20


def require_programs() -> None:
    """Skips where an image can be neither built nor run."""
    for program in ("cmake", "ninja", "arm-none-eabi-gcc", EMULATOR):
        if shutil.which(program) is None:
            pytest.skip(f"no {program} (dev/apt-packages-mcu.txt)")


def build_images(folder: Path, project: str) -> Path:
    """All images of a project of the firmware; where they are.

    From a copy, as an installation has it: nothing outside that folder is needed.
    """
    require_programs()
    copy = folder / "firmware"
    shutil.copytree(FIRMWARE, copy, ignore=shutil.ignore_patterns("tests"))
    configure = [
        "cmake", "-S", copy / project, "-B", folder, "-G", "Ninja", "-DLIGAMENT_STRICT=ON",
        f"-DCMAKE_TOOLCHAIN_FILE={copy / 'cmake' / 'arm-none-eabi.cmake'}",
        f"-DLIGAMENT_PYTHON={sys.executable}",
    ]  # fmt: skip
    for command in (configure, ["cmake", "--build", folder]):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    return folder


class Core:
    """A Cortex-M4F (QEMU's mps2-an386): its memory is a file, its bell a socket."""

    def __init__(self, folder: Path, image: Path) -> None:
        self._folder = folder
        self._image = image
        self._process: subprocess.Popen[bytes] | None = None
        with self.memory.open("wb") as file:
            file.truncate(MEMORY_SIZE)

    @property
    def memory(self) -> Path:
        return self._folder / "memory"

    @property
    def bell(self) -> Path:
        return self._folder / "bell"

    def console(self) -> str:
        """What the firmware has printed since its start."""
        return (self._folder / "console").read_text(encoding="utf-8", errors="replace")

    def start(self) -> None:
        self._process = subprocess.Popen(
            [
                EMULATOR, "-M", "mps2-an386,memory-backend=ram", "-m", "16M", "-object",
                f"memory-backend-file,id=ram,size=16M,share=on,mem-path={self.memory}",
                "-kernel", self._image, "-display", "none", "-monitor", "none",
                "-serial", f"file:{self._folder / 'console'}",
                "-serial", f"unix:{self.bell},server=on,wait=off",
            ],
        )  # fmt: skip

    def kill(self) -> None:
        """As if its power went off."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
