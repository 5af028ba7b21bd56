# SPDX-License-Identifier: Apache-2.0
"""Builds the components of a kind of device: CMake once, then Ninja for the targets needed."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import ligament
from ligament import resources
from ligament.artefacts import write_text
from ligament.build.ninja import Progress, Step, run_step
from ligament.build.python_files import copy_changed
from ligament.build.target import Target
from ligament.disk import writing
from ligament.errors import FailureError

FLAGS = "-O2 -g1 -DNDEBUG"
"""Functions and lines for traces and debuggers, a third less time than with every variable; what
CXXFLAGS has comes behind, so `CXXFLAGS=-g` brings these."""


def build_components(
    folder: Path,
    entry: Mapping[str, Any],
    jobs: int,
    progress: Progress | None,
    target: Target | None = None,
) -> bool:
    """Build the libraries of a manifest's entry; tells whether anything was compiled.

    One that is installed, made from just the same, is copied: it is of this machine.
    """
    wanted = {n: lib for n, lib in entry["libraries"].items() if target or "built" not in lib}
    changed = [
        copy_changed(Path(lib["built"]), folder / lib["library"])
        for name, lib in entry["libraries"].items()
        if name not in wanted
    ]
    if not wanted:
        return any(changed)
    project = (folder / entry["project"]).resolve()
    work = (folder / entry["work"]).resolve()
    own = [Path(library["folder"]) for library in wanted.values()]
    prefix = resources.prefix() if target is None else target.prefix
    _require_runtime(prefix)
    options = [f"-DCMAKE_PREFIX_PATH={prefix}"]
    if target is not None:
        options.append(f"-DCMAKE_TOOLCHAIN_FILE={target.toolchain}")
    options.append(f"-DCMAKE_LIBRARY_OUTPUT_DIRECTORY={_library_folder(folder, entry)}")
    with alone_in(work):
        _configure(project, work, options, own)
        targets = sorted(library["target"] for library in wanted.values())
        command = ["ninja", "-C", str(work), f"-j{jobs}", *targets]
        step = Step("compiling the nodes", command, work / "build.log", own, project)
        with _whole_or_gone([folder / lib["library"] for lib in wanted.values()]):
            output = run_step(step, progress)
    return "no work to do" not in output or any(changed)


def default_jobs() -> int:
    """One job per core, but a gigabyte of free memory for each."""
    cores = len(os.sched_getaffinity(0))
    free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return max(1, min(cores, free // 1_000_000_000))


def _require_runtime(prefix: Path) -> None:
    if not (prefix / "lib" / "cmake" / "ligament").is_dir():
        raise FailureError(
            f"the Ligament runtime is not installed in {prefix}",
            hint="make setup, in Ligament's repository; `ligament doctor` tells more",
        )


def _library_folder(folder: Path, entry: Mapping[str, Any]) -> Path:
    first: Mapping[str, Any] = next(iter(entry["libraries"].values()))
    return (folder / str(first["library"])).resolve().parent


@contextmanager
def alone_in(work: Path) -> Iterator[None]:
    """Two builds of one graph's variants take turns; Ninja does not guard against itself."""
    with writing(work):
        work.mkdir(parents=True, exist_ok=True)
        lock = (work / ".lock").open("w")
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@contextmanager
def _whole_or_gone(libraries: list[Path]) -> Iterator[None]:
    """Where the build fails, remove what it touched: a linker that is killed leaves half a file."""
    before = [_changed_ns(path) for path in libraries]
    try:
        yield
    except FailureError:
        for path, then in zip(libraries, before, strict=True):
            if _changed_ns(path) != then:
                path.unlink(missing_ok=True)
        raise


def _changed_ns(path: Path) -> int:
    return path.stat().st_mtime_ns if path.is_file() else 0


def _configure(project: Path, work: Path, options: list[str], own: list[Path]) -> None:
    command = [
        "cmake",
        *("-S", str(project), "-B", str(work), "-G", "Ninja"),
        "-DCMAKE_BUILD_TYPE=RelWithDebInfo",
        f"-DCMAKE_CXX_FLAGS_RELWITHDEBINFO={FLAGS} {os.environ.get('CXXFLAGS', '')}",
        *options,
        f"-DLIGAMENT_PYTHON={sys.executable}",
    ]
    if shutil.which("ccache"):
        command.append("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache")
    # Ninja itself re-runs CMake when the project's text changes; a changed command does not.
    state = hashlib.sha256(repr((command, ligament.__version__)).encode()).hexdigest()
    stamp = work / ".configured"
    if (work / "build.ninja").is_file() and stamp.is_file() and stamp.read_text() == state:
        return
    (work / "CMakeCache.txt").unlink(missing_ok=True)
    run_step(Step("configuring the nodes' build", command, work / "configure.log", own, project))
    write_text(stamp, state)
