# SPDX-License-Identifier: Apache-2.0
"""Builds C99 nodes: firmware images with a cross compiler, then what containers load."""

from __future__ import annotations

import hashlib
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import ligament
from ligament import resources
from ligament.artefacts import write_text
from ligament.build.components import alone_in, build_components
from ligament.build.diagnostics import overflows
from ligament.build.ninja import Progress, Step, run_step
from ligament.build.target import Target
from ligament.errors import FailureError
from ligament.programs import asked

COMPILER = "arm-none-eabi-gcc"


def build_mcu(
    folder: Path,
    entry: Mapping[str, Any],
    jobs: int,
    progress: Progress | None,
    target: Target | None = None,
) -> bool:
    """Build the images and the libraries of a manifest's entry; tells whether it compiled."""
    compiled = build_images(folder, entry, jobs, progress)
    return build_components(folder, entry, jobs, progress, target) or compiled


def build_images(
    folder: Path, entry: Mapping[str, Any], jobs: int, progress: Progress | None
) -> bool:
    """Build the images alone."""
    compiled = False
    for device, image in entry.get("images", {}).items():
        compiled |= _build_image(folder, device, image, jobs, progress)
    return compiled


def _build_image(
    folder: Path, device: str, image: Mapping[str, Any], jobs: int, progress: Progress | None
) -> bool:
    require_compiler(device)
    project, work = (folder / image["project"]).resolve(), (folder / image["work"]).resolve()
    own = [Path(path) for path in image["folders"]]
    target = (folder / image["image"]).resolve()
    with alone_in(work):
        _configure(project, work, own)
        command = ["ninja", "-C", str(work), f"-j{jobs}", str(image["target"])]
        step = Step(
            f"compiling the firmware of {device}", command, work / "build.log", own, project
        )
        try:
            output = run_step(step, progress)
        except FailureError as error:
            if overflows(error.text):
                raise _too_large(error) from error
            raise
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(work / f"{image['target']}.elf", target)
    return "no work to do" not in output


def _too_large(error: FailureError) -> FailureError:
    return FailureError(
        error.text,
        command=error.command,
        log=error.log,
        hint="the core's memory does not hold all of its nodes: give smaller bounds to their "
        "messages (`bounds` under `mcu` in node.yaml) or less state, map nodes to another device, "
        "or give the core more memory (`memory.json` of the board)",
    )


def has_c_library() -> bool:
    """Whether the compiler finds newlib, which Debian has in a package of its own."""
    name = "nano.specs"
    done = asked([COMPILER, f"-print-file-name={name}"], timeout_s=20)
    # A file that is not found comes back as its name.
    return done is not None and done.stdout.strip() not in ("", name)


def require_compiler(device: str) -> None:
    """Say what is missing before a build fails in the middle."""
    lacking = ""
    if shutil.which(COMPILER) is None:
        lacking = f"the compiler {COMPILER}, which is not here"
    elif not has_c_library():
        lacking = f"a C library (newlib), which {COMPILER} does not find"
    if lacking:
        raise FailureError(
            f"the firmware of {device} needs {lacking}",
            hint="Debian: apt install gcc-arm-none-eabi libnewlib-arm-none-eabi; or map its nodes "
            "to a processor (their C99 runs there, too)",
        )


def _configure(project: Path, work: Path, own: list[Path]) -> None:
    toolchain = resources.firmware_dir() / "cmake" / "arm-none-eabi.cmake"
    command = [
        "cmake",
        *("-S", str(project), "-B", str(work), "-G", "Ninja"),
        f"-DCMAKE_TOOLCHAIN_FILE={toolchain}",
        f"-DLIGAMENT_PYTHON={sys.executable}",
    ]
    if shutil.which("ccache"):
        command.append("-DCMAKE_C_COMPILER_LAUNCHER=ccache")
    state = hashlib.sha256(repr((command, ligament.__version__)).encode()).hexdigest()
    stamp = work / ".configured"
    if (work / "build.ninja").is_file() and stamp.is_file() and stamp.read_text() == state:
        return
    (work / "CMakeCache.txt").unlink(missing_ok=True)
    run_step(Step("configuring the firmware", command, work / "configure.log", own, project))
    write_text(stamp, state)
