# SPDX-License-Identifier: Apache-2.0
"""The firmware that is measured, and the emulator that runs it."""

from __future__ import annotations

import fcntl
import functools
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ligament import resources
from ligament.bench.measuring import REPOSITORY, output_of
from ligament.errors import FailureError
from ligament.mapping.files import board_memory

EMULATOR = "qemu-system-arm"
#: Programs, and Debian's packages that have them.
NEEDED = {
    "arm-none-eabi-gcc": ("gcc-arm-none-eabi", "libnewlib-arm-none-eabi"),
    EMULATOR: ("qemu-system-arm",),
    "cmake": ("cmake",),
    "ninja": ("ninja-build",),
}
_BUILD_S = 300.0


def require_programs() -> None:
    """FailureError that names all that is missing, and how it is installed."""
    missing = [name for name in NEEDED if shutil.which(name) is None]
    if missing:
        packages = [package for name in missing for package in NEEDED[name]]
        raise FailureError(
            f"firmware is built and run by programs that are not here: {', '.join(missing)}",
            hint=f"Debian and Ubuntu: apt install {' '.join(packages)}",
        )


def built(source: Path, folder: Path) -> Path:
    """The folder, with all images of a project."""
    require_programs()
    toolchain = resources.firmware_dir() / "cmake" / "arm-none-eabi.cmake"
    words = [f"-DCMAKE_TOOLCHAIN_FILE={toolchain}", f"-DLIGAMENT_PYTHON={sys.executable}"]
    configure = ["cmake", "-S", str(source), "-B", str(folder), "-G", "Ninja", *words]
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as lock:  # tests may come here from several processes
        fcntl.flock(lock, fcntl.LOCK_EX)
        for command in (configure, ["cmake", "--build", str(folder)]):
            output_of(command, "the firmware could not be built", timeout_s=_BUILD_S)
    return folder


@functools.cache
def bench_images() -> Path:
    """The folder with the images of benchmarks/mcu/image."""
    source = REPOSITORY / "benchmarks" / "mcu" / "image"
    return built(source, REPOSITORY / "build" / "bench-mcu")


@dataclass(frozen=True)
class Board:
    """What emulates it; its memory is a file, its bell a socket."""

    #: As `ligament_add_image` calls it.
    name: str
    emulator: str
    machine: Callable[[Path, Path], list[str]]
    #: Whether the host rings the core by QEMU's qtest socket.
    has_qtest: bool = False


def _mps2(memory: Path, image: Path) -> list[str]:
    shared = f"memory-backend-file,id=ram,size=16M,share=on,mem-path={memory}"
    words = ["-M", "mps2-an386,memory-backend=ram", "-m", "16M", "-object", shared]
    return [*words, "-kernel", str(image)]


def _zcu102(memory: Path, image: Path) -> list[str]:
    """A Cortex-A53 starts the Cortex-R5F by PSCI, as on the chip, and sleeps then."""
    shared = f"memory-backend-file,id=ddr,size=128M,share=on,mem-path={memory}"
    words = ["-M", "xlnx-zcu102,memory-backend=ddr", "-smp", "6", "-m", "128M", "-object", shared]
    words += ["-device", f"loader,file={image}"]
    for place, code in enumerate(_STARTER):
        words += ["-device", f"loader,data-len=8,addr={0x8000 + 8 * place},data={code}"]
    return [*words, "-device", "loader,addr=0x8000,cpu-num=0", "-accel", "tcg"]


#: Instructions, by two: CPU_ON for core 4 at 0x100000, then WFI in a loop.
_STARTER = (0xF2B88000D2800060, 0xD2A00202D2800081, 0xD4000003D2800003, 0x17FFFFFFD503207F)
CORTEX_M4F = Board("mps2_an386", EMULATOR, _mps2)
CORTEX_R5F = Board("zcu102_r5", "qemu-system-aarch64", _zcu102, True)


def core_command(board: Board, image: Path, folder: Path, *more: str) -> list[str]:
    """An emulated core whose console is its stdout. Its files are in the folder."""
    with (folder / "memory").open("wb") as file:
        file.truncate(board_memory(board.name).shared.bytes)
    words = ["env", "QEMU_AUDIO_DRV=none", board.emulator, *board.machine(folder / "memory", image)]
    if board.has_qtest:
        words += ["-qtest", f"unix:{folder / 'qtest'},server=on,wait=off"]
        words += ["-qtest-log", "/dev/null"]
    words += ["-display", "none", "-monitor", "none", *more, "-serial", "stdio"]
    return [*words, "-serial", f"unix:{folder / 'bell'},server=on,wait=off"]


def link_words(board: Board, folder: Path) -> list[str]:
    """What the agent has to know of it."""
    words = ["rpmsg", str(folder / "memory"), "--bell", str(folder / "bell")]
    memory = board_memory(board.name)
    words += ["--offset", str(memory.offset), "--base", str(memory.area.address)]
    return [*words, *(["--qtest", str(folder / "qtest")] if board.has_qtest else [])]
