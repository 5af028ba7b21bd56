# SPDX-License-Identifier: Apache-2.0
"""Interface packages that the wheels of ROS 2 lack, made by the wheels' own generators.

Built by hand and not by CMake: that needs packages of ament which the wheels' environments lack.
"""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

from ros2_wheels import WHEELS, wheels_environment, wheels_python

HERE = Path(__file__).parent
#: What services and their types are on, in the wheels.
OTHERS = ("service_msgs", "rcl_interfaces")
INTERFACES = Path(__file__).parents[3] / "spec" / "interfaces"


@dataclass(frozen=True)
class Package:
    """A package being built for a distribution."""

    name: str
    distro: str
    out: Path

    def environment(self, domain_id: int) -> dict[str, str]:
        """What a program with its types needs."""
        found = wheels_environment(self.distro, domain_id)
        found["LD_LIBRARY_PATH"] += f":{self.out / 'lib'}"
        found["PYTHONPATH"] = str(self.out / "py")
        return found

    def build(self) -> None:
        """Generate and compile it."""
        python = str(wheels_python(self.distro))
        words = [python, str(HERE / "ros2_generate.py"), str(INTERFACES / self.name), str(self.out)]
        environment = wheels_environment(self.distro, 0)
        subprocess.run(words, check=True, env=environment, stdout=subprocess.DEVNULL)
        (self.out / "lib").mkdir()
        detail = f"{self.name}/srv/detail"
        self._library("generator_c", f"c/{detail}/*.c", "rosidl_runtime_c")
        for kind in ("introspection", "fastrtps"):
            name = f"typesupport_{kind}_c"
            self._library(name, f"{kind}/{detail}/*.c*", f"rosidl_{name}")
        self._library("typesupport_c", f"support/{self.name}/srv/*.cpp", "rosidl_typesupport_c")
        self._extension(python)

    def _library(self, kind: str, sources: str, runtime: str) -> None:
        """One of the package's; each but the first is on that one."""
        libraries = [runtime, *(f"{other}__rosidl_{kind}" for other in OTHERS)]
        if kind != "generator_c":
            libraries.append(f"{self.name}__rosidl_generator_c")
        target = self.out / "lib" / f"lib{self.name}__rosidl_{kind}.so"
        self._compile(target, sorted(self.out.glob(sources)), libraries)

    def _extension(self, python: str) -> None:
        asked = (
            "import sysconfig, numpy; print(sysconfig.get_paths()['include']);"
            "print(numpy.get_include()); print(sysconfig.get_config_var('EXT_SUFFIX'))"
        )
        told = subprocess.run([python, "-c", asked], check=True, capture_output=True, text=True)
        *headers, suffix = told.stdout.split()
        place = self.out / "py" / self.name
        libraries = [f"{self.name}__rosidl_{kind}" for kind in ("generator_c", "typesupport_c")]
        others = ("service_msgs", "rcl_interfaces")
        libraries += [
            f"{other}__rosidl_generator_{kind}" for other in others for kind in ("py", "c")
        ]
        target = place / f"{self.name}_s__rosidl_typesupport_c{suffix}"
        self._compile(target, [*place.glob("*.c"), *place.glob("srv/*.c")], libraries, *headers)

    def _compile(
        self, target: Path, sources: list[Path], libraries: list[str], *headers: str
    ) -> None:
        include = WHEELS / self.distro / "include"
        folders = [include, *(p for p in sorted(include.iterdir()) if p.is_dir()), *headers]
        folders += [self.out / name for name in ("c", "introspection", "fastrtps")]
        compiler = ["g++", "-std=c++17"] if sources[0].suffix == ".cpp" else ["gcc"]
        subprocess.run(
            [
                *compiler, "-w", "-O0", "-fPIC", "-shared", *(f"-I{folder}" for folder in folders),
                *map(str, sources), "-o", str(target), f"-L{self.out / 'lib'}",
                f"-L{WHEELS / self.distro / 'lib'}", *(f"-l{name}" for name in libraries),
            ],
            check=True,
        )  # fmt: skip
