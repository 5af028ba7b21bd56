# SPDX-License-Identifier: Apache-2.0
"""Images of firmware, and the emulated core that runs them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ligament.mapping.files import board_memory

FIRMWARE = Path(__file__).parents[3] / "firmware"
EMULATOR = "qemu-system-arm"


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
    shutil.copytree(FIRMWARE, copy)
    if not project.startswith("tests"):
        shutil.rmtree(copy / "tests")
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
    """A core with an image: its memory is a file, its bell a socket."""

    emulator = EMULATOR
    memory_size = 16 << 20

    def __init__(self, folder: Path, image: Path) -> None:
        self.folder = folder
        self.image = image
        self._process: subprocess.Popen[bytes] | None = None
        with self.memory.open("wb") as file:
            file.truncate(self.memory_size)

    @property
    def memory(self) -> Path:
        return self.folder / "memory"

    @property
    def bell(self) -> Path:
        return self.folder / "bell"

    def link(self) -> list[str]:
        """What the agent has to know of it."""
        return ["rpmsg", str(self.memory), "--bell", str(self.bell)]

    def console(self) -> list[str]:
        """The lines that the firmware has printed since its start."""
        file = self.folder / "console"
        return file.read_text(encoding="utf-8", errors="replace").splitlines()

    def machine(self) -> list[str]:
        """A Cortex-M4F."""
        memory = f"memory-backend-file,id=ram,size=16M,share=on,mem-path={self.memory}"
        machine = "mps2-an386,memory-backend=ram"
        return ["-M", machine, "-m", "16M", "-object", memory, "-kernel", str(self.image)]

    def start(self) -> None:
        if shutil.which(self.emulator) is None:
            pytest.skip(f"no {self.emulator} (dev/apt-packages-test.txt)")
        self._process = subprocess.Popen(
            [
                self.emulator, *self.machine(), "-display", "none", "-monitor", "none",
                "-serial", f"file:{self.folder / 'console'}",
                "-serial", f"unix:{self.bell},server=on,wait=off",
            ],
            env={**os.environ, "QEMU_AUDIO_DRV": "none"},
        )  # fmt: skip

    def kill(self) -> None:
        """As if its power went off."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


class RealTimeCore(Core):
    """A Cortex-R5F beside Cortex-A53s, of which one starts it, as on the chip, and then sleeps."""

    emulator = "qemu-system-aarch64"
    memory_size = 128 << 20
    #: At 0x8000, by two: PSCI's CPU_ON for core 4 at 0x100000, then WFI in a loop.
    STARTER = (0xF2B88000D2800060, 0xD2A00202D2800081, 0xD4000003D2800003, 0x17FFFFFFD503207F)

    def link(self) -> list[str]:
        memory = board_memory("zcu102_r5")
        area = ["--offset", str(memory.offset), "--base", str(memory.area.address)]
        return [*super().link(), *area, "--qtest", str(self.folder / "qtest")]

    def machine(self) -> list[str]:
        memory = f"memory-backend-file,id=ddr,size=128M,share=on,mem-path={self.memory}"
        words = ["-M", "xlnx-zcu102,memory-backend=ddr", "-smp", "6", "-m", "128M"]
        words += ["-object", memory, "-device", f"loader,file={self.image}"]
        for place, code in enumerate(self.STARTER):
            words += ["-device", f"loader,data-len=8,addr={0x8000 + 8 * place},data={code}"]
        words += ["-device", "loader,addr=0x8000,cpu-num=0", "-accel", "tcg"]
        socket = f"unix:{self.folder / 'qtest'},server=on,wait=off"
        return [*words, "-qtest", socket, "-qtest-log", "/dev/null"]
