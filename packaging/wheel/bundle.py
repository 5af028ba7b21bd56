# SPDX-License-Identifier: Apache-2.0
"""Which shared libraries go along with the runtime, and how they are found where it is installed.

A library that every Debian has (C and C++ library) stays out, and so does what a feature names as
its own Debian package. All others are copied to lib/ligament/libs with the copyright file of their
package, and every program and library finds them by a path relative to itself.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

BASE = re.compile(
    r"(ld-linux-[\w-]+|libc|libm|libdl|libpthread|librt|libstdc\+\+|libgcc_s)\.so(\.\d+)?"
)
"""On every system with the wheel's version of glibc."""
ASKED_FOR = {
    "libOpenCL.so.1": "kernels: apt install ocl-icd-libopencl1, and a driver or pocl-opencl-icd",
    "liblttng-ust.so.1": "recording: apt install lttng-tools liblttng-ust1",
    "libbabeltrace2.so.0": "recording: apt install babeltrace2",
}
"""Named by the feature that needs them (`ligament doctor`): drivers and daemons go with them."""
CODECS = ("libopencv_imgcodecs.so", "libopencv_videoio.so")
"""Debian's need 240 libraries, some under the GPL. image_files.cpp stands in for them."""
STAND_IN = "libligament-image-files.so"
LIBS = Path("lib") / "ligament" / "libs"
Fail = Callable[[str], None]


def said(*command: object) -> str:
    """What a program prints."""
    words = [str(word) for word in command]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def is_elf(path: Path) -> bool:
    """Whether it is a program or a library."""
    if path.is_symlink() or not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def elfs(folder: Path) -> list[Path]:
    """All programs and libraries below a folder."""
    return sorted(path for path in folder.rglob("*") if is_elf(path))


def needed(path: Path) -> list[str]:
    """The names of the libraries that a program or library asks for."""
    return re.findall(r"\(NEEDED\).*\[(.+)\]", said("readelf", "-dW", path))


@cache
def installed() -> dict[str, Path]:
    """The libraries of this system, by name."""
    found: dict[str, Path] = {}
    for name, path in re.findall(r"^\s+(\S+) \(.*\) => (\S+)$", said("ldconfig", "-p"), re.M):
        found.setdefault(name, Path(path))
    return found


def bundle(stage: Path, image_files: Path, fail: Fail) -> dict[str, Path]:
    """Make a staged tree complete and movable; return the copyright files, by Debian package."""
    libs = stage / LIBS
    libs.mkdir(parents=True)
    shutil.copy(image_files, libs / STAND_IN)
    own = elfs(stage)
    for path in own:
        use_stand_in(path)
    names = {path.name for path in own}
    taken = list(closure(own, names, fail))
    for name, path in taken:
        shutil.copy(path.resolve(), libs / name)
        (libs / name).chmod(0o644)
    for path in elfs(stage):
        finish(path, stage)
    return dict(map(copyright_of, taken_files(taken)))


def taken_files(taken: list[tuple[str, Path]]) -> list[Path]:
    """The files that were copied, and one of each package whose files are copied elsewhere."""
    return [path.resolve() for _, path in taken] + [Path("/usr/share/doc/opencv-doc/copyright")]


def use_stand_in(path: Path) -> None:
    """Ask for the stand-in, not for OpenCV's codecs."""
    codecs = [name for name in needed(path) if name.startswith(CODECS)]
    for name in codecs[:1]:
        said("patchelf", "--replace-needed", name, STAND_IN, path)
    for name in codecs[1:]:
        said("patchelf", "--remove-needed", name, path)


def closure(own: list[Path], names: set[str], fail: Fail) -> Iterator[tuple[str, Path]]:
    """All libraries that are to be copied: name and where it is here."""
    seen: set[str] = set()
    ahead = list(own)
    while ahead:
        path = ahead.pop()
        for name in needed(path):
            if name in seen or name in names or BASE.fullmatch(name) or name in ASKED_FOR:
                continue
            if is_of_ros(path) and name not in installed():  # its ROS 2 has it
                continue
            seen.add(name)
            if name not in installed():
                fail(f"{path.name} needs {name}, which is not installed here")
            yield name, installed()[name]
            ahead.append(installed()[name])


def is_of_ros(path: Path) -> bool:
    """Whether it is loaded by a ROS 2, which brings what it needs."""
    return path.parts[-4] == "ros"


def finish(path: Path, stage: Path) -> None:
    """Take symbols away, and set where its libraries are, relative to itself.

    Node libraries are copied into a graph's build folder, so they have no path: the container's own
    (DT_RPATH, which holds for what it loads) leads to theirs.
    """
    said("strip", "--strip-unneeded", path)
    if path.parts[-3] == "ligament_examples":
        said("patchelf", "--remove-rpath", path)
        return
    places = [os.path.relpath(stage / place, path.parent) for place in ("lib", LIBS)]
    words = ":".join("$ORIGIN" if place == "." else f"$ORIGIN/{place}" for place in places)
    kind = ["--force-rpath"] if path.name == "ligament-container" else []
    said("patchelf", *kind, "--set-rpath", words, path)


@cache
def copyright_of(path: Path) -> tuple[str, Path]:
    """The Debian package that a file is of, and its copyright file."""
    for candidate in (path, Path(str(path).removeprefix("/usr"))):
        done = subprocess.run(
            ["dpkg-query", "--search", str(candidate)], capture_output=True, text=True, check=False
        )
        if done.returncode == 0:
            package = done.stdout.partition(":")[0]
            text = Path("/usr/share/doc") / package / "copyright"
            if not text.is_file():
                raise FileNotFoundError(f"{package} has no copyright file")
            return package, text
    raise FileNotFoundError(f"no Debian package has {path}: whose licence goes along?")
