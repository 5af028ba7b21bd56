# SPDX-License-Identifier: Apache-2.0
"""What every number depends on: the machine, the commit, the command, the versions."""

from __future__ import annotations

import os
import platform
import re
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from ligament import __version__
from ligament.programs import asked


def describe_context(folder: Path, versions: Mapping[str, str]) -> dict[str, Any]:
    """The `context` of run.json; the commit is that of the folder that the graph lies in."""
    return {
        "machine": describe_machine(),
        "commit": commit_of(folder),
        "ligament": describe_ligament(),
        "command": [Path(sys.argv[0]).name, *sys.argv[1:]],
        "versions": {**versions, "python": platform.python_version()},
    }


@cache
def describe_ligament() -> dict[str, str | None]:
    """The tool's own version, and its commit where it runs from a checkout of its repository."""
    root = Path(__file__).resolve().parents[3]
    checkout = (root / "tool" / "pyproject.toml").is_file()
    return {"version": __version__, "commit": commit_of(root) if checkout else None}


def describe_machine() -> dict[str, Any]:
    """Processor, cores, memory and kernel of this host."""
    model = re.search(r"(?m)^model name\s*:\s*(.+)$", _read("/proc/cpuinfo"))
    memory = re.search(r"MemTotal:\s+(\d+)", _read("/proc/meminfo"))
    governor = _read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor").strip()
    return {
        "cpu": model.group(1).strip() if model else platform.machine(),
        "cores": len(os.sched_getaffinity(0)),
        "memory_bytes": int(memory.group(1)) * 1024 if memory else None,
        "kernel": platform.release(),
        "os": _read_os_name(),
        "governor": governor or None,
    }


def describe_host(host: str = "local") -> dict[str, str]:
    """This host's entry in run.json; monotonic times of one boot id can be compared."""
    boot_id = _read("/proc/sys/kernel/random/boot_id").strip()
    return {"id": host, "name": platform.node(), "boot_id": boot_id}


def commit_of(folder: Path) -> str | None:
    """The commit that a folder is at, `-dirty` appended if its files differ; None outside git."""
    command = ["git", "-C", str(folder), "describe", "--always", "--dirty", "--abbrev=12"]
    result = asked(command, timeout_s=10)
    return result.stdout.strip() or None if result and result.returncode == 0 else None


def _read(path: str) -> str:
    try:
        return Path(path).read_text(errors="replace")
    except OSError:
        return ""


def _read_os_name() -> str:
    match = re.search(r'PRETTY_NAME="?([^"\n]+)', _read("/etc/os-release"))
    return match.group(1) if match else platform.system()
