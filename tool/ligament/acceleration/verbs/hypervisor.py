# SPDX-License-Identifier: Apache-2.0
"""Writes what starts several systems beside each other on one board, under Xen: device-tree nodes
for domains that the hypervisor starts itself (dom0less), xl configurations for those that the
control domain starts, U-Boot's script, and the files that these load. The domains are in YAML:

  schema: ligament/domains/1
  dom0: {memory_bytes: 0x20000000, cores: 1, arguments: console=hvc0}      # may be left out
  domains:
    planner: {memory_bytes: 0x10000000, cores: 1, arguments: console=ttyAMA0}

What they ask for together is compared with the board's memory and cores. With --run it is started
in the platform's emulated machine, until the console says TEXT.

  colcon acceleration hypervisor domains.yaml xen
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ligament.acceleration.images import request, tools, xen
from ligament.acceleration.images.domains import compiled, files_of
from ligament.acceleration.images.layout import Layout
from ligament.acceleration.images.machine import Console, require_emulation, xen_command
from ligament.acceleration.output import print_json
from ligament.acceleration.workspace import Workspace
from ligament.disk import replacing
from ligament.graph.loader import read_document

HELP = "Write what starts several systems on one board, under Xen."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The domains, and the folder."""
    parser.add_argument("domains", type=Path, metavar="FILE", help="the domains, in YAML")
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="where to write")
    parser.add_argument(
        "--run", metavar="TEXT", help="start it in QEMU, until the console says TEXT"
    )
    parser.add_argument(
        "--timeout", type=float, default=600, metavar="SECONDS", help="for --run; default: 600"
    )
    request.add_platform(parser)
    request.add_sources(parser)


def main(arguments: argparse.Namespace, workspace: Workspace) -> int:
    """Write."""
    layout = request.layout_in(arguments, workspace)
    if arguments.run:
        require_emulation(layout.platform)
    domains = xen.domains_of(layout, read_document(arguments.domains, "domains"))
    tools.require("dtc")
    sources = request.sources_of(arguments, workspace, layout.platform)
    files = files_of(layout, domains, sources)
    if not arguments.dry_run:
        with request.written(arguments.folder):
            _write(arguments.folder, files)
        compiled(arguments.folder)
    sizes = {name: len(data) for name, data in files.items()}
    if arguments.json:
        told = {"folder": str(arguments.folder), "files": sizes, "changed": not arguments.dry_run}
        print_json({**told, "domains": [d.name for d in domains]})
    else:
        print(f"{'would write' if arguments.dry_run else 'wrote'} {arguments.folder}")
        for domain in domains:
            who = "Xen" if domain.start == "xen" else "xl"
            size = f"{domain.memory >> 20:6} MiB {domain.cores:3} cores"
            print(f"  {domain.name:16} {size}, started by {who}")
    if arguments.run and not arguments.dry_run:
        _run(layout, arguments)
    return 0


def _write(folder: Path, files: dict[str, bytes]) -> None:
    for name, data in files.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        with replacing(target, len(data)) as partial:
            partial.write_bytes(data)


def _run(layout: Layout, arguments: argparse.Namespace) -> None:
    words = xen_command(layout.boot["emulation"], layout.boot["xen"], arguments.folder)

    def show(data: bytes) -> None:
        sys.stderr.write(data.decode(errors="replace"))
        sys.stderr.flush()

    with Console(words, arguments.folder / "console.log", show=show) as console:
        console.wait_for(arguments.run, arguments.timeout)
    print(f"the console said '{arguments.run}'")
