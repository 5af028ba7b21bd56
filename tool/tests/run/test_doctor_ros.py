# SPDX-License-Identifier: Apache-2.0
"""What `ligament doctor` tells of real rclpy processes, on both middlewares."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest
from dds_domain import dds_domain
from ros2_wheels import DISTROS, our_middleware, wheels_environment, wheels_python

from ligament.doctor.ros_processes import find_ros_processes, ros_processes, told_of
from ligament.resources import prefix

#: It stays until its input ends.
NODE = """
import sys, rclpy
rclpy.init()
node = rclpy.create_node("stays")
print("ready", flush=True)
sys.stdin.read()
"""
INSIDE = ("unshare", "--pid", "--fork", "--mount-proc", "--kill-child")


@contextmanager
def _node(
    distro: str, domain_id: int, *, ours: bool, inside: tuple[str, ...] = ()
) -> Iterator[int]:
    """A node's process; yields its number, of what holds its namespace if it has one."""
    own = {}
    if ours:
        own = {"LD_PRELOAD": str(our_middleware(distro)), "LIGAMENT_RMW_EDGE": "off"}
    words = [f"{name}={value}" for name, value in own.items()]
    with subprocess.Popen(
        [*inside, "env", *words, str(wheels_python(distro)), "-c", NODE],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=wheels_environment(distro, domain_id),
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            yield process.pid
        finally:
            process.kill()


def _told(domain_id: int) -> list[str]:
    return told_of(p for p in find_ros_processes() if p.domain_id == domain_id)


@pytest.mark.parametrize("distro", DISTROS)
def test_who_shares_the_pool_and_who_is_on_dds_is_told(distro: str) -> None:
    with ExitStack() as stack:
        domain_id = stack.enter_context(dds_domain())
        ours = [stack.enter_context(_node(distro, domain_id, ours=True)) for _ in range(2)]
        other = stack.enter_context(_node(distro, domain_id, ours=False))
        names = ", ".join(sorted(f"python ({pid})" for pid in ours))
        assert _told(domain_id) == [
            f"domain {domain_id}: share the pool: {names}",
            f"domain {domain_id}: by DDS, on rmw_fastrtps_cpp: python ({other})",
        ]
        if (prefix() / "lib" / "ligament" / "ligament-look").is_file():
            named = ", ".join(sorted(f"/stays (python {pid})" for pid in ours))
            assert f"domain {domain_id}: share the pool: {named}" in (ros_processes() or "")


def test_a_container_is_told_by_its_pid_namespace() -> None:
    try:
        subprocess.run([*INSIDE, "true"], check=True, capture_output=True, timeout=60)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"this machine has no such thing: the leave to make pid namespaces ({error})")
    with ExitStack() as stack:
        domain_id = stack.enter_context(dds_domain())
        for _ in range(2):
            stack.enter_context(_node("jazzy", domain_id, ours=True))
        holder = stack.enter_context(_node("jazzy", domain_id, ours=True, inside=INSIDE))
        (inside,) = _children(holder)
        how = f"domain {domain_id}: share the pool, from another pid namespace (a container)"
        line = f"{how}: python ({inside})"
        end = time.monotonic() + 60
        while _told(domain_id)[1:] != [line] and time.monotonic() < end:
            time.sleep(0.02)
        assert _told(domain_id)[1:] == [line]


def _children(pid: int) -> list[int]:
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as text:
        return [int(word) for word in text.read().split()]
