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

from ligament.bench.driving.drives import Planned, measure_drives, patient
from ligament.bench.measuring import Measured, make_row

SOFTWARE, HARDWARE = "software", "hardware"
#: Who drives: variant and platform. The first is what the second is compared with.
NODES = {SOFTWARE: ("one_process", "host"), HARDWARE: ("hardware_topics", "fpga_sim")}
#: Laps by the size of the images: a simulated FPGA takes a second for an image of 640x480.
LAPS, QUICK_LAPS = {"320x240": 3, "640x480": 1}, {"320x240": 1}
#: Images per simulated second.
_RATES = {"320x240": 15, "640x480": 30}
#: In small images blurs are narrower, the view from above has fewer pixels, and lamps are smaller.
_SMALL: dict[str, dict[str, Any]] = {
    "/gaussian_blur": {"size": 3},
    "/image_projection": {"width": 250, "height": 150},
    "/red_traffic_light_detection": {"diameter_from": 4},
    "/green_traffic_light_detection": {"diameter_from": 4},
}
_LONGEST_S = 6 * 3600.0


def hardware_drives(quick: bool) -> list[Planned]:
    """Pairs of one drive: in software, in hardware."""
    laps = QUICK_LAPS if quick else LAPS
    return [_planned(images, count, nodes) for images, count in laps.items() for nodes in NODES]


def _planned(images: str, laps: int, nodes: str) -> Planned:
    width, height = map(int, images.split("x"))
    params = {"nodes": nodes, "images": images, "rate_hz": _RATES[images], "seed": 1, "laps": laps}
    options = {
        "width": width,
        "height": height,
        **{n: params[n] for n in ("rate_hz", "seed", "laps")},
    }
    variant, platform = NODES[nodes]
    small = _SMALL if images == "320x240" else {}
    return Planned(params, patient(options), variant, platform, small, _LONGEST_S)


def measure_hardware(quick: bool, kept: str, result: Measured) -> None:
    """Drive, and compare the commands of each pair."""
    planned = hardware_drives(quick)
    with tempfile.TemporaryDirectory() as passing:
        folder = Path(kept or passing).absolute()
        measure_drives(planned, str(folder), result)
        for one, other in zip(planned[::2], planned[1::2], strict=True):
            logs = [folder / f"{drive.name}.jsonl" for drive in (one, other)]
            if all(log.is_file() for log in logs):
                result.rows += compared(other.params, *map(commands_of, logs))


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
