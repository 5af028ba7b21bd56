# SPDX-License-Identifier: Apache-2.0
"""Writes the sources of an interface package that the wheels lack: ros2_generate.py FOLDER OUT.

It runs with the Python of a ROS 2 distribution's wheels, which have ROS 2's own generators. FOLDER
is named as the package, and has its services. Each generator writes below OUT.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from rosidl_generator_c.cli import GenerateC
from rosidl_generator_py.cli import GeneratePython
from rosidl_typesupport_c.cli import GenerateCTypesupport
from rosidl_typesupport_fastrtps_c.cli import GenerateFastRTPSCTypesupport
from rosidl_typesupport_introspection_c.cli import GenerateIntrospectionCTypesupport

GENERATORS = {
    "c": GenerateC("c"),
    "support": GenerateCTypesupport("c"),
    "introspection": GenerateIntrospectionCTypesupport("introspection_c"),
    "fastrtps": GenerateFastRTPSCTypesupport("fastrtps_c"),
    "py": GeneratePython("py", typesupport_implementations=["rosidl_typesupport_c"]),
}


def main() -> None:
    """All of them."""
    folder, out = Path(sys.argv[1]), Path(sys.argv[2])
    services = [f"{folder}:srv/{path.name}" for path in sorted((folder / "srv").glob("*.srv"))]
    share = str(Path(os.environ["AMENT_PREFIX_PATH"]) / "share")
    for name, generator in GENERATORS.items():
        place = out / name / folder.name
        place.mkdir(parents=True)
        generator.generate(folder.name, list(services), [share], place)
    (out / "py" / folder.name / "__init__.py").touch()


if __name__ == "__main__":
    main()
