# SPDX-License-Identifier: Apache-2.0
"""Cores that ran natively (`sw_emu`) or in a stand-in of a board: their times are no hardware's.

`run.json` says which nodes those were. A report has their spans with the device that they stand
for, and a chain through one of them under a time base of its own, so that nobody compares it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

TIME_BASE = "emulated"
#: What the runtime calls the spans of such cores (fpga_emulation.hpp, fpga_member.hpp).
SPANS = ("sw_emu", "hardware")


def emulated_nodes(run: Mapping[str, Any]) -> dict[str, str]:
    """Return the device of each node of a run whose core was emulated so."""
    return {
        name: node["emulated"] for name, node in run.get("nodes", {}).items() if "emulated" in node
    }


def mark_emulated(entry: dict[str, Any], devices: Mapping[str, str]) -> None:
    """Say in a variant's entry which of its times are those of such cores."""
    for span in entry["spans"]:
        if span["span"] in SPANS and span["node"] in devices:
            span |= {"device": devices[span["node"]], "time_base": TIME_BASE}
    chain = entry["chain"]
    if entry["time_base"] and not devices.keys().isdisjoint(chain["nodes"] if chain else ()):
        entry["time_base"] = TIME_BASE
