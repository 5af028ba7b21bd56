# SPDX-License-Identifier: Apache-2.0
"""The buses of the board top, signal by signal: for its text, and for tools that read a list."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Signal:
    """A signal of a bus, without the bus's name."""

    direction: str  # of the board top
    width: int  # 0: a wire
    name: str

    @property
    def range(self) -> str:
        """Its range in Verilog."""
        return f"[{self.width - 1}:0] " if self.width else ""


def lite_signals(data: int) -> tuple[Signal, ...]:
    """Return `s_axil`, AXI4-Lite of that many bits of data."""
    return (
        *_signals("input", awaddr=17, awprot=3, awvalid=0),
        *_signals("output", awready=0),
        *_signals("input", wdata=data, wstrb=data // 8, wvalid=0),
        *_signals("output", wready=0, bresp=2, bvalid=0),
        *_signals("input", bready=0, araddr=17, arprot=3, arvalid=0),
        *_signals("output", arready=0, rdata=data, rresp=2, rvalid=0),
        *_signals("input", rready=0),
    )


def full_signals(data: int, numbers: int) -> tuple[Signal, ...]:
    """Return `m_axi`, AXI4 of that many bits of data and of ids."""
    return (
        *_requests("aw", numbers),
        *_signals("input", awready=0),
        *_signals("output", wdata=data, wstrb=data // 8, wlast=0, wvalid=0),
        *_signals("input", wready=0, bid=numbers, bresp=2, bvalid=0),
        *_signals("output", bready=0),
        *_requests("ar", numbers),
        *_signals("input", arready=0, rid=numbers, rdata=data, rresp=2, rlast=0, rvalid=0),
        *_signals("output", rready=0),
    )


def _requests(channel: str, numbers: int) -> tuple[Signal, ...]:
    widths = {
        "id": numbers, "addr": 64, "len": 8, "size": 3, "burst": 2,
        "lock": 0, "cache": 4, "prot": 3, "qos": 4, "valid": 0,
    }  # fmt: skip
    return _signals("output", **{f"{channel}{name}": width for name, width in widths.items()})


def _signals(direction: str, **widths: int) -> tuple[Signal, ...]:
    return tuple(Signal(direction, width, name) for name, width in widths.items())
