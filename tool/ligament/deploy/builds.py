# SPDX-License-Identifier: Apache-2.0
"""What each host's part is built from: this computer's build, or that for the host's `target`."""

from __future__ import annotations

from pathlib import Path

from ligament.build.ninja import Progress
from ligament.build.stage import build
from ligament.build.target import Target, read_target
from ligament.deploy.hosts import Hosts
from ligament.errors import InputError, Problem
from ligament.pipeline import Request, built


def build_parts(
    request: Request, manifest: Path, hosts: Hosts, progress: Progress | None = None
) -> dict[str, Path]:
    """Build what the hosts need, each kind once; return the build.json of each host.

    `manifest` is of this computer's build, whose hosts come first.
    """
    targets = _targets(hosts)  # what is wrong with them: before compiling
    own = [name for name in hosts.hosts if name not in targets]
    found = dict.fromkeys(own, build(manifest, progress=progress).build) if own else {}
    made: dict[str, Path] = {}
    for name, target in targets.items():
        if target.architecture not in made:
            made[target.architecture] = built(request, progress=progress, target=target).build
        found[name] = made[target.architecture]
    return found


def _targets(hosts: Hosts) -> dict[str, Target]:
    """By host. Builds for one architecture share a folder, so it has one target."""
    found = {
        name: read_target(host.target)
        for name, host in hosts.hosts.items()
        if host.target is not None
    }
    first: dict[str, Target] = {}
    for name, target in found.items():
        other = first.setdefault(target.architecture, target)
        if other != target:
            raise InputError(
                Problem(
                    "deploy-targets",
                    f"{name}: its target {target.prefix} is for {target.architecture}, as "
                    f"{other.prefix} is",
                    expected="one target for each kind of processor",
                )
            )
    return found
