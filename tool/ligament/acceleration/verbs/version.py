# SPDX-License-Identifier: Apache-2.0
"""Each program of the platform's toolchains is asked for its version on this machine. With a
COMPONENT (a toolchain, a program, or `ligament`) only this one is; the exit code is 1 if it is
missing or of another version than the platform declares.
"""

from __future__ import annotations

import argparse

from ligament.acceleration.output import print_json
from ligament.acceleration.toolchains import Found, look_for
from ligament.acceleration.workspace import Workspace
from ligament.errors import InputError, no_such

HELP = "Say which versions of the platform's tools this machine has."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """One component, or all."""
    parser.add_argument(
        "component", metavar="COMPONENT", nargs="?", help="a toolchain, a program, or `ligament`"
    )


def main(arguments: argparse.Namespace, workspace: Workspace) -> int:
    """Print versions."""
    wanted = arguments.component
    found = [Found.ligament(), *look_for(workspace.selected())]
    if wanted is not None:
        known = sorted({f.toolchain for f in found} | {f.program for f in found})
        found = [f for f in found if wanted in (f.toolchain, f.program)]
        if not found:
            problem = no_such("component-unknown", f"there is no '{wanted}' here", wanted, known)
            raise InputError(problem)
    if arguments.json:
        print_json({"components": [f.to_json() for f in found]})
    else:
        width = max(len(f.program) for f in found)
        for f in found:
            print(f"{f.program:{width}}  {f.text}")
    return 1 if wanted is not None and any(not f.right for f in found) else 0
