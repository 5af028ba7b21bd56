# SPDX-License-Identifier: Apache-2.0
"""Each capability of the draft of REP-2008 is tested, not ticked: the check runs the thing on this
machine, and the row says what was found. `tested`: it ran and its result was right; with `*` the
platform claims it, too (`capabilities` of platform.yaml); what starts several systems under Xen is
read back, and not started, but for `dom0less`. `no`: it did not, or nothing does it.
`not here`: this machine lacks what it needs. `board`: only the board can show the rest. An FPGA is
simulated and a microcontroller emulated. All of it takes minutes.

What the platform claims and no test here can show is `claimed`. What a test contradicts is
`contradicted`, and the exit code is 1. --results adds the rows to a file, and writes its page
beside it.

  colcon acceleration conformance fpga_sim
  colcon acceleration conformance --only verb-help --only generic-macro
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from ligament.acceleration import capabilities
from ligament.acceleration.capability_page import add_results, cell_of, results_in, rows_of
from ligament.acceleration.claims import CONTRADICTED, claims_of
from ligament.acceleration.manifest import Platform
from ligament.acceleration.output import print_json
from ligament.acceleration.workspace import Workspace

HELP = "Test what the platform can do, and print the capability table."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which platform, which capabilities, where to."""
    parser.add_argument(
        "platform", metavar="PLATFORM", nargs="?", help="default: the selected platform"
    )
    parser.add_argument(
        "--only", action="append", default=[], metavar="NAME", help="this capability; repeatable"
    )
    parser.add_argument(
        "--results", type=Path, metavar="FILE", help="a .json of results that these are added to"
    )
    parser.add_argument(
        "--folder", type=Path, metavar="DIR", help="where it builds and runs; default: temporary"
    )


def main(arguments: argparse.Namespace, workspace: Workspace) -> int:
    """Test and print."""
    name = arguments.platform
    platform = workspace.check(name) if name else workspace.selected()
    claims = claims_of(platform)
    wanted = capabilities.chosen(arguments.only)
    checks = capabilities.checks()
    if arguments.dry_run:
        for capability in wanted:
            how = "tested" if capability.name in checks else "no check"
            print(f"{capability.number:7} {capability.name}: {how}")
        return 0
    if arguments.results:
        results_in(arguments.results)  # refused before the minutes that the checks take
    with tempfile.TemporaryDirectory(prefix="ligament-conformance-") as temporary:
        folder = arguments.folder or Path(temporary)
        _make_workspace(folder, platform)
        context = capabilities.Context(platform, folder.absolute(), bool(arguments.folder))
        verdicts = capabilities.judge(wanted, checks, context)
    rows = rows_of(wanted, verdicts, claims)
    if arguments.results:
        add_results(arguments.results, platform, rows)
    if arguments.json:
        print_json({"platform": platform.name, "rows": rows})
    else:
        for row in rows:
            print(f"{row['number']:7} {row['name']:21} {cell_of(row):13} {row['evidence']}")
            if "on_board" in row:
                print(f"{'':29} on the board: {row['on_board']}")
    return 1 if any(row["standing"] == CONTRADICTED for row in rows) else 0


def _make_workspace(folder: Path, platform: Platform) -> None:
    """The checks' verbs run in the folder: they find the platform and its files there, by a link.

    What they write for the platform, such as images, stays in the folder.
    """
    folder.mkdir(parents=True, exist_ok=True)
    link = Workspace(folder).firmware / platform.name
    link.parent.mkdir(parents=True, exist_ok=True)
    if link.is_symlink():  # of an earlier call, perhaps for another workspace
        link.unlink()
    if platform.files.is_dir() and not link.exists():
        link.symlink_to(platform.files.absolute(), target_is_directory=True)
