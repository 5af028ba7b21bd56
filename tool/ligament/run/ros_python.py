# SPDX-License-Identifier: Apache-2.0
"""The Python of ROS 2, in which nodes in Python run: where it is, and what it needs to start.

The tool runs in a Python of its own. ROS 2's is found by the environment of whoever has sourced a
ROS 2 (`AMENT_PREFIX_PATH`); else it is the one that `dev/setup --ros` installs in the repository.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ligament.errors import InputError, Problem, listing

MIDDLEWARE = "rmw_ligament_cpp"
_REPOSITORY = Path(__file__).resolve().parents[3]
_DISTROS = ("jazzy", "kilted")
_PACKAGES = ("lib/python3*/site-packages", "lib/python3*/dist-packages",
             "local/lib/python3*/dist-packages")  # fmt: skip
_HINT = (
    "source your ROS 2 before (source /opt/ros/DISTRO/setup.bash), or, in Ligament's repository: "
    "dev/setup --ros"
)


@dataclass(frozen=True)
class RosPython:
    """A Python that can import rclpy, and what its processes need in their environment."""

    program: Path
    prefix: Path
    """Where rclpy is."""
    environment: Mapping[str, str]


def find_ros_python(distro: str = "") -> RosPython:
    """Find it; a distribution is preferred where there are several. Raises with what is missing."""
    prefixes = _prefixes(distro)
    with_rclpy = next((p for p in prefixes if _has_rclpy(p)), None)
    if with_rclpy is None:
        looked = f"looked in {listing(str(p) for p in prefixes)}" if prefixes else (
            "no ROS 2 is sourced (AMENT_PREFIX_PATH), and the repository has none in build/ros"
        )  # fmt: skip
        raise _missing("rclpy-missing", f"nodes in Python need rclpy, and there is none: {looked}")
    library = next((p for p in _libraries(prefixes) if p.is_file()), None)
    if library is None:
        raise _missing(
            "middleware-missing",
            f"nodes in Python need {MIDDLEWARE}, and lib{MIDDLEWARE}.so is in none of "
            f"{listing(str(p / 'lib') for p in prefixes)}",
            "build it for your ROS 2 (docs/how-to/ros2-workspace.md), or: dev/setup --ros",
        )
    return RosPython(_program(with_rclpy), with_rclpy, _environment(prefixes, library))


def python_with_rclpy(prefixes: Iterable[Path]) -> Path | None:
    """Return the Python of the first of these prefixes that has rclpy."""
    found = next((p for p in prefixes if _has_rclpy(p)), None)
    return None if found is None else _program(found)


def _missing(code: str, text: str, hint: str = _HINT) -> InputError:
    return InputError(Problem(code, text, hint=hint))


def _prefixes(distro: str) -> list[Path]:
    """Where packages of ROS 2 are; those of the environment, or the first in the repository."""
    sourced = [Path(p) for p in os.environ.get("AMENT_PREFIX_PATH", "").split(":") if p]
    if sourced:
        return sourced
    names = sorted(_DISTROS, key=lambda name: name != distro)
    here = [_REPOSITORY / "build" / "ros" / name for name in names]
    return [p for p in here if p.is_dir()][:1]


def _has_rclpy(prefix: Path) -> bool:
    return any(True for pattern in _PACKAGES for _ in prefix.glob(f"{pattern}/rclpy"))


def _libraries(prefixes: list[Path]) -> Iterator[Path]:
    yield from (prefix / "lib" / f"lib{MIDDLEWARE}.so" for prefix in prefixes)


def _program(prefix: Path) -> Path:
    """The prefix's own Python (a virtual environment, conda), else the system's."""
    own = prefix / "bin" / "python3"
    if own.exists():
        return own
    # Not the PATH's: the tool's own virtual environment may come first there.
    return Path(shutil.which("python3", path=os.defpath) or "/usr/bin/python3")


def _environment(prefixes: list[Path], library: Path) -> dict[str, str]:
    folders = [str(prefix / "lib") for prefix in prefixes]
    before = os.environ.get("LD_LIBRARY_PATH", "")
    found = {
        "AMENT_PREFIX_PATH": ":".join(str(p) for p in prefixes),
        "LD_LIBRARY_PATH": ":".join([*folders, *([before] if before else [])]),
        "RMW_IMPLEMENTATION": MIDDLEWARE,
        "PYTHONUNBUFFERED": "1",
    }
    if not any((prefix / "lib" / "librmw_implementation.so").exists() for prefix in prefixes):
        # The wheels of the Python registry link their middleware: ours is put in front of it.
        found["LD_PRELOAD"] = str(library)
    return found
