# SPDX-License-Identifier: Apache-2.0
"""Which clock the cores, the memory port and the registers of a design have.

    platform = clocked(platform, variant)       # as the variant wants it
    clocks_of(platform, platform.devices["fpga0"])

The rules are in spec/device/clocks.md. Two sides that name one clock are one domain; what nobody
names has the cores' clock.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from ligament.errors import InputError, Location, Problem, no_such
from ligament.graph.model import Graph, Variant
from ligament.mapping.platform import Device, Platform

CORES = "cores"
#: What may have a clock beside the cores'.
SIDES = ("memory", "registers")


def clocked(platform: Platform, variant: Variant) -> Platform:
    """Return the platform with the clocks that a variant asks for; InputError for a wrong name."""
    asked: Mapping[str, str] = variant.fpga.get("clocks", {})
    if not asked:
        return platform
    problems = [
        problem
        for side, name in asked.items()
        if (problem := _wrong(platform, name, variant.places.get(("clocks", side), variant.at)))
    ]
    problems += [
        Problem(
            "slot-clock",
            f"the variant '{variant.name}' asks for a clock of the {side}, and "
            f"'{device.name}' has slots",
            variant.places.get(("clocks", side), variant.at),
            expected="one clock: a shell has no crossings",
        )
        for device in platform.devices.values()
        for side in SIDES
        if device.slots and side in asked
    ]
    if problems:
        raise InputError(problems)
    devices = {name: _asked(device, asked, variant) for name, device in platform.devices.items()}
    return replace(platform, devices=devices)


def clocks_of(platform: Platform, device: Device) -> dict[str, dict[str, Any]]:
    """Return name, frequency and reason of each side's clock; empty: nobody named any."""
    if not device.clocks and not device.clock_text:
        return {}
    if "frequency_hz" not in platform.clocks.get(device.clock or "", {}):
        return {}  # without cycles there is no design
    told = f"the platform's devices.{device.name}"
    names = {side: device.clocks.get(side, device.clock or "") for side in SIDES}
    texts = {
        side: f"{told}.clocks" if side in device.clocks else "the cores' clock" for side in SIDES
    }
    found = {CORES: device.clock or "", **names}
    reasons = {CORES: f"{told}.clock", **texts, **device.clock_text}
    return {
        side: {"name": name, "hz": platform.clocks[name]["frequency_hz"], "text": reasons[side]}
        for side, name in found.items()
    }


def clock_warnings(
    graph: Graph, devices: Mapping[str, Device], platform: Platform
) -> Iterator[str]:
    """Yield a sentence for each core that declares less than the clock of its device."""
    for node, device in sorted(devices.items()):
        core = graph.types[graph.nodes[node].type].implementations.get(device.implementation, {})
        reached = core.get("clock_hz", {}).get(device.family)
        wanted = platform.clocks.get(device.clock or "", {}).get("frequency_hz")
        if reached and wanted and reached < wanted:
            yield (
                f"{node} may be too slow for {device.name}: its core is declared to reach "
                f"{reached / 1e6:g} MHz on the family '{device.family}', and the clock "
                f"'{device.clock}' has {wanted / 1e6:g} MHz"
            )


def _asked(device: Device, asked: Mapping[str, str], variant: Variant) -> Device:
    """The clocks of a design are an FPGA's; what runs natively has none."""
    if device.kind != "fpga" or device.emulation == "sw_emu":
        return device
    return replace(
        device,
        clock=asked.get(CORES, device.clock),
        clocks={**device.clocks, **{side: asked[side] for side in SIDES if side in asked}},
        clock_text=dict.fromkeys(asked, f"the variant '{variant.name}' asks for it"),
    )


def _wrong(platform: Platform, name: str, at: Location | None) -> Problem | None:
    if name not in platform.clocks:
        text = f"the platform '{platform.name}' has no clock '{name}'"
        return no_such("platform-reference", text, name, platform.clocks, at)
    if platform.clocks[name]["kind"] != "cycles":
        text = f"the clock '{name}' is the host's: no part of a design can have it"
        return Problem("clock-kind", text, at, expected="a clock of kind cycles")
    return None
