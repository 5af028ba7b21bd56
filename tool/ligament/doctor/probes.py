# SPDX-License-Identifier: Apache-2.0
"""Probes: each looks at one thing of this machine and changes nothing.

A probe returns what it found (a version, a fact), or None when the part is missing.
"""

from __future__ import annotations

import ctypes
import os
import platform
import re
import resource
import shutil
import socket
import struct
import subprocess
import sys
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import ligament
from ligament import resources
from ligament.errors import InputError
from ligament.programs import asked
from ligament.run.ros_python import find_ros_python

Probe = Callable[[], str | None]


def tool_version(command: str, *arguments: str) -> Probe:
    """A program on PATH: its version, or its path where it does not tell one."""

    def probe() -> str | None:
        path = shutil.which(command)
        if path is None:
            return None
        result = asked([path, *(arguments or ("--version",))], timeout_s=20)
        if result is None:
            return None
        match = re.search(r"\d+\.\d+[\w.~+-]*", result.stdout + result.stderr)
        return match.group(0) if match else path

    return probe


def python_package(name: str) -> Probe:
    """A package of the Python that runs this tool: its version."""

    def probe() -> str | None:
        try:
            return metadata.version(name)
        except metadata.PackageNotFoundError:
            return None

    return probe


def rclpy() -> str | None:
    """ROS 2's Python, with our middleware for it: where it is."""
    try:
        found = find_ros_python()
    except InputError:
        return None
    return str(found.prefix)


def mujoco() -> str | None:
    """MuJoCo in ROS 2's Python, which runs the driving simulator: its version."""
    try:
        found = find_ros_python()
    except InputError:
        return None
    code = "import mujoco; print(mujoco.__version__)"
    result = asked([str(found.program), "-c", code], timeout_s=20)
    return None if result is None else result.stdout.strip() or None


def all_of(*probes: Probe) -> Probe:
    """Several parts that are of no use alone."""

    def probe() -> str | None:
        found = [one() for one in probes]
        return ", ".join(text for text in found if text) if all(found) else None

    return probe


def libpython_name() -> str:
    """The shared library of this Python, as the dynamic linker knows it."""
    return f"libpython{sys.version_info.major}.{sys.version_info.minor}.so.1.0"


def cmake_package_file(*patterns: str) -> Probe:
    """A library's CMake or pkg-config file below the usual prefixes; its version if it has one."""

    def probe() -> str | None:
        for root in (Path("/usr/lib"), Path("/usr/local/lib"), Path("/usr/share")):
            for pattern in patterns:
                for path in sorted(root.glob(pattern)):
                    return _version_in(path) or str(path)
        return None

    return probe


def _version_in(path: Path) -> str | None:
    pattern = r"(?m)^Version:\s*(\S+)|PACKAGE_VERSION\s+\"?([\d.]+)|OpenCV_VERSION\s+([\d.]+)"
    match = re.search(pattern, path.read_text(errors="replace"))
    return next((group for group in match.groups() if group), None) if match else None


def runtime() -> str | None:
    """The installed runtime; one of another version than the tool is as good as none."""
    container = resources.prefix() / "lib" / "ligament" / "ligament-container"
    versions = sorted((resources.prefix() / "lib").glob("**/cmake/ligament/*onfig*ersion.cmake"))
    if not container.is_file() or not versions:
        return None
    found = _version_in(versions[0]) or "unknown"
    return f"{found} in {resources.prefix()}" if found == ligament.__version__ else None


def gpu_devices() -> str | None:
    """A line per device that kernels could run on, and why one cannot be used."""
    program = resources.prefix() / "lib" / "ligament" / "ligament-kernel-check"
    done = asked([str(program), "--devices"], timeout_s=60)
    return done.stdout.strip() if done and done.returncode == 0 else None


def demo_frames() -> str | None:
    """The calibrated photographs that Debian's opencv-doc carries."""
    for root in (Path("/usr/share/doc/opencv-doc"), Path("/usr/share/opencv4")):
        frames = sorted(root.glob("**/left*.jpg*"))
        if frames:
            return f"{len(frames)} frames in {frames[0].parent}"
    return None


def any_frames() -> str | None:
    """Those, or the ones of an installation."""
    folder = resources.photographs_dir()
    return demo_frames() or (f"in {folder}" if folder else None)


def memfd_sealing() -> str | None:
    """Sealed memfds are what pools are made of."""
    try:
        descriptor = os.memfd_create("ligament-doctor", os.MFD_ALLOW_SEALING | os.MFD_CLOEXEC)
    except OSError:
        return None
    os.close(descriptor)
    return f"Linux {platform.release()}"


def pidfd() -> str | None:
    """Through pidfds the death of a peer is seen at once."""
    try:
        os.close(os.pidfd_open(os.getpid()))
    except OSError:
        return None
    return "pidfd_open works"


def peer_descriptors() -> str | None:
    """Attach to a pool as the runtime does: open a memfd of another process of this user."""
    program = "import os,sys; fd=os.memfd_create('x'); print(fd, flush=True); sys.stdin.readline()"
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as peer:
        assert peer.stdout is not None
        try:
            os.close(os.open(f"/proc/{peer.pid}/fd/{int(peer.stdout.readline())}", os.O_RDWR))
        except (OSError, ValueError):
            return None
        finally:
            peer.kill()
    scope = _read("/proc/sys/kernel/yama/ptrace_scope")
    return f"/proc/PID/fd of own processes opens (ptrace_scope {scope or 'absent'})"


def user_namespaces() -> str | None:
    """Network namespaces without root, for tests over an emulated network."""
    if not hasattr(ctypes.CDLL(None), "unshare") or shutil.which("unshare") is None:
        return None
    result = subprocess.run(
        ["unshare", "--user", "--map-root-user", "--net", "true"],
        capture_output=True,
        check=False,
    )
    return "unprivileged" if result.returncode == 0 else None


def boards(devices: Path = Path("/dev")) -> str | None:
    """Devices behind uio: designs on an FPGA's board."""
    found = sorted(path.name for path in devices.glob("uio[0-9]*"))
    return ", ".join(found) or None


def governor() -> str | None:
    """The CPU frequency governor; None where it lowers the clock when the CPU is idle."""
    name = _read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
    if name is None:
        return "not under this system's control"
    return name if name == "performance" else None


def cores() -> str | None:
    """Cores this process may use."""
    usable = len(os.sched_getaffinity(0))
    return f"{usable} usable of {os.cpu_count()}" if usable >= 2 else None


def memory() -> str | None:
    """Memory that is available, and the limit of this process's control group."""
    match = re.search(r"MemAvailable:\s+(\d+)", _read("/proc/meminfo") or "")
    available = int(match.group(1)) * 1024 if match else 0
    limit = _read("/sys/fs/cgroup/memory.max")
    text = f"{available / 1e9:.1f} GB available"
    if limit is not None and limit.isdigit():
        text += f", control group limit {int(limit) / 1e9:.1f} GB"
        available = min(available, int(limit))
    return text if available > 1_000_000_000 else None


def descriptors() -> str | None:
    """Open files: each end of a topic needs a few."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    return f"{soft} (may be raised to {hard})" if soft >= 1024 else None


def udp_buffers() -> str | None:
    """What a UDP socket's receive buffer holds; None where the kernel does not tell how full it is.

    The question is what the edge asks before each large datagram: sock_diag(7), of one socket.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.bind(("127.0.0.1", 0))
        size = one.getsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF)
        if not _is_shown(one.getsockname()):
            return None
    most = _read("/proc/sys/net/core/rmem_max")
    more = f", up to {int(most) >> 10} KiB where programs ask" if most else ""
    return f"{size >> 10} KiB{more}; the kernel tells how full"


def _is_shown(address: tuple[str, int]) -> bool:
    """Whether the kernel answers about the UDP socket that receives there (linux/inet_diag.h)."""
    by_family, is_request, with_memory, no_cookie = 20, 1, 1 << 6, 0xFFFFFFFF
    socket_id = struct.pack(
        ">HH16s4s12sI", 0, address[1], b"", socket.inet_aton(address[0]), b"", 0
    ) + struct.pack("=II", no_cookie, no_cookie)
    states = 0xFFFFFFFF
    question = struct.pack("=BBBBI", socket.AF_INET, socket.IPPROTO_UDP, with_memory, 0, states)
    size = 16 + len(question) + len(socket_id)
    header = struct.pack("=IHHII", size, by_family, is_request, 0, 0)
    try:
        with socket.socket(socket.AF_NETLINK, socket.SOCK_DGRAM, 4) as kernel:
            kernel.settimeout(1)
            kernel.send(header + question + socket_id)
            (kind,) = struct.unpack_from("=H", kernel.recv(4096), 4)
    except OSError:
        return False
    return bool(kind == by_family)


def shared_library(*names: str) -> Probe:
    """A shared library that the dynamic linker finds."""

    def probe() -> str | None:
        for name in names:
            try:
                ctypes.CDLL(name)
            except OSError:
                continue
            return name
        return None

    return probe


def _read(path: str) -> str | None:
    try:
        return Path(path).read_text().strip()
    except OSError:
        return None
