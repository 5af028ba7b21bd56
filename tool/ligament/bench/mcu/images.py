# SPDX-License-Identifier: Apache-2.0
"""The firmware that is measured, and the emulator that runs it."""

from __future__ import annotations

import fcntl
import functools
import shutil
import sys
from pathlib import Path

from ligament import resources
from ligament.bench.measuring import REPOSITORY, output_of
from ligament.errors import FailureError

EMULATOR = "qemu-system-arm"
#: Programs, and Debian's packages that have them.
NEEDED = {
    "arm-none-eabi-gcc": ("gcc-arm-none-eabi", "libnewlib-arm-none-eabi"),
    EMULATOR: ("qemu-system-arm",),
    "cmake": ("cmake",),
    "ninja": ("ninja-build",),
}
MEMORY_SIZE = 16 << 20
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


def core_command(image: Path, memory: Path, bell: Path, *more: str) -> list[str]:
    """An emulated Cortex-M4F whose memory is a file and whose console is its stdout."""
    with memory.open("wb") as file:
        file.truncate(MEMORY_SIZE)
    return [
        EMULATOR, "-M", "mps2-an386,memory-backend=ram", "-m", "16M", "-object",
        f"memory-backend-file,id=ram,size=16M,share=on,mem-path={memory}",
        "-kernel", str(image), "-display", "none", "-monitor", "none", *more,
        "-serial", "stdio", "-serial", f"unix:{bell},server=on,wait=off",
    ]  # fmt: skip
