# SPDX-License-Identifier: Apache-2.0
"""Yosys and nextpnr as child processes: WebAssembly, in a folder of their own."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from ligament.build.synthesis.families import Family
from ligament.disk import child_failure, replacing, writing
from ligament.errors import FailureError

#: A design as one netlist, and what place-and-route says of it.
NETLIST, TIMING = "whole.json", "timing.json"
#: What it is told of several clocks.
LIMITS = "clocks.lpf"
HINT = (
    "pip install 'ligament[synth]', in a checkout pip install -e 'tool[synth]' (`make test` has it)"
)


def run_tool(name: str, words: list[str], folder: Path) -> None:
    """Run a tool in a folder; its output is in NAME.log there. Raises with its last error."""
    program = Path(sys.executable).parent / f"yowasp-{name}"
    if not program.is_file():
        raise FailureError(f"{name} is missing (Python package yowasp-{name})", hint=HINT)
    log = folder / f"{name}.log"
    command = [str(program), *words]
    with writing(log):
        folder.mkdir(parents=True, exist_ok=True)
        output = log.open("w", encoding="utf-8")
    with output:
        result = subprocess.run(
            command, stdout=output, stderr=subprocess.STDOUT, check=False, cwd=folder
        )
    if result.returncode != 0:
        said = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        errors = [line for line in said if re.search(r"\berror\b:", line, re.I)][:3] or said[-1:]
        text = "; ".join(errors) or f"exit code {result.returncode}"
        raise child_failure(f"{name} failed: {text}", command, log)


def fastest_mhz(family: Family, wanted_mhz: float, netlist: str, folder: Path) -> float | None:
    """Return what a netlist with one clock reaches; None: nothing in it is clocked."""
    reached = reached_hz(family, {"": wanted_mhz * 1e6}, netlist, folder)
    return min((hz / 1e6 for hz in reached.values()), default=None)


def reached_hz(
    family: Family, wanted: Mapping[str, float], netlist: str, folder: Path
) -> dict[str, float]:
    """Place and route a netlist in that folder, out of context: its ports are no pins.

    The same seed each time. `wanted` has the frequency of each clock port, the returned ones what
    they reach. Empty: nothing in it is clocked. Of paths between clocks there is nothing.
    """
    highest = max(wanted.values()) / 1e6
    limits = [f'FREQUENCY PORT "{name}" {hz / 1e6:g} MHz;' for name, hz in wanted.items()]
    several = len(wanted) > 1
    if several:
        with writing(folder / LIMITS):
            (folder / LIMITS).write_text("\n".join([*limits, ""]), encoding="utf-8")
    run_tool(
        f"nextpnr-{family.name}",
        [
            *(*family.part, "--out-of-context", "--json", netlist, "--report", TIMING, "--quiet"),
            *(("--lpf", LIMITS, "--lpf-allow-unconstrained") if several else ()),
            *("--freq", f"{highest:g}", "--seed", "1", "--timing-allow-fail"),
        ],
        folder,
    )
    clocks = json.loads((folder / TIMING).read_text(encoding="utf-8"))["fmax"]
    return {_port(name, wanted): clock["achieved"] * 1e6 for name, clock in clocks.items()}


def _port(net: str, ports: Iterable[str]) -> str:
    """The clock port whose net this is; place-and-route gives it a longer name."""
    return next((port for port in ports if port and re.search(rf"(^|\W){port}(\W|$)", net)), net)


def copy_sources(sources: list[Path], folder: Path) -> list[str]:
    """Put sources beside the script: tools in WebAssembly see their own folder for certain."""
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    names: list[str] = []
    for place, source in enumerate(sources):
        # Two sources of one name are two files.
        name = source.name if source.name not in names else f"{place}_{source.name}"
        with replacing(folder / name) as partial:
            partial.write_bytes(source.read_bytes())
        names.append(name)
    return names
