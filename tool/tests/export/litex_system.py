# SPDX-License-Identifier: Apache-2.0
"""A LiteX system without a processor: a host's bus at its pins, memory, and an exported design.

python litex_system.py FOLDER OUT.v STANDARD
"""

from __future__ import annotations

import sys
from typing import Any

from litex.build.generic_platform import Pins, Subsignal
from litex.build.sim import SimPlatform
from litex.soc.integration.soc_core import SoCCore
from litex.soc.interconnect import axi
from migen.genlib.io import CRG

ORIGIN = 0x9000_0000
#: Of AXI4-Lite; those with another width than 1.
WIDE = {"addr": 32, "prot": 3, "data": 32, "strb": 4, "resp": 2}
CHANNELS = {
    "aw": ("addr", "prot"), "w": ("data", "strb"), "b": ("resp",),
    "ar": ("addr", "prot"), "r": ("data", "resp"),
}  # fmt: skip


def pads() -> list[Any]:
    """Clock, reset, and the host's bus."""
    bus = [
        Subsignal(channel + name, Pins(WIDE.get(name, 1)))
        for channel, names in CHANNELS.items()
        for name in ("valid", "ready", *names)
    ]
    return [("clk", 0, Pins(1)), ("rst", 0, Pins(1)), ("host", 0, *bus)]


def main() -> None:
    """Write the system's Verilog."""
    folder, out, standard = sys.argv[1:]
    sys.path.insert(0, folder)
    from ligament_design import LigamentDesign

    platform = SimPlatform("SIM", pads())
    system = SoCCore(
        platform, clk_freq=1_000_000, cpu_type=None, integrated_sram_size=0x2000,
        with_uart=False, with_timer=False, bus_standard=standard,
    )  # fmt: skip
    system.crg = CRG(platform.request("clk"), platform.request("rst"))
    system.design = LigamentDesign(platform)
    system.design.add_to(system, origin=ORIGIN)
    host = axi.AXILiteInterface(data_width=32, address_width=32)
    system.comb += host.connect_to_pads(platform.request("host"), mode="slave")
    system.bus.add_master("host", host)
    system.finalize()
    platform.get_verilog(system).write(out)


if __name__ == "__main__":
    main()
