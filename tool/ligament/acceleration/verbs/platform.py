# SPDX-License-Identifier: Apache-2.0
"""The first line is the platform's name, for scripts; then its folder, devices, memories and files:
those of a vendor that it has, and those that you have to bring.
"""

from __future__ import annotations

import argparse
from typing import Any

from ligament.acceleration.convention import extensible_platforms
from ligament.acceleration.manifest import Platform
from ligament.acceleration.output import missing_files, print_json
from ligament.acceleration.workspace import Workspace

HELP = "Describe the selected platform: devices, memories, files."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """It has none of its own."""


def main(arguments: argparse.Namespace, workspace: Workspace) -> int:
    """Print the platform."""
    platform = workspace.selected()
    folders = dict.fromkeys((platform.files, platform.folder))
    vendor = [path.stem for folder in folders for path in extensible_platforms(folder)]
    missing = missing_files(platform)
    if arguments.json:
        told = {
            "origin": platform.origin,
            "folder": str(platform.folder),
            "vendor_platforms": vendor,
        }
        lacks = list(platform.lacks)
        print_json(
            {**told, "lacks": lacks, "missing_files": missing, "platform": platform.document}
        )
        return 0
    version = platform.document.get("version")
    print(f"{platform.name} {version or ''}".rstrip())
    print(f"  {platform.origin}: {platform.folder}")
    for line in [*_devices(platform), *(f"vendor's platform: {name}" for name in vendor)]:
        print(f"  {line}")
    if platform.lacks:
        print(f"  lacks: {', '.join(platform.lacks)}; no graph can be mapped to it")
    for entry in missing:
        print(f"  not there: {entry['file']}, for {entry['for']}; from: {entry['from']}")
    return 0


def _devices(platform: Platform) -> list[str]:
    document = platform.document
    lines = []
    for name, device in document.get("devices", {}).items():
        given = [device.get("family"), device.get("board"), *_amounts(device)]
        lines.append(f"{name}: {device['kind']}{''.join(f', {g}' for g in given if g)}")
    for name, memory in document.get("memories", {}).items():
        size = f", {memory['bytes']:,} bytes" if "bytes" in memory else ""
        lines.append(f"{name}: memory{size}{', holds the pool' if memory.get('pool') else ''}")
    return lines


def _amounts(device: dict[str, Any]) -> list[str]:
    cores = [f"{device['cores']} cores"] if "cores" in device else []
    return cores + [f"{amount:g} {name}" for name, amount in device.get("budgets", {}).items()]
