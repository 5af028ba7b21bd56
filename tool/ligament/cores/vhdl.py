# SPDX-License-Identifier: Apache-2.0
"""Cores in VHDL-2008: GHDL makes one Verilog module of each, which every other tool here reads.

What GHDL 2.0 does not take is listed in spec/device/fpga.md.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from ligament import resources
from ligament.errors import FailureError, InputError, Location, Problem

#: What cores may use of the field stream.
FIELDS = "lig_fields_pkg.vhd"
LIMIT_S = 300
_SAID = re.compile(r"^(?P<file>[^:\n]+):(?P<line>\d+):(?P<column>\d+):(?:error: *)?(?P<text>.*)$")
_CASE = re.compile(
    r"(?P<head>\bcase *\([^)]*\)\n)(?P<body>.*?)^ *endcase", re.MULTILINE | re.DOTALL
)
#: Comments with places; the folder is another one on each machine.
_WHERE = re.compile(r"/\* (?:\S.*/)?([^/\n]+:\d+:\d+) +\*/")
#: How GHDL writes what has no clock.
LINT_OFF = "// verilator lint_off COMBDLY\n// verilator lint_off INITIALDLY\n"
_REMARK = ("warning:", "note:")


def verilog_of(top: str, sources: Sequence[Path], packages: Mapping[str, str]) -> str:
    """Return the Verilog of an entity; `packages` are texts by file name, of messages' constants.

    Raises InputError with each error of GHDL at its place, FailureError where GHDL is missing.
    """
    ghdl = require_ghdl(sources[0])
    with tempfile.TemporaryDirectory() as folder:
        for name, text in packages.items():
            Path(folder, name).write_text(text)
        files = [resources.hdl_dir() / FIELDS, *(Path(folder, name) for name in packages)]
        words = [ghdl, "--synth", "--std=08", "--out=verilog", *map(str, files)]
        words += [*(str(source.resolve()) for source in sources), "-e", top]
        try:
            done = subprocess.run(words, cwd=folder, check=False, capture_output=True, text=True,
                                  timeout=LIMIT_S)  # fmt: skip
        except subprocess.TimeoutExpired:
            raise FailureError(f"GHDL is not done with {sources[0]} after {LIMIT_S} s") from None
    if done.returncode:
        raise InputError(list(_problems(top, sources, done.stderr)))
    return LINT_OFF + _WHERE.sub(r"/* \1 */", _complete(done.stdout))


def require_ghdl(source: Path) -> str:
    """Return where GHDL is; raise FailureError where it is missing."""
    ghdl = shutil.which("ghdl")
    if ghdl is None:
        raise FailureError(
            f"GHDL is missing, which makes Verilog of the VHDL of {source}",
            hint="apt-get install ghdl",
        )
    return ghdl


def _complete(verilog: str) -> str:
    """Values that a choice cannot have are left out by GHDL, which others take for a latch."""

    def completed(match: re.Match[str]) -> str:
        if re.search(r"^ *default *:", match["body"], re.MULTILINE):
            return match[0]
        target = re.search(r"(\w+) *<=", match["body"])
        assert target is not None
        declared = re.search(rf"\breg *(?:\[(\d+):0\])? *{target[1]};", verilog)
        assert declared is not None
        unknown = "x" * (int(declared[1] or 0) + 1)
        last = f"      default: {target[1]} <= {len(unknown)}'b{unknown};\n    endcase"
        return match["head"] + match["body"] + last

    return _CASE.sub(completed, verilog)


def _problems(top: str, sources: Sequence[Path], said: str) -> Iterable[Problem]:
    found = [match for line in said.splitlines() if (match := _SAID.match(line))]
    errors = [match for match in found if not match["text"].startswith(_REMARK)]
    for match in errors:
        place = Location(match["file"], int(match["line"]), int(match["column"]))
        yield Problem("vhdl", match["text"].strip(), place)
    if not errors:
        names = ", ".join(source.name for source in sources)
        text = said.strip().splitlines()[-1] if said.strip() else "it gave no reason"
        yield Problem(
            "vhdl",
            f"GHDL makes no module of the entity '{top}' in {names}: {text}",
            hint="implementations.fpga.top names the entity",
        )
