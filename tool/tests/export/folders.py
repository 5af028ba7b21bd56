# SPDX-License-Identifier: Apache-2.0
"""What tests of exported folders share: examples to export, and Verilator on a folder alone."""

from __future__ import annotations

import subprocess
from pathlib import Path

from ligament.export import Asked, Exported, export
from ligament.pipeline import Request

REPO = Path(__file__).resolve().parents[3]
EXAMPLES = REPO / "examples"
VERILATOR = REPO / "hdl" / "tools" / "verilator"
#: As FuseSoC's core file and Ligament's own build have them.
WARNINGS = (
    "-Wall", "-Wno-UNUSEDPARAM", "-Wno-UNUSEDSIGNAL", "-Wno-DECLFILENAME", "-Wno-SYNCASYNCNET",
)  # fmt: skip
#: By name: example, variant, platform.
DESIGNS = {
    "threshold": ("threshold", "hardware", "fpga_sim"),
    "service": ("adder", "hardware", "fpga_sim"),
    "streamed": ("perception", "fpga_streamed", "fpga_sim"),
    "wide": ("perception", "fpga_wide", "fpga_sim"),
    "clocks": ("threshold", "hardware", "fpga_sim_clocks"),
    "pages": ("perception", "fpga_offloaded", "fpga_sim_pages"),
}


def exported(root: Path, design: str = "threshold", target: str = "fusesoc") -> Exported:
    """Export an example's design."""
    example, variant, platform = DESIGNS[design]
    request = Request(EXAMPLES / example / "graph.yaml", variant, platform, root / "build")
    return export(request, Asked(target, folder=root / design / target))


def lint(folder: Path, top: str = "", more: tuple[str, ...] = ()) -> None:
    """Verilator reads the folder, with all warnings, and nothing outside of it."""
    sources = (folder / "sources.f").read_text().split()
    words = [str(VERILATOR), "--lint-only", "--quiet", *WARNINGS]
    words += ["--top-module", top or Path(sources[-1]).stem, *sources, *more]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def simulate(folder: Path, models: Path, top: str = "board_tb", more: tuple[str, ...] = ()) -> str:
    """Compile and run a bench of the folder; return what it printed."""
    sources = [*(folder / "sources.f").read_text().split(), *more, f"sim/{top}.sv"]
    return compiled_and_run(folder, models, top, sources)


def compiled_and_run(folder: Path, models: Path, top: str, sources: list[str]) -> str:
    """Compile and run a bench, in a folder; return what it printed."""
    quick = "OPT_FAST=-O0 OPT_SLOW=-O0 OPT_GLOBAL=-O0"
    words = [
        *(str(VERILATOR), "--binary", "--timing", "--quiet", "-Wno-fatal", "--output-split", "0"),
        *("-CFLAGS", "-std=c++20", "-MAKEFLAGS", quick, "--Mdir", str(models)),
        *("--top-module", top, *sources),
    ]
    built = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout + built.stderr
    done = subprocess.run(
        [str(models / f"V{top}")], cwd=folder, capture_output=True, text=True, check=False
    )
    return done.stdout + done.stderr
