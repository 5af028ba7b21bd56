# SPDX-License-Identifier: Apache-2.0
"""A platform with two FPGAs in the simulator: the usual one, and one with twice its clock."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path

from ruamel.yaml import YAML

from ligament.resources import platforms_dir

FAST_HZ = 200e6


def two_fpgas(folder: Path) -> str:
    """Return the path of a platform whose devices are cpu0, fpga0 and fpga1."""
    document = YAML().load(platforms_dir() / "fpga_sim" / "platform.yaml")
    document["devices"]["fpga1"] = deepcopy(document["devices"]["fpga0"]) | {"clock": "fast"}
    document["links"].append(deepcopy(document["links"][0]) | {"from": "fpga1"})
    document["clocks"]["fast"] = deepcopy(document["clocks"]["fabric"])
    document["clocks"]["fast"]["frequency_hz"] = FAST_HZ
    path = folder / "platform.yaml"
    YAML().dump(document, path)
    return str(path)
