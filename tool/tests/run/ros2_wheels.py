# SPDX-License-Identifier: Apache-2.0
"""Real ROS 2 for tests: wheels of two distributions, each with a Python of its own."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

WHEELS = Path(__file__).parents[3] / "build" / "ros"
DISTROS = ("jazzy", "kilted")


def wheels_python(distro: str, package: str = "rclpy") -> Path:
    """The Python that has that distribution; skips where the package is missing."""
    python = WHEELS / distro / "bin" / "python"
    if not list((WHEELS / distro).glob(f"lib/python*/site-packages/{package}")):
        pytest.skip(f"the wheels of ROS 2 {distro} are not installed (dev/setup --test)")
    return python


def our_middleware(distro: str) -> Path:
    """The library to preload there; skips where it is not built."""
    library = WHEELS / distro / "lib" / "librmw_ligament_cpp.so"
    if not library.exists():
        pytest.skip(f"rmw_ligament_cpp is not built for ROS 2 {distro} (dev/setup --test)")
    return library


def wheels_environment(distro: str, domain_id: int) -> dict[str, str]:
    """What such a Python needs in its environment."""
    wheels = WHEELS / distro
    return {
        **os.environ,
        "AMENT_PREFIX_PATH": str(wheels),
        "LD_LIBRARY_PATH": str(wheels / "lib"),
        "PYTHONPATH": "",
        "ROS_DOMAIN_ID": str(domain_id),
        "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST",
    }
