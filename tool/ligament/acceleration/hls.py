# SPDX-License-Identifier: Apache-2.0
"""Projects for high-level synthesis that `ligament_add_kernel(... BACKENDS vitis)` has written.

A project is a folder NAME.vitis below the build folder of a package. The vendor's tool runs its
hls.tcl; what that found is read from its csynth.xml. The C++ of a project also compiles natively,
with the headers that stand in for the vendor's, so a test bench runs without the vendor's tool.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ligament.errors import FailureError, InputError, Problem, nearest
from ligament.resources import hls_dir

SCRIPT = "hls.tcl"
#: What runs a script, by the tool's name, in the order in which they are looked for.
TOOLS = {"vitis_hls": ("-f",), "vitis-run": ("--mode", "hls", "--tcl")}
#: Rows of the report: our name, unit, and where csynth.xml has it.
FIGURES: tuple[tuple[str, str, str], ...] = (
    ("clock_wanted", "ns", "UserAssignments/TargetClockPeriod"),
    ("clock_estimated", "ns", "PerformanceEstimates/SummaryOfTimingAnalysis/EstimatedClockPeriod"),
    ("latency_least", "cycles", "PerformanceEstimates/SummaryOfOverallLatency/Best-caseLatency"),
    ("latency_most", "cycles", "PerformanceEstimates/SummaryOfOverallLatency/Worst-caseLatency"),
    ("interval_most", "cycles", "PerformanceEstimates/SummaryOfOverallLatency/Interval-max"),
    ("bram18", "", "AreaEstimates/Resources/BRAM_18K"),
    ("uram", "", "AreaEstimates/Resources/URAM"),
    ("dsp", "", "AreaEstimates/Resources/DSP"),
    ("ff", "", "AreaEstimates/Resources/FF"),
    ("lut", "", "AreaEstimates/Resources/LUT"),
)
_MOST_BYTES = 64_000_000


@dataclass(frozen=True)
class Project:
    """One project."""

    folder: Path

    @property
    def name(self) -> str:
        """Return the kernel's name."""
        return self.folder.name.removesuffix(".vitis")

    @property
    def reports(self) -> Path:
        """Return the folder of the tool's reports (hls.tcl: project NAME, solution `solution`)."""
        return self.folder / self.name / "solution" / "syn" / "report"

    @property
    def state(self) -> str:
        """Return what was done with it: `synthesised` or `written`."""
        return "synthesised" if (self.reports / "csynth.xml").is_file() else "written"

    def sources(self) -> tuple[list[str], list[str]]:
        """Return sources, and folders of headers, as its script names them."""
        text = (self.folder / SCRIPT).read_text(encoding="utf-8")
        found = re.findall(r"^add_files \{(.*?)\} -cflags \{(.*)\}$", text, re.M)
        flags = found[0][1] if found else ""
        return [source for source, _ in found], re.findall(r"-I(.*?)(?= -I|$)", flags)


def find_projects(root: Path, package: str) -> list[Project]:
    """Return the projects of a package, in any of the workspace's build folders."""
    builds = [path for path in sorted(root.glob("build*")) if (path / package).is_dir()]
    if not builds:
        known = [path.name for path in root.glob("build*/*") if path.is_dir()]
        raise InputError(
            Problem(
                "package-unbuilt",
                f"no package '{package}' was built in {root.absolute()}",
                expected=f"a folder build*/{package}, as `colcon build` makes",
                hint=nearest(package, known),
            )
        )
    scripts = (found for path in builds for found in (path / package).rglob(f"*.vitis/{SCRIPT}"))
    projects = [Project(script.parent) for script in sorted(scripts)]
    if not projects:
        raise InputError(
            Problem(
                "hls-nothing",
                f"'{package}' has no project for high-level synthesis",
                expected="a ligament_add_kernel(... BACKENDS vitis) in its CMakeLists.txt",
            )
        )
    return projects


def tool_command() -> list[str]:
    """Return how the vendor's tool is called; raise FailureError where it is missing."""
    for tool, words in TOOLS.items():
        path = shutil.which(tool)
        if path:
            return [path, *words]
    raise FailureError(
        f"neither {' nor '.join(TOOLS)} of AMD Vitis is on the PATH",
        hint="source its settings64.sh; `--csim` runs a test bench without it",
    )


def synthesise(project: Project, command: Sequence[str]) -> None:
    """Run the vendor's tool on a project; its output is in hls.log beside the script."""
    log = project.folder / "hls.log"
    words = [*command, SCRIPT]
    with log.open("wb") as stream:
        done = subprocess.run(
            words, cwd=project.folder, stdout=stream, stderr=subprocess.STDOUT, check=False
        )
    if done.returncode != 0:
        text = f"high-level synthesis of '{project.name}' failed ({done.returncode})"
        raise FailureError(text, command=words, log=log)
    if project.state != "synthesised":
        text = f"high-level synthesis of '{project.name}' left no report"
        raise FailureError(text, command=words, log=log)


def figures(project: Project) -> dict[str, Any]:
    """Return the figures of csynth.xml; None for what the tool did not find (`undef`)."""
    path = project.reports / "csynth.xml"
    if not path.is_file():
        text = f"'{project.name}' was not synthesised: there is no {path}"
        raise FailureError(text, hint="run it: --run")
    if path.stat().st_size > _MOST_BYTES:
        raise FailureError(f"{path} is no report: it has {path.stat().st_size:,} bytes")
    try:
        root = ET.parse(path).getroot()
    except ET.ParseError as error:
        raise FailureError(f"{path} is no report of high-level synthesis: {error}") from error
    return {name: _number(root.findtext(place)) for name, _, place in FIGURES}


def _number(text: str | None) -> float | int | None:
    """Return a number of the report; None for `undef`, `?` and what is not there."""
    try:
        value = float((text or "").strip())
    except ValueError:
        return None
    return int(value) if value.is_integer() else value


def report_text(project: Project) -> str:
    """Return the tool's own report of the top function."""
    found = sorted(project.reports.glob("*csynth.rpt"))
    if not found:
        raise FailureError(f"'{project.name}' has no report in {project.reports}", hint="--run")
    return found[0].read_text(encoding="utf-8", errors="replace")


def csim_commands(project: Project, bench: Path) -> list[list[str]]:
    """Return how a test bench is compiled with the project's C++, and how it is run."""
    sources, folders = project.sources()
    program = project.folder / "csim"
    includes = [f"-I{folder}" for folder in (*folders, hls_dir(), hls_dir() / "native")]
    flags = ["-std=c++14", "-O1", "-g", "-Wall", "-Wno-unknown-pragmas", *includes]
    return [["c++", *flags, *sources, str(bench.absolute()), "-o", str(program)], [str(program)]]


def csim(project: Project, bench: Path) -> str:
    """Compile and run a test bench natively; return what it printed. Its exit code judges."""
    said = ""
    for command in csim_commands(project, bench):
        done = subprocess.run(
            command, cwd=project.folder, capture_output=True, text=True, check=False
        )
        said = done.stdout + done.stderr
        (project.folder / "csim.log").write_text(said, encoding="utf-8")
        if done.returncode != 0:
            what = "does not compile" if command[0] == "c++" else "found a fault"
            tail = "\n".join(said.splitlines()[-20:])
            raise FailureError(
                f"the test bench {bench} {what} ({done.returncode})\n{tail}",
                command=command,
                log=project.folder / "csim.log",
            )
    return said
