# SPDX-License-Identifier: Apache-2.0
"""Which messages' waveforms a run writes, and of which nodes: `--wave` and `--wave-node`.

A design that can write them is another build: its model has a clock that can be seen, and keeps the
names of its signals (spec/device/fpga.md, waveforms).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from ligament.errors import InputError, Problem, no_such
from ligament.mapping import GraphMapping, load_mapping


@dataclass(frozen=True)
class Wave:
    """Numbers of messages, counted from 1 where they enter a design, and nodes; none: all."""

    first: int
    last: int
    nodes: tuple[str, ...] = ()

    def environment(self) -> dict[str, str]:
        """How containers are told of it."""
        return {
            "LIGAMENT_WAVE": f"{self.first}-{self.last}",
            "LIGAMENT_WAVE_NODES": " ".join(self.nodes),
        }


def parse_wave(text: str | None, nodes: tuple[str, ...]) -> Wave | None:
    """`3` or `3-5`, with the nodes of `--wave-node`; nothing where neither is given."""
    if text is None:
        if nodes:
            raise InputError(
                Problem(
                    "wave-node",
                    "--wave-node chooses signals of a waveform, and none is asked for",
                    hint="add --wave FRAME: the number of a message, counted from 1",
                )
            )
        return None
    found = re.fullmatch(r"([0-9]+)(?:-([0-9]+))?", text)
    first, last = (int(found[1]), int(found[2] or found[1])) if found else (0, 0)
    if not 1 <= first <= last:
        raise InputError(
            Problem(
                "wave-frame",
                f"--wave: '{text}' is no message",
                expected="the number of a message, counted from 1 where it enters the design, or "
                "the first and last of several: 3 or 3-5",
            )
        )
    return Wave(first, last, tuple(n if n.startswith("/") else f"/{n}" for n in nodes))


def with_waveforms(mapping: GraphMapping) -> GraphMapping:
    """The same, with models that can write their signals."""
    devices = {mapping.nodes[node].device for node in cores_of(mapping)}
    hardware = {
        name: {**figures, "waveforms": 1} if name in devices else figures
        for name, figures in mapping.hardware.items()
    }
    return replace(mapping, hardware=hardware)


def cores_of(mapping: GraphMapping) -> list[str]:
    """The nodes whose cores are simulated; raises InputError if there are none."""
    cores = [name for name, node in mapping.nodes.items() if node.implementation == "fpga"]
    if not cores:
        raise InputError(
            Problem(
                "wave-nothing",
                f"--wave: no node of the variant '{mapping.variant}' is in a simulated FPGA",
                hint="choose a variant and a platform whose nodes run there: --variant, --platform",
            )
        )
    return cores


def written(outputs: Path) -> list[str]:
    """How to open each waveform in a run's `outputs`, with the view that lies beside it."""
    return [
        f"waveform: gtkwave {file.with_suffix('.gtkw')}, or "
        f"surfer -c {file.with_suffix('.sucl')} {file} ({file.stat().st_size / 1e6:.1f} MB)"
        for file in sorted(outputs.glob("*-waves.fst"))
    ]


def not_written(wave: Wave) -> str:
    """What to say where a run has written none."""
    numbers = str(wave.first) if wave.first == wave.last else f"{wave.first} to {wave.last}"
    return (
        f"--wave {numbers}: no waveform was written, because fewer messages entered the simulated "
        "FPGA"
    )


def check_wave(wave: Wave, build: Path) -> None:
    """Whether a build.json is of a variant that can write what is asked for; else InputError."""
    mapping_file = build.with_name("mapping.json")
    mapping = load_mapping(mapping_file) if mapping_file.is_file() else None
    if mapping is None or not any(_writes(figures) for figures in mapping.hardware.values()):
        raise InputError(
            Problem(
                "wave-build",
                f"--wave: what {build} tells of was built without waveforms",
                hint="give the graph in its place: `ligament run GRAPH --wave FRAME` builds it",
            )
        )
    cores = cores_of(mapping)
    for node in wave.nodes:
        if node not in cores:
            text = f"--wave-node: there is no node '{node}' in a simulated FPGA of this variant"
            raise InputError(no_such("node-unknown", text, node, cores, before="one of "))


def _writes(figures: Mapping[str, object]) -> bool:
    return figures.get("waveforms") == 1
