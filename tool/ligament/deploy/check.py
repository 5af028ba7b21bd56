# SPDX-License-Identifier: Apache-2.0
"""What must be right on a host before anything is copied to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ligament import __version__
from ligament.deploy import whoami
from ligament.deploy.parts import Part
from ligament.deploy.wire import Message, size_in
from ligament.errors import FailureError, listing


def problems_of(
    said: Mapping[str, Any], part: Part, max_clock_difference_s: float
) -> list[FailureError]:
    """Return what is wrong with a host; `said`: what it says of itself (whoami.py), and `ahead_ns`:
    by how much its real-time clock is ahead of ours.
    """
    found = [
        _version(said, part.host),
        _headers(said, part),
        _machine(said, part),
        _clock(said, part.host, max_clock_difference_s),
    ]
    return [problem for problem in found if problem is not None]


def _version(said: Mapping[str, Any], host: str) -> FailureError | None:
    if said.get("version") == __version__:
        return None
    return FailureError(
        f"{host}: Ligament is {said.get('version')} there and {__version__} here",
        hint="install the same version on both",
    )


def _headers(said: Mapping[str, Any], part: Part) -> FailureError | None:
    ours, theirs = whoami.headers_digest(part.prefix), said.get("headers")
    if ours is None or theirs is None or ours == theirs or said.get("version") != __version__:
        return None
    return FailureError(
        f"{part.host}: the runtime there is another one than the nodes were compiled against: its "
        "public headers differ",
        hint="install the same commit on both; in a checkout: make setup",
    )


def _machine(said: Mapping[str, Any], part: Part) -> FailureError | None:
    wrong = part.machines - {said.get("machine")}
    if not wrong:
        return None
    return FailureError(
        f"{part.host}: its processor is {said.get('machine')}, and the libraries were built for "
        f"{listing(wrong)}",
        hint="have its part built for it: `target` in hosts.yaml; or build and start it there: "
        f"ligament run GRAPH --host {part.host}",
    )


def _clock(said: Mapping[str, Any], host: str, limit_s: float) -> FailureError | None:
    ahead = int(said["ahead_ns"]) / 1e9
    if abs(ahead) <= limit_s:
        return None
    return FailureError(
        f"{host}: its clock is {abs(ahead):,.3g} s {'ahead of' if ahead > 0 else 'behind'} this "
        f"computer's; stamps in messages would be wrong",
        hint="set both by NTP (timedatectl set-ntp true), or allow it: max_clock_difference_s in "
        "hosts.yaml",
    )


def require_room(said: Message, part: Part, needed: int) -> None:
    """Raise where a host has less room than is to be sent."""
    if size_in(said, "free_bytes") < needed:
        raise FailureError(
            f"{part.host}: {needed:,} bytes are to be copied, and {said['free_bytes']:,} are free "
            f"in {said.get('folder')}",
            hint="make room there, or name another `folder` in hosts.yaml",
        )


def require_needs(part: Part, lacks: Sequence[str]) -> None:
    """Raise where a host has not what its nodes need beside their files."""
    if lacks:
        raise FailureError(
            f"{part.host}: what its nodes need is not there: {'; '.join(lacks)}",
            hint="install it there; a ROS 2 that is sourced at a login is not sourced for ssh: "
            "name it in hosts.yaml, environment: {AMENT_PREFIX_PATH: /opt/ros/DISTRO}",
        )
