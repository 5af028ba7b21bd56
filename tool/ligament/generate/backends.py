# SPDX-License-Identifier: Apache-2.0
"""The table of generating back-ends: one per way to implement a node.

A back-end is a folder beside this file with its templates; it gets what the mapping gave to its
kind of implementation and returns files. It starts no process and writes nothing. One that no node
needs is not imported.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from ligament.generate.files import Output
from ligament.graph.model import Graph
from ligament.mapping.model import GraphMapping


class Backend(Protocol):
    """Generates for one kind of implementation."""

    def generate(self, graph: Graph, mapping: GraphMapping) -> Output:
        """Return the files for the nodes of `mapping` that are implemented this way."""


def _cpu() -> Backend:
    from ligament.generate.cpu.backend import CpuBackend  # noqa: PLC0415 - see above

    return CpuBackend()


def _fpga() -> Backend:
    from ligament.generate.fpga.backend import FpgaBackend  # noqa: PLC0415 - see above

    return FpgaBackend()


def _gpu() -> Backend:
    from ligament.generate.gpu.backend import GpuBackend  # noqa: PLC0415 - see above

    return GpuBackend()


def _hls() -> Backend:
    from ligament.generate.hls.backend import HlsBackend  # noqa: PLC0415 - see above

    return HlsBackend()


def _mcu() -> Backend:
    from ligament.generate.mcu.backend import McuBackend  # noqa: PLC0415 - see above

    return McuBackend()


def _python() -> Backend:
    from ligament.generate.python.backend import PythonBackend  # noqa: PLC0415 - see above

    return PythonBackend()


BACKENDS: dict[str, Callable[[], Backend]] = {
    "cpu": _cpu,
    "fpga": _fpga,
    "gpu": _gpu,
    "hls": _hls,
    "mcu": _mcu,
    "python": _python,
}
