# SPDX-License-Identifier: Apache-2.0
"""A package's projects for AMD's high-level synthesis are those that its build has written
(`ligament_add_kernel(... BACKENDS vitis)`). Without an option they are listed. --run needs the
vendor's tool; --csim needs none: it compiles the kernel's C++ natively with your test bench, whose
exit code judges.

  colcon acceleration hls my_package --run --summary
  colcon acceleration hls my_package --kernel scale --csim test/scale_bench.cpp
"""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path
from typing import Any

from ligament.acceleration import hls
from ligament.acceleration.output import print_json
from ligament.acceleration.workspace import Workspace
from ligament.errors import InputError, Problem, no_such

HELP = "Run high-level synthesis of a package's kernels, and show what it found."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Package, kernel, and what to do."""
    parser.add_argument("package", metavar="PACKAGE", help="a package that was built here")
    parser.add_argument("--kernel", metavar="NAME", help="this kernel alone")
    parser.add_argument("--run", action="store_true", help="run the vendor's tool")
    parser.add_argument(
        "--summary", action="store_true", help="clock, latency and cells, from csynth.xml"
    )
    parser.add_argument(
        "--synthesis-report", action="store_true", help="the tool's own report, whole"
    )
    parser.add_argument(
        "--csim", type=Path, metavar="FILE", help="a test bench, compiled and run natively"
    )


def main(arguments: argparse.Namespace, workspace: Workspace) -> int:
    """List, run, summarise."""
    projects = _chosen(hls.find_projects(workspace.root, arguments.package), arguments)
    if arguments.dry_run:
        for project, command in _planned(projects, arguments):
            print(f"in {project.folder}: {shlex.join(command)}")
        return 0
    if arguments.csim:
        said = hls.csim(projects[0], arguments.csim)
        if not arguments.json:
            print(said, end="")
    if arguments.run:
        command = hls.tool_command()
        for project in projects:
            hls.synthesise(project, command)
    rows = [_row(project, arguments) for project in projects]
    if arguments.json:
        print_json({"package": arguments.package, "projects": rows})
        return 0
    for row in rows:
        print("\n".join(_lines(row)))
    return 0


def _chosen(projects: list[hls.Project], arguments: argparse.Namespace) -> list[hls.Project]:
    names = sorted({project.name for project in projects})
    if arguments.kernel:
        projects = [project for project in projects if project.name == arguments.kernel]
        if not projects:
            text = f"'{arguments.package}' has no kernel '{arguments.kernel}'"
            raise InputError(no_such("kernel-unknown", text, arguments.kernel, names))
    if arguments.csim is None:
        return projects
    if len(projects) > 1:
        text = f"'{arguments.package}' has several kernels, and one test bench"
        raise InputError(Problem("kernel-which", text, expected=f"--kernel {' or '.join(names)}"))
    if not arguments.csim.is_file():
        raise InputError(Problem("file-missing", f"there is no test bench '{arguments.csim}'"))
    return projects


def _planned(
    projects: list[hls.Project], arguments: argparse.Namespace
) -> list[tuple[hls.Project, list[str]]]:
    planned: list[tuple[hls.Project, list[str]]] = []
    if arguments.csim:
        planned += [(projects[0], c) for c in hls.csim_commands(projects[0], arguments.csim)]
    if arguments.run:
        planned += [(project, [*hls.tool_command(), hls.SCRIPT]) for project in projects]
    return planned


def _row(project: hls.Project, arguments: argparse.Namespace) -> dict[str, Any]:
    row: dict[str, Any] = {"kernel": project.name, "folder": str(project.folder)}
    row["state"] = project.state
    if arguments.summary:
        row["summary"] = hls.figures(project)
    if arguments.synthesis_report:
        row["report"] = hls.report_text(project)
    return row


def _lines(row: dict[str, Any]) -> list[str]:
    lines = [f"{row['kernel']}: {row['state']}, {row['folder']}"]
    units = {name: unit for name, unit, _ in hls.FIGURES}
    for name, value in row.get("summary", {}).items():
        shown = "not known" if value is None else f"{value:,} {units[name]}".rstrip()
        lines.append(f"  {name.replace('_', ' '):16} {shown}")
    found = row.get("summary", {})
    if found.get("clock_estimated") and found.get("clock_wanted"):
        met = found["clock_estimated"] <= found["clock_wanted"]
        lines.append(f"  the clock is {'met' if met else 'NOT met'}, by the tool's estimate")
    return [*lines, *row.get("report", "").splitlines()]
