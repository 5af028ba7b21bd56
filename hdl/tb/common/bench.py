# SPDX-License-Identifier: Apache-2.0
"""Build a module with Verilator, and run a bench's cocotb tests in it.

Each bench file holds both halves: the cocotb tests, and pytest functions that call `simulate` once
per set of parameters. Models lie in build/hdl/; ccache keeps the objects that all of them share.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from cocotb_tools.check_results import get_results
from cocotb_tools.runner import get_runner

HDL = Path(__file__).resolve().parents[2]
RTL = HDL / "rtl"
BUILD = HDL.parent / "build" / "hdl"

#: -O0: a bench runs a few thousand cycles, and the C++ compiler is what one waits for.
BUILD_ARGS = [
    "-Wall", "--assert", "--output-split", "0", "-O1", "-CFLAGS", "-O0",
    "-MAKEFLAGS", "OPT_FAST=-O0", "-MAKEFLAGS", "OPT_SLOW=-O0", "-MAKEFLAGS", "OPT_GLOBAL=-O0",
    "-I" + str(RTL), "+define+LIG_RULES",
]  # fmt: skip


def environment_of_tools() -> dict[str, str]:
    """The environment in which `verilator` is ours, and objects are compiled once."""
    path = f"{HDL / 'tools'}:{os.environ['PATH']}"
    cache = "ccache" if shutil.which("ccache") else ""
    # cocotb calls make itself, and Verilator's makefile asks for a `python`: Debian has none.
    make = f"PYTHON3={sys.executable} {os.environ.get('MAKEFLAGS', '')}"
    return {"OBJCACHE": cache, **os.environ, "PATH": path, "MAKEFLAGS": make}


#: Of a module's head: type, name and number of a port that is a bundle.
_BUNDLE = re.compile(r"^    (lig_\w+_if)\.\w+ (\w+)(?:\[(\w+)\])?(,?)(?: *//.*)?\n", re.MULTILINE)


def within_bundles(module: Path, folder: Path, widths: Mapping[str, str] | None = None) -> Path:
    """A top with the module's parameters and flat ports that holds it, and its bundles; or itself.

    A top cannot have a bundle for a port. cocotb finds their signals by name (dut.s_axis.tvalid).
    `widths` has the bits of field streams that are not 64 wide, in terms of the parameters.
    """
    source = module.read_text()
    start = source.index(f"module {module.stem}")
    head, _ = source[start:].split("\n);\n", 1)
    bundles = _BUNDLE.findall(head + "\n")
    if not bundles:
        return module
    names = re.findall(r"^    parameter .*?(\w+) += ", head, re.MULTILINE)
    lines = []
    for kind, name, count, _ in bundles:
        # PORT_WIDTH first: with it, a width of each side is one per port.
        wanted = ("PORT_WIDTH", f"{name[0].upper()}_WIDTH", "DATA_WIDTH")
        width = next((word for word in wanted if word in names), "64")
        # Registers have 64 bits everywhere, and field streams where nothing else is said.
        sizes = [] if kind in ("lig_axil_if", "lig_fields_if") else [f".DATA_WIDTH({width})"]
        if widths and name in widths:
            sizes = [f".DATA_WIDTH({widths[name]})"]
        if kind == "lig_axis_if" and "KEEP_WIDTH" in names:
            sizes.append(".KEEP_WIDTH(KEEP_WIDTH)")
        if kind == "lig_axi_if":
            number = "MASTERS > 1 ? $clog2(MASTERS) : 1" if "MASTERS" in names else "1"
            number = "ID_WIDTH" if "ID_WIDTH" in names else number if name == "m_axi" else "1"
            sizes.append(f".ID_WIDTH({number})")
        given = f"#({', '.join(sizes)}) " if sizes else ""
        lines.append(f"  {kind} {given}{name}{f'[{count}]' if count else ''} ();")
    ports = re.sub(r",(\s*(?://.*)?)$", r"\1", _BUNDLE.sub("", head + "\n").rstrip())
    top = folder / f"{module.stem}_within.sv"
    text = [
        "// verilator lint_off UNDRIVEN", "// verilator lint_off UNUSEDSIGNAL",
        ports.replace(module.stem, top.stem, 1), ");", *lines,
        f"  {module.stem} #({', '.join(f'.{name}({name})' for name in names)}) dut (.*);",
        "endmodule",
    ]  # fmt: skip
    top.write_text("\n".join(text) + "\n")
    return top


def simulate(
    bench: str,
    top: str,
    sources: list[Path],
    parameters: dict[str, object] | None = None,
    seed: int = 1,
    environment: dict[str, str] | None = None,
    arguments: Sequence[str] = (),
    widths: Mapping[str, str] | None = None,
) -> None:
    """Run all cocotb tests of module `bench`; raise AssertionError if one fails or none ran."""
    os.environ.update(environment_of_tools())
    parameters = parameters or {}
    words = [f"{key}{value}" for key, value in sorted(parameters.items())]
    folder = BUILD / "tb" / bench.removeprefix("test_") / "-".join(words).replace("'", "")
    folder.mkdir(parents=True, exist_ok=True)
    module = next((source for source in sources if source.stem == top), RTL / f"{top}.sv")
    if module.exists():
        within = within_bundles(module, folder, widths)
        sources, top = [*sources, *([within] if within != module else [])], within.stem
    runner = get_runner("verilator")
    runner.build(
        sources=sources,
        hdl_toplevel=top,
        build_dir=folder,
        build_args=[*BUILD_ARGS, *arguments],
        parameters=parameters,
        log_file=folder / "build.log",
    )
    extra = {key: str(value) for key, value in parameters.items()}
    # At INFO every frame is printed, which takes longer than to simulate it.
    extra["COCOTB_LOG_LEVEL"] = os.environ.get("COCOTB_LOG_LEVEL", "WARNING")
    results = runner.test(
        hdl_toplevel=top,
        test_module=bench,
        test_dir=folder,
        build_dir=folder,
        seed=seed,
        results_xml=str(folder / "results.xml"),
        extra_env={"PYTHONPATH": os.environ.get("PYTHONPATH", ""), **extra, **(environment or {})},
        log_file=folder / "test.log",
    )
    count, failed = get_results(results)
    assert count > 0, f"no cocotb test ran: {folder / 'test.log'}"
    assert failed == 0, f"{failed} of {count} cocotb tests failed: {folder / 'test.log'}"
