# SPDX-License-Identifier: Apache-2.0
"""Each capability of the draft of REP-2008 is tested, not ticked: the check runs the thing on this
machine, and the row says what was found. `yes`: it ran and its result was right. `no`: it did not,
or nothing does it. `not here`: this machine lacks what it needs. An FPGA is simulated and a
microcontroller emulated. All of it takes minutes.

The exit code is 1 if the platform claims (`capabilities` of platform.yaml) what is a `no`.
--results adds the rows to a file, and writes its page beside it.

  colcon acceleration conformance fpga_sim
  colcon acceleration conformance --only verb-help --only generic-macro
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from ligament.acceleration import capabilities
from ligament.acceleration.capability_page import add_results, rows_of
from ligament.acceleration.manifest import Platform
from ligament.acceleration.output import print_json
from ligament.acceleration.workspace import Workspace
from ligament.errors import InputError, no_such

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
    claimed = platform.document.get("capabilities", [])
    known = {capability.name for capability in capabilities.CAPABILITIES}
    problems = [
        no_such(
            "capability-unknown",
            f"there is no capability '{c}'",
            c,
            known,
            platform.at("capabilities", i),
        )
        for i, c in enumerate(claimed)
        if c not in known
    ]
    if problems:
        raise InputError(problems)
    wanted = capabilities.chosen(arguments.only)
    checks = capabilities.checks()
    if arguments.dry_run:
        for capability in wanted:
            how = "tested" if capability.name in checks else "no check"
            print(f"{capability.number:7} {capability.name}: {how}")
        return 0
    with tempfile.TemporaryDirectory(prefix="ligament-conformance-") as temporary:
        folder = arguments.folder or Path(temporary)
        _make_workspace(folder, platform)
        context = capabilities.Context(platform, folder.absolute(), bool(arguments.folder))
        verdicts = capabilities.judge(wanted, checks, context)
    rows = rows_of(wanted, verdicts, claimed)
    if arguments.results:
        add_results(arguments.results, platform, rows)
    if arguments.json:
        print_json({"platform": platform.name, "rows": rows})
    else:
        for row in rows:
            star = "*" if row["claimed"] else " "
            print(f"{star} {row['number']:7} {row['name']:21} {row['state']:8}  {row['evidence']}")
    return 1 if any(row["claimed"] and row["state"] == capabilities.NO for row in rows) else 0


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
