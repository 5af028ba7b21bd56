# SPDX-License-Identifier: Apache-2.0
"""What a platform boots: images, kernels, guests, networks. Packages are fetched: a network."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ligament.acceleration.capabilities import NO, NOT_HERE, YES, Check, Context, Verdict
from ligament.acceleration.images.tools import PACKAGES, find
from ligament.errors import FailureError

_TOOLS = ("mkfs.ext4", "debugfs", "e2fsck", "mkfs.fat", "mcopy", "apt-get", "dpkg-deb")
_XEN_TOOLS = ("dtc", "fdtoverlay")
_READY_S = "600"


def _lacks(context: Context, *needs: str, programs: Sequence[str] = ()) -> Verdict | None:
    """The verdict where a platform says nothing of this, or a program is missing."""
    boot = context.platform.document.get("boot")
    if boot is None or any(need not in boot for need in needs):
        missing = "boot" if boot is None else next(f"boot.{n}" for n in needs if n not in boot)
        return Verdict(NO, f"the platform's description has no {missing}")
    emulator = [boot["emulation"]["program"]] if "emulation" in needs else []
    for name in (*_TOOLS, *programs, *emulator):
        try:
            find(name)
        except FailureError:
            package = PACKAGES.get(name, "?")
            return Verdict(NOT_HERE, f"this machine lacks {name} (package {package})")
    return None


def _verb(context: Context, *words: str | Path) -> dict[str, Any]:
    """Run a verb for the platform; return what it printed as JSON."""
    name, *rest = words
    said = context.ligament(
        "acceleration", name, "--platform", context.platform.name, "--json", *rest
    )
    found: dict[str, Any] = json.loads(said)
    return found


def _image(context: Context) -> Path:
    return Path(context.once("image", lambda: _verb(context, "linux")["image"]))


def _boots(context: Context, *options: str) -> str:
    """What the booted machine calls its kernel."""
    words = ("--quiet", "--timeout", _READY_S, *options, "--run", "uname", "-rv")
    return str(_verb(context, "emulation", *words)["output"]).strip()


def raw_image(context: Context) -> Verdict:
    """The image is made twice with the same bytes."""
    if lacks := _lacks(context):
        return lacks
    first = context.folder / _image(context)
    other = context.folder / "again.img"
    _verb(context, "linux", "--output", other)
    if first.read_bytes() != other.read_bytes():
        return Verdict(NO, "two images of the same input differ")
    size = first.stat().st_size >> 20
    return Verdict(YES, f"{size} MiB, twice the same bytes", ("colcon acceleration linux",))


def kernel_vanilla(context: Context) -> Verdict:
    """The image boots to a shell."""
    return _kernel(context, "vanilla")


def kernel_rt(context: Context) -> Verdict:
    """The image boots with a kernel that preempts everywhere."""
    return _kernel(context, "preempt_rt")


def _kernel(context: Context, name: str) -> Verdict:
    if lacks := _lacks(context, "emulation"):
        return lacks
    if name not in context.platform.document["boot"]["kernels"]:
        return Verdict(NO, f"the platform has no kernel '{name}'")
    _image(context)
    _verb(context, "package", "--swap-kernel", name)
    said = _boots(context)
    ran = (
        f"colcon acceleration package --swap-kernel {name}",
        "colcon acceleration emulation --run uname -rv",
    )
    right = bool(said) and ("PREEMPT_RT" in said) == (name == "preempt_rt")
    return Verdict(YES if right else NO, f"booted in QEMU: {said}", ran)


def dom0less(context: Context) -> Verdict:
    """A guest that Xen starts by itself comes to its shell."""
    if lacks := _lacks(context, "xen", "emulation", programs=_XEN_TOOLS):
        return lacks
    ready = context.platform.document["boot"]["emulation"].get("ready", "ligament: ready")
    domains = context.folder / "domains.yaml"
    domains.write_text(
        "schema: ligament/domains/1\ndomains:\n"
        "  guest: {memory_bytes: 0x20000000, cores: 1, arguments: console=ttyAMA0}\n"
    )
    context.ligament(
        "acceleration", "hypervisor", domains, context.folder / "xen",
        "--platform", context.platform.name, "--run", ready,
    )  # fmt: skip
    return Verdict(YES, "a guest that Xen started said that it is ready",
                   ("colcon acceleration hypervisor domains.yaml xen --run TEXT",))  # fmt: skip


def netboot(context: Context) -> Verdict:
    """A board without a disk boots over TFTP, with its root file system in memory."""
    if lacks := _lacks(context, "network", "emulation"):
        return lacks
    folder = context.folder / "tftp"
    boards = ("--board", "one=52:54:00:12:34:56", "--board", "two=52:54:00:12:34:57")
    names = _verb(context, "netboot", folder, *boards)["boards"]
    if len(names) != 2 or len(places := {_loads(folder, name) for name in names}) != 1:
        return Verdict(NO, f"the boards {', '.join(names)} do not share their files")
    said = context.once("netboot", lambda: _boots(context, "--netboot", str(folder)))
    if not said or not places.pop():
        return Verdict(NO, "what booted over TFTP did not say what its kernel is")
    text = f"booted over TFTP: {said}; 2 boards share its files"
    ran = (
        "colcon acceleration netboot tftp --board NAME=MAC",
        "colcon acceleration emulation --netboot tftp",
    )
    return Verdict(YES, text, ran)


def _loads(folder: Path, configuration: str) -> frozenset[str]:
    """The files that a board's configuration names."""
    text = (folder / "pxelinux.cfg" / configuration).read_text(encoding="utf-8")
    words = [line.split()[1:2] for line in text.splitlines()]
    return frozenset(w[0] for w in words if w and w[0].startswith("files/"))


def _with_packages(check: Check) -> Check:
    """The check; a machine that cannot fetch packages says nothing of the platform."""

    def checked(context: Context) -> Verdict:
        try:
            return check(context)
        except FailureError as error:
            if "apt cannot fetch" not in error.text:
                raise
            return Verdict(NOT_HERE, f"this machine cannot fetch packages: {error.text}")

    return checked


CHECKS: dict[str, Check] = {
    name: _with_packages(check)
    for name, check in {
        "raw-image": raw_image,
        "kernel-vanilla": kernel_vanilla,
        "kernel-rt": kernel_rt,
        "hypervisor": dom0less,
        "dom0less": dom0less,
        "netboot-files": netboot,
        "netboot-rootfs": netboot,
        "netboot-boards": netboot,
    }.items()
}
