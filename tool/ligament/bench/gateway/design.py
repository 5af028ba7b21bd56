# SPDX-License-Identifier: Apache-2.0
"""The two designs of benchmarks/gateway, verilated with their driver, and run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ligament.bench.gateway.options import Experiment, Shape
from ligament.bench.hmt.network import RTL, common_words, run_program, verilate
from ligament.bench.measuring import REPOSITORY

SOURCES = REPOSITORY / "benchmarks" / "gateway"
BUILD = REPOSITORY / "build" / "hdl" / "gateway"
CLOCK_HZ = 100e6

#: What software takes, in cycles at CLOCK_HZ; benchmarks/gateway/README.md says where each is from.
SOFTWARE = {"event": 500, "wake": 1250, "publish": 5}
#: The published design over memory: one request at a time with this gap, so that its transfer of
#: one message from core to core takes 2.925 ns per byte; 0.04 ms of software. The gap goes with it.
FITTED: dict[str, int] = {"gap_cycles": 3, "publish": 4000}
#: Readings of the rest. As its sources have it, whoever waits in software looks every 1 ms. As
#: its paper's text has it, delegates block; taking back a request is then taken to cost a message.
PUBLISHED: dict[str, dict[str, int]] = {
    "published-sources": {**FITTED, "poll": 100_000},
    "published-text": {**FITTED, "cancel": 4000},
    # Neither says how the figures came about; these bring them out together.
    "published-fitted": {
        **FITTED,
        "gap_cycles": 1,
        "cancel": 4000,
        "processors": 4,
        "copy_rate": 40,
        "call": 7500,
    },
}


def build(shape: Shape, gateway: bool) -> Path:
    """The program of that design."""
    words = shape.read_words if gateway and shape.burst == 0 else 32
    name = shape.name if words == 32 else f"{shape.name}-{words}"
    folder = BUILD / f"{name}-{'gateway' if gateway else 'smt'}"
    tops = [SOURCES / "gateway_top.sv", SOURCES / "main.cpp"]
    sources = [*RTL.glob("*.sv"), *tops, SOURCES / "memory.hpp", Path(__file__)]
    command = [
        *common_words(folder),
        *("--top-module", "gateway_top", f"-GDATA_WIDTH={shape.width}"),
        *(f"-GSUBSCRIBERS={shape.subscribers}", f"-GGATEWAY={int(gateway)}"),
        *(f"-GBURST_BEATS={shape.burst}", f"-GREAD_WORDS={words}"),
        *(f"{RTL}/lig_stream_pkg.sv", f"{RTL}/lig_transfer_pkg.sv"),
        *(str(top) for top in tops),
    ]
    header = (
        "#pragma once\n"
        "#include <cstddef>\n"
        f"constexpr std::size_t data_width = {shape.width};\n"
        f"constexpr std::size_t subscriber_count = {shape.subscribers};\n"
        f"constexpr bool is_gateway = {'true' if gateway else 'false'};\n"
    )
    return verilate(folder, command, header, sources)


def run(program: Path, experiment: Experiment, published: Mapping[str, int]) -> dict[str, Any]:
    """What the driver printed; benchmarks/gateway/main.cpp says what that is.

    `published`: the settings of a published design, in place of our software's.
    """
    settings: dict[str, float] = {"read_latency": experiment.read_latency}
    if published:
        settings |= published
    elif experiment.software:
        settings |= SOFTWARE
    words = [str(program), experiment.publisher, str(experiment.bytes), str(experiment.messages)]
    return run_program([*words, *(f"{key}={value}" for key, value in settings.items())])
