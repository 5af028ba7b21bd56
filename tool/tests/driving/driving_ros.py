# SPDX-License-Identifier: Apache-2.0
"""Programs of examples/driving on ROS 2, in a domain of their own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from driving_place import JAZZY, REPO, python

sys.path.insert(0, str(REPO / "tool" / "tests" / "run"))
from dds_domain import dds_domain

__all__ = ["LIGAMENT", "dds_domain", "environment", "preloaded", "started"]
STOPPING_S = 60.0
LIGAMENT = [sys.executable, "-m", "ligament.cli.main"]


def environment(domain_id: int) -> dict[str, str]:
    """As a shell that sourced that ROS 2."""
    python()
    if not (JAZZY / "lib" / "librmw_ligament_cpp.so").exists():
        pytest.skip("rmw_ligament_cpp is not built for ROS 2 jazzy (dev/setup --test)")
    return {
        **os.environ,
        "AMENT_PREFIX_PATH": str(JAZZY),
        "LD_LIBRARY_PATH": str(JAZZY / "lib"),
        "PYTHONPATH": str(REPO / "tool"),
        "PYTHONUNBUFFERED": "1",
        "ROS_DOMAIN_ID": str(domain_id),
        "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST",
    }


def preloaded(domain_id: int) -> dict[str, str]:
    """As dev/with-ros runs a program."""
    found = environment(domain_id)
    return {**found, "LD_PRELOAD": str(JAZZY / "lib" / "librmw_ligament_cpp.so")}


@contextmanager
def started(
    command: list[str], folder: Path, environment: dict[str, str]
) -> Iterator[subprocess.Popen[str]]:
    """A program that is stopped at the end; it stops what it started."""
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, cwd=folder, env=environment,
        start_new_session=True,
    )  # fmt: skip
    try:
        yield process
    finally:
        process.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            process.wait(STOPPING_S)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        assert process.stdout is not None
        process.stdout.close()
