# SPDX-License-Identifier: Apache-2.0
"""The table of generating back-ends: one per kind of device.

A back-end is a folder beside this file with its templates; it gets what the mapping gave to its
kind of device and returns files. It starts no process and writes nothing.
"""

from __future__ import annotations

from typing import Protocol

from ligament.generate.cpu.backend import CpuBackend
from ligament.generate.files import Output
from ligament.generate.fpga.backend import FpgaBackend
from ligament.generate.gpu.backend import GpuBackend
from ligament.graph.model import Graph
from ligament.mapping.model import GraphMapping


class Backend(Protocol):
    """Generates for one kind of device."""

    def generate(self, graph: Graph, mapping: GraphMapping) -> Output:
        """Return the files for the nodes of `mapping` that run on this kind of device."""


BACKENDS: dict[str, Backend] = {"cpu": CpuBackend(), "fpga": FpgaBackend(), "gpu": GpuBackend()}
