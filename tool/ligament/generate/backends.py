# SPDX-License-Identifier: Apache-2.0
"""The table of generating back-ends: one per way to implement a node.

A back-end is a folder beside this file with its templates; it gets what the mapping gave to its
kind of implementation and returns files. It starts no process and writes nothing.
"""

from __future__ import annotations

from typing import Protocol

from ligament.generate.cpu.backend import CpuBackend
from ligament.generate.files import Output
from ligament.generate.fpga.backend import FpgaBackend
from ligament.generate.gpu.backend import GpuBackend
from ligament.generate.hls.backend import HlsBackend
from ligament.graph.model import Graph
from ligament.mapping.model import GraphMapping


class Backend(Protocol):
    """Generates for one kind of implementation."""

    def generate(self, graph: Graph, mapping: GraphMapping) -> Output:
        """Return the files for the nodes of `mapping` that are implemented this way."""


BACKENDS: dict[str, Backend] = {
    "cpu": CpuBackend(),
    "fpga": FpgaBackend(),
    "gpu": GpuBackend(),
    "hls": HlsBackend(),
}
