# SPDX-License-Identifier: Apache-2.0
"""Part `hardware`: the same drive with the nodes in software, then as cores of a simulated FPGA.

In lock step a simulated FPGA may take as long as it needs. Where its cores are bit-exact, both
drives are equal, command by command.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ligament.bench.driving.drives import Planned, is_whole, measure_drives, patient
from ligament.bench.measuring import Measured, make_row

SOFTWARE, HARDWARE = "software", "hardware"
#: Who drives: variant and platform. The first is what the second is compared with.
NODES = {SOFTWARE: ("one_process", "host"), HARDWARE: ("hardware_topics", "fpga_sim")}
#: A simulated FPGA takes a second of a core for an image of 640x480, a quarter for these.
IMAGES, RATE_HZ, LAPS, QUICK_LAPS = (320, 240), 15, 3, 1
#: In small images blurs are narrower, the view from above has fewer pixels, and lamps are smaller.
_SMALL: dict[str, dict[str, Any]] = {
    "/gaussian_blur": {"size": 3},
    "/image_projection": {"width": 250, "height": 150},
    "/red_traffic_light_detection": {"diameter_from": 4},
    "/green_traffic_light_detection": {"diameter_from": 4},
}
_LONGEST_S = 6 * 3600.0


def hardware_drives(quick: bool) -> list[Planned]:
    """One drive, in software and in hardware."""
    return [_planned(nodes, QUICK_LAPS if quick else LAPS) for nodes in NODES]


def _planned(nodes: str, laps: int) -> Planned:
    width, height = IMAGES
    drive = {"rate_hz": RATE_HZ, "seed": 1, "laps": laps}
    params = {"nodes": nodes, "images": f"{width}x{height}", **drive}
    variant, platform = NODES[nodes]
    options = patient({"width": width, "height": height, **drive})
    return Planned(params, options, variant, platform, _SMALL, _LONGEST_S)


def measure_hardware(quick: bool, kept: str, result: Measured) -> None:
    """Drive both, and compare their commands."""
    planned = hardware_drives(quick)
    with tempfile.TemporaryDirectory() as passing:
        folder = Path(kept or passing).absolute()
        measure_drives(planned, str(folder), result)
        logs = [folder / f"{drive.name}.jsonl" for drive in planned]
        if all(is_whole(log, one.options) for log, one in zip(logs, planned, strict=True)):
            result.rows += compared(planned[1].params, *map(commands_of, logs))


def commands_of(log: Path) -> list[Any]:
    """Speed and turn after each image of a drive; None where it had no command."""
    lines = map(json.loads, log.read_text(encoding="utf-8").splitlines())
    return [line.get("command") for line in lines if line["event"] == "frame"]


def compared(
    params: Mapping[str, Any], one: Sequence[Any], other: Sequence[Any]
) -> list[dict[str, Any]]:
    """Rows: how many commands a drive has, and how many of them another one has not."""
    unlike = sum(a != b for a, b in zip(one, other, strict=False)) + abs(len(one) - len(other))
    return [
        make_row("driving", params, "commands", "times", len(other)),
        make_row("driving", params, "commands_unlike", "times", unlike),
    ]
