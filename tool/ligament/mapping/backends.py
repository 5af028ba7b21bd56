# SPDX-License-Identifier: Apache-2.0
"""Which transports and kinds of device this installation can really run.

The rules decide what a graph *should* use; this table says whether that can be had. A transport or
kind without a back-end is refused with its sentence, never replaced by another silently. A new
back-end is one line here beside its folder.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Backend:
    """Whether something can be run, and what to say when it cannot."""

    installed: bool
    text: str


TRANSPORTS: dict[str, Backend] = {
    "shm": Backend(True, "the shared-memory pool of one host"),
    "dds": Backend(True, "the edge, the component that speaks DDS for a host"),
    "hmt": Backend(True, "stream networks between the cores of a design"),
    "gateway": Backend(True, "stream networks of a design, joined to the pool by burst DMA"),
    "queue": Backend(True, "payloads that stay on a GPU between kernels of one process"),
    "xrce": Backend(True, "DDS-XRCE to a core, through the agent in its container"),
}

KINDS: dict[str, Backend] = {
    "cpu": Backend(True, "C++ components and rclpy nodes, in containers"),
    "gpu": Backend(True, "kernels, launched by generated components"),
    "fpga": Backend(True, "cores: SystemVerilog in the simulator, or C++ natively"),
    "mcu": Backend(True, "firmware images of C99 nodes, on an emulated core"),
}


@dataclass(frozen=True)
class Backends:
    """The back-ends that a mapping may count on."""

    transports: frozenset[str]
    kinds: frozenset[str]
    on_paper: bool = False  # nothing has to run here
    unwritten: bool = False  # nor anywhere yet: a node may lack the implementation


def installed() -> Backends:
    """Return what this installation has."""
    return Backends(
        frozenset(n for n, b in TRANSPORTS.items() if b.installed),
        frozenset(n for n, b in KINDS.items() if b.installed),
    )


def planned() -> Backends:
    """Return everything that the vocabulary knows: for mapping on paper (`ligament map --plan`)."""
    return Backends(frozenset(TRANSPORTS), frozenset(KINDS), on_paper=True, unwritten=True)
