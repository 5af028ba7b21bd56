# SPDX-License-Identifier: Apache-2.0
"""`python -m ligament.export.stand_in FOLDER SOCKET [OPTION...]`: the stand-in of a board.

Compiles the design of an exported folder with the program that serves it (`sim/stand_in.cpp`), into
`FOLDER/stand_in` unless that is there for the same files, and becomes it. Only the socket and the
options are the program's. With --build-only it is compiled and its path printed.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

from ligament.artefacts import read_json_object
from ligament.build.verilate import COMMON, OPTIONS, compiled, verilator_root


def build(folder: Path) -> Path:
    """Compile the stand-in of a folder; SystemExit with a sentence if that fails."""
    data = read_json_object(folder / "export.json")
    source = folder / "sim" / "stand_in.cpp"
    if data.get("schema") != "ligament/export/1" or not source.is_file():
        sys.exit(f"{folder} is no exported folder with a stand-in: one clock, registers of 64 bits")
    top = str(data["top"])
    made = folder / "stand_in" / _state(folder, data)
    program = made / f"V{top}"
    if not program.is_file():
        partial = made.with_name(f"{made.name}.{os.getpid()}")
        partial.parent.mkdir(exist_ok=True)
        _remove_left(made)
        _compile(folder, top, partial)
        try:
            partial.rename(made)
        except OSError:  # another process was faster, with the same files
            if not program.is_file():
                raise
        finally:
            shutil.rmtree(partial, ignore_errors=True)
    return program


def _remove_left(made: Path) -> None:
    """Remove what compiles left that were killed: folders named by processes that are no more."""
    for folder in made.parent.glob(f"{made.name}.*"):
        pid = folder.name.rpartition(".")[2]
        if pid == str(os.getpid()) or (pid.isdecimal() and not Path("/proc", pid).exists()):
            shutil.rmtree(folder, ignore_errors=True)


def _state(folder: Path, data: dict[str, object]) -> str:
    """What the program is made of."""
    found = hashlib.sha256(str(data["identity"]).encode())
    for name in ("stand_in.cpp", "board_link.h"):
        found.update((folder / "sim" / name).read_bytes())
    return found.hexdigest()[:16]


def _compile(folder: Path, top: str, out: Path) -> None:
    root = verilator_root()
    environment = {
        **os.environ,
        "VERILATOR_ROOT": str(root),
        "MAKEFLAGS": f"CFG_CXXFLAGS_PCH_I=-include PYTHON3={sys.executable}",
    }
    sources = (folder / "sources.f").read_text().split()
    words = [
        *("perl", str(root / "bin" / "verilator"), "--cc", "--exe", "--build", "--quiet"),
        *("-Wno-fatal", "-Wno-lint", "-Wno-style", "-Wno-MULTITOP", *OPTIONS),
        *("--top-module", top, "--Mdir", str(out.resolve()), "--output-split", "0"),
        *("-CFLAGS", f"{' '.join(COMMON)} -I{(folder / 'sim').resolve()}"),
        *("-MAKEFLAGS", compiled(), *sources, str((folder / "sim" / "stand_in.cpp").resolve())),
    ]
    done = subprocess.run(
        words, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        shutil.rmtree(out, ignore_errors=True)
        sys.exit(f"the stand-in of {folder} did not compile:\n{done.stdout}{done.stderr}")


def main() -> None:
    """Run the command line."""
    words = sys.argv[1:]
    only = words[-1:] == ["--build-only"]
    if len(words) < 2:
        sys.exit(__doc__)
    program = build(Path(words[0]))
    if only:
        print(program)
        return
    os.execv(program, [str(program), *words[1:]])


if __name__ == "__main__":
    main()
