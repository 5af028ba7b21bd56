# SPDX-License-Identifier: Apache-2.0
"""What `ligament doctor` says, and that what it says is true."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from ligament.doctor import probes
from ligament.doctor.checks import CHECKS, Check, Finding

LIGAMENT = [sys.executable, "-m", "ligament.cli.main"]


def doctor(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*LIGAMENT, "doctor", *words],
        capture_output=True,
        text=True,
        env={**os.environ, "COLUMNS": "200", **environment},
        check=False,
    )


@pytest.fixture
def empty_path(tmp_path: Path) -> str:
    """A PATH on which nothing is found."""
    folder = tmp_path / "bin"
    folder.mkdir()
    return str(folder)


def test_every_check_says_its_cost_and_its_cure() -> None:
    for check in CHECKS[1:]:
        assert check.cost and check.fix, check.name
    assert len({check.name for check in CHECKS}) == len(CHECKS)


def test_json_holds_a_row_per_check_and_the_exit_code_agrees() -> None:
    result = doctor("--json")
    data = json.loads(result.stdout)
    assert [row["name"] for row in data["checks"]] == [check.name for check in CHECKS]
    assert result.returncode == (0 if data["ok"] else 1)
    missing = [row for row in data["checks"] if row["state"] == "missing"]
    assert data["ok"] == (not missing)


def test_what_no_graph_runs_without_is_required_and_nothing_else() -> None:
    assert [check.name for check in CHECKS if check.required] == [
        "Python", "C++ compiler", "CMake", "Ninja", "Ligament runtime", "sealed memfds", "pidfds",
        "peers' descriptors",
    ]  # fmt: skip


def test_what_a_probe_runs_is_not_heard(
    empty_path: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    unshare = Path(empty_path) / "unshare"
    unshare.write_text("#!/bin/sh\necho unshare failed >&2\nexit 1\n")
    unshare.chmod(0o755)
    monkeypatch.setenv("PATH", empty_path)
    assert probes.user_namespaces() is None
    assert "".join(capfd.readouterr()) == ""


def test_a_missing_compiler_is_required_and_told(empty_path: str) -> None:
    result = doctor("--json", PATH=empty_path)
    assert result.returncode == 1
    rows = {row["name"]: row for row in json.loads(result.stdout)["checks"]}
    assert rows["C++ compiler"]["state"] == "missing"
    assert "no graph can be built" in rows["C++ compiler"]["cost"]
    assert "build-essential" in rows["C++ compiler"]["fix"]


def test_missing_lttng_costs_tracing_only(empty_path: str) -> None:
    rows = {
        row["name"]: row for row in json.loads(doctor("--json", PATH=empty_path).stdout)["checks"]
    }
    assert rows["LTTng"]["state"] == "absent"
    assert "--trace" in rows["LTTng"]["cost"]
    assert "lttng-tools" in rows["LTTng"]["fix"]


def test_what_firmware_needs_costs_firmware_only(empty_path: str) -> None:
    rows = {
        row["name"]: row for row in json.loads(doctor("--json", PATH=empty_path).stdout)["checks"]
    }
    packages = {
        "Arm compiler": "gcc-arm-none-eabi",
        "Arm C library": "libnewlib-arm-none-eabi",
        "core's emulator": "qemu-system-arm",
        "FreeRTOS": "LIGAMENT_FREERTOS",
    }
    assert {n for n, row in rows.items() if row["group"] == "microcontroller"} == set(packages)
    for name, package in packages.items():
        assert rows[name]["state"] == "absent"
        assert package in rows[name]["fix"]
    assert "run on processors only" in rows["Arm compiler"]["cost"]


def test_the_table_names_what_is_missing(empty_path: str) -> None:
    result = doctor(PATH=empty_path)
    assert "required, but missing: " in result.stdout
    assert "CMake" in result.stdout.splitlines()[-1]
    assert "get it: apt-get install cmake" in result.stdout


@pytest.fixture
def oddity(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program on PATH, to be written."""
    program = tmp_path / "oddity"
    program.touch(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    return program


def test_a_program_that_fails_is_not_taken_for_a_version(oddity: Path) -> None:
    oddity.write_text("#!/bin/sh\necho version 7.25.1\n")
    assert probes.tool_version("oddity")() == "7.25.1"
    oddity.write_text("#!/nowhere/interpreter\n")
    assert probes.tool_version("oddity")() is None
    assert probes.tool_version("no-such-program-anywhere")() is None


def test_a_runtime_of_another_version_is_as_good_as_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "lib/cmake/ligament"
    config.mkdir(parents=True)
    container = tmp_path / "lib/ligament/ligament-container"
    container.parent.mkdir()
    container.touch()
    monkeypatch.setattr(probes.resources, "prefix", lambda: tmp_path)
    version = config / "ligament-config-version.cmake"
    version.write_text(f'set(PACKAGE_VERSION "{probes.ligament.__version__}")\n')
    assert probes.runtime() is not None
    version.write_text('set(PACKAGE_VERSION "99.0.0")\n')
    assert probes.runtime() is None


def test_system_probes_agree_with_this_system() -> None:
    assert probes.memfd_sealing() is not None
    assert probes.pidfd() is not None
    cores = probes.cores()
    assert (cores is None) == (len(os.sched_getaffinity(0)) < 2)


def test_states() -> None:
    required = Check("x", "g", True, lambda: None, "cost", "fix")
    optional = Check("x", "g", False, lambda: None, "cost", "fix")
    assert Finding(required, None).state == "missing"
    assert Finding(optional, None).state == "absent"
    assert Finding(required, "1.0").state == "ok"
    assert Finding(optional, None).to_json()["fix"] == "fix"
    assert "fix" not in Finding(required, "1.0").to_json()


def test_a_python_package_is_found_by_its_version_or_not_at_all() -> None:
    assert probes.python_package("pytest")() == pytest.__version__
    assert probes.python_package("no-such-package-of-ligament")() is None


@pytest.mark.parametrize(("status", "found"), [(0, "opencl 0:0 'a device'"), (1, None)])
def test_devices_for_kernels_are_listed_by_the_program_that_opens_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: int, found: str | None
) -> None:
    monkeypatch.setattr(probes.resources, "prefix", lambda: tmp_path)
    assert probes.gpu_devices() is None
    program = tmp_path / "lib" / "ligament" / "ligament-kernel-check"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\necho \"opencl 0:0 'a device'\"\nexit {status}\n")
    program.chmod(0o755)
    assert probes.gpu_devices() == found


def test_parts_that_need_each_other_are_found_together() -> None:
    assert probes.all_of(lambda: "1", lambda: "2")() == "1, 2"
    assert probes.all_of(lambda: "1", lambda: None)() is None


def test_the_hardware_tools_are_listed() -> None:
    hardware = [check.name for check in CHECKS if check.group == "hardware"]
    assert {"Verilator", "cocotb", "Yosys", "Yices"} <= set(hardware)
    # One heading per group: the table is printed in its order.
    groups = [check.group for check in CHECKS]
    assert len({*groups}) == sum(a != b for a, b in zip(groups, [None, *groups], strict=False))


def _refuses(*_: object) -> int:
    raise OSError("not on this kernel")


def test_what_the_kernel_refuses_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "pidfd_open", _refuses)
    monkeypatch.setattr(os, "memfd_create", _refuses)
    assert probes.pidfd() is None
    assert probes.memfd_sealing() is None


def test_a_probe_leaves_no_file_open() -> None:
    before = os.listdir("/proc/self/fd")
    assert probes.pidfd() and probes.memfd_sealing() and probes.peer_descriptors()
    assert os.listdir("/proc/self/fd") == before


@pytest.mark.parametrize(("soft", "enough"), [(1023, False), (1024, True), (4096, True)])
def test_a_thousand_open_files_are_enough(
    monkeypatch: pytest.MonkeyPatch, soft: int, enough: bool
) -> None:
    monkeypatch.setattr(probes.resource, "getrlimit", lambda _: (soft, 524288))
    assert probes.descriptors() == (f"{soft} (may be raised to 524288)" if enough else None)


@pytest.mark.parametrize(
    ("available_kib", "limit", "text"),
    [
        (2_000_000, None, "2.0 GB available"),
        (2_000_000, "max", "2.0 GB available"),
        (2_000_000, "1500000000", "2.0 GB available, control group limit 1.5 GB"),
        (2_000_000, "900000000", None),
        (900_000, None, None),
    ],
)
def test_memory_is_what_the_control_group_leaves(
    monkeypatch: pytest.MonkeyPatch, available_kib: int, limit: str | None, text: str | None
) -> None:
    files = {
        "/proc/meminfo": f"MemTotal: 9 kB\nMemAvailable:   {available_kib} kB",
        "/sys/fs/cgroup/memory.max": limit,
    }
    monkeypatch.setattr(probes, "_read", files.get)
    assert probes.memory() == text


def test_the_governor_is_found_missing_only_where_it_slows(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, found in (("performance", "performance"), ("powersave", None)):
        monkeypatch.setattr(probes, "_read", lambda _, name=name: name)
        assert probes.governor() == found
    monkeypatch.setattr(probes, "_read", lambda _: None)
    assert probes.governor() == "not under this system's control"


def test_the_kernel_is_asked_about_a_socket_of_udp(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.bind(("127.0.0.1", 0))
        address = one.getsockname()
        if not probes._is_shown(address):
            pytest.skip("the kernel has no udp_diag")
        assert "the kernel tells how full" in (probes.udp_buffers() or "")
    assert not probes._is_shown(address)  # nobody receives there any more
    monkeypatch.setattr(probes, "_is_shown", lambda _: False)
    assert probes.udp_buffers() is None


def test_the_first_of_several_libraries_is_found_and_none_that_is_not_there() -> None:
    assert probes.shared_library("libnowhere.so.9", "libc.so.6")() == "libc.so.6"
    assert probes.shared_library("libnowhere.so.9")() is None


def test_a_version_is_read_from_each_kind_of_file(tmp_path: Path) -> None:
    path = tmp_path / "x"
    for text, version in (
        ("Name: x\nVersion: 1.2.3\n", "1.2.3"),
        ('set(PACKAGE_VERSION "4.5")', "4.5"),
        ("SET(OpenCV_VERSION 4.6.0)", "4.6.0"),
        ("nothing here", None),
    ):
        path.write_text(text)
        assert probes._version_in(path) == version


def test_a_library_file_is_found_by_its_version_or_its_path(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    versions = iter(["9.9", None])
    monkeypatch.setattr(probes, "_version_in", lambda _: next(versions))
    assert probes.cmake_package_file("**/libc.so*", "**/libc-*.so")() == "9.9"
    found = probes.cmake_package_file("**/libc.so*", "**/libc-*.so")()
    assert found is not None and "/libc" in found
    assert probes.cmake_package_file("no-such-file-*")() is None


def test_a_program_without_a_version_is_found_by_its_path(oddity: Path) -> None:
    oddity.write_text("#!/bin/sh\nexit 3\n")
    assert probes.tool_version("oddity")() == str(oddity)
