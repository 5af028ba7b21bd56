# SPDX-License-Identifier: Apache-2.0
"""What a platform boots: images, kernels, guests, networks. Packages are fetched: a network."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ligament.acceleration.capabilities import BOARD, NO, NOT_HERE, YES, Check, Context, Verdict
from ligament.acceleration.images.bootfiles import KERNEL
from ligament.acceleration.images.record import Image, read_image
from ligament.acceleration.images.tools import PACKAGES, find
from ligament.acceleration.images.xen_check import faults_of, has_xl, image_faults
from ligament.errors import FailureError
from ligament.graph.loader import read_document

_TOOLS = ("mkfs.ext4", "debugfs", "e2fsck", "mkfs.fat", "mcopy", "apt-get", "dpkg-deb")
_XEN_TOOLS = ("dtc", "fdtget", "fdtoverlay")
_READY_S = "600"
_READ_BACK = "read back; that it starts is not tested by this"
"""Of what no machine is started with: the evidence says so."""


def _lacks(
    context: Context, *needs: str, programs: Sequence[str] = (), starts: bool = False
) -> Verdict | None:
    """The verdict where a platform says nothing of this, or a program is missing.

    `starts`: the platform's emulated machine, if it has one, is started.
    """
    boot = context.platform.document.get("boot")
    if boot is None or any(need not in boot for need in needs):
        missing = "boot" if boot is None else next(f"boot.{n}" for n in needs if n not in boot)
        return Verdict(NO, f"the platform's description has no {missing}")
    emulator = [boot["emulation"]["program"]] if starts and "emulation" in boot else []
    for name in (*_TOOLS, *programs, *emulator):
        try:
            find(name)
        except FailureError:
            package = PACKAGES.get(name, "?")
            return Verdict(NOT_HERE, f"this machine lacks {name} (package {package})")
    return None


def _on_board(context: Context, so_far: str, ran: tuple[str, ...]) -> Verdict | None:
    """The verdict where there is no emulated machine that could go on."""
    if "emulation" in context.platform.document["boot"]:
        return None
    return Verdict(BOARD, f"{so_far}; that it starts, only the board shows", ran)


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
    if lacks := _lacks(context, starts=True):
        return lacks
    if name not in context.platform.document["boot"]["kernels"]:
        return Verdict(NO, f"the platform has no kernel '{name}'")
    path = context.folder / _image(context)
    swap = (f"colcon acceleration package --swap-kernel {name}",)
    _verb(context, "package", "--swap-kernel", name)
    image = read_image(path)
    has = image.record["kernel"]
    if has != name or not image.boot.get(KERNEL):
        text = f"the image says that its kernel is '{has}', '{name}' was put in"
        return Verdict(NO, text if has != name else f"the image has no {KERNEL}", swap)
    if rest := _on_board(context, f"the image has the kernel '{has}'", swap):
        return rest
    said = _boots(context)
    right = bool(said) and ("PREEMPT_RT" in said) == (name == "preempt_rt")
    ran = (*swap, "colcon acceleration emulation --run uname -rv")
    return Verdict(YES if right else NO, f"booted in QEMU: {said}", ran)


_DOMAINS = """schema: ligament/domains/1
{dom0}domains:
  guest: {{memory_bytes: {memory:#x}, cores: 1, arguments: console=ttyAMA0}}
{by_xl}"""
_HYPERVISOR = "colcon acceleration hypervisor domains.yaml xen"


def _domains(context: Context, name: str, *, dom0: bool, xl: bool = True) -> tuple[Path, Path]:
    """A description whose domains share the board, and the folder for what starts them.

    `xl`: a guest that the control domain starts is among them, where there is a core for it.
    """
    xen = context.platform.document["boot"]["xen"]
    share = (xen["memory_bytes"] - xen.get("reserved_bytes", 64 << 20)) // 4 >> 20 << 20
    told = f"memory_bytes: {share:#x}, cores: 1, arguments: console=hvc0"
    text = _DOMAINS.format(
        memory=min(share, 512 << 20),
        dom0=f"dom0: {{{told}}}\n" if dom0 else "",
        by_xl=f"  second: {{start: xl, {told}}}\n" if dom0 and xl and xen["cores"] > 2 else "",
    )
    path = context.folder / f"{name}.yaml"
    path.write_text(text, encoding="utf-8")
    return path, context.folder / name


def _too_few_cores(context: Context) -> Verdict | None:
    """The verdict where a control domain and a guest have no core each."""
    cores = context.platform.document["boot"]["xen"]["cores"]
    if cores >= 2:
        return None
    return Verdict(NO, f"a control domain and a guest need 2 cores, the board has {cores}")


def _whole(context: Context, domains: Path, folder: Path) -> str:
    """Write what starts the domains; return what is wrong with it."""
    _verb(context, "hypervisor", domains, folder)
    described = read_document(domains, "domains").data
    return "; ".join(faults_of(folder, described, context.platform.document["boot"]))


def hypervisor(context: Context) -> Verdict:
    """What starts a control domain and its guests is whole, as device tree, loader and xl read it.

    The domains' memory and cores add up to what the board has.
    """
    if lacks := _lacks(context, "xen", programs=_XEN_TOOLS) or _too_few_cores(context):
        return lacks
    domains, folder = _domains(context, "domains", dom0=True)
    faults = _whole(context, domains, folder)
    names = ", ".join(["dom0", *read_document(domains, "domains").data["domains"]])
    text = f"{names}: each file, address, share and node is as described ({_READ_BACK})"
    return Verdict(NO if faults else YES, faults or text, (_HYPERVISOR,))


def _domain_image(context: Context, name: str, *, dom0: bool) -> Verdict:
    """An image with domains, read back from its partitions."""
    if lacks := _lacks(context, "xen", programs=_XEN_TOOLS):
        return lacks
    if dom0 and (few := _too_few_cores(context)):
        return few
    boot = context.platform.document["boot"]
    domains, folder = _domains(context, name, dom0=dom0, xl="content" in boot["xen"])
    image = context.folder / f"{name}.img"
    shutil.rmtree(folder, ignore_errors=True)
    told = _verb(context, "linux", "--domains", domains, "--output", image)
    partitions = [p["name"] for p in told["partitions"]]
    root = next(n for n, p in enumerate(boot["image"]["partitions"]) if p.get("root", False))
    for part, number in (("boot", 0), ("root", root)):
        _verb(context, "mount", partitions[number], folder / part, "--image", image)
    found = read_image(image)
    described = read_document(domains, "domains").data
    named = _root_of(found, root, "initramfs" in boot)
    faults = image_faults(named, folder / "boot", folder / "root", described, boot)
    names = ", ".join(found.record["domains"])
    text = f"{names}: each file that loader, Xen or xl asks for is in it ({_READ_BACK})"
    if dom0 and not has_xl(folder / "root"):
        text += "; it has no xl, so the control domain starts no guests"
    ran = ("colcon acceleration linux --domains domains.yaml", "colcon acceleration mount")
    return Verdict(NO if faults else YES, "; ".join(faults) or text, ran)


def _root_of(image: Image, number: int, initramfs: bool) -> str:
    """What Linux calls an image's root partition: without an initramfs it knows no file systems."""
    if initramfs:
        return f"UUID={image.record['partitions'][number]['uuid']}"
    return f"PARTUUID={image.table.parts[number].uuid_text(image.table, number + 1)}"


def guest_images(context: Context) -> Verdict:
    """An image with a guest that Xen starts, whose root file system is in memory."""
    return _domain_image(context, "guest_image", dom0=False)


def control_domain_image(context: Context) -> Verdict:
    """An image with a control domain and, where it has xl and a core for it, a guest of xl."""
    return _domain_image(context, "control_image", dom0=True)


def dom0less(context: Context) -> Verdict:
    """A guest that Xen starts by itself comes to its shell."""
    if lacks := _lacks(context, "xen", programs=_XEN_TOOLS, starts=True):
        return lacks
    domains, folder = _domains(context, "guests", dom0=False)
    if faults := _whole(context, domains, folder):
        return Verdict(NO, faults, (_HYPERVISOR,))
    if rest := _on_board(
        context, "a guest's files, share and node are as described", (_HYPERVISOR,)
    ):
        return rest
    ready = context.platform.document["boot"]["emulation"].get("ready", "ligament: ready")
    name = context.platform.name
    context.ligament(
        "acceleration", "hypervisor", domains, folder, "--platform", name, "--run", ready
    )
    text = "a guest that Xen started said that it is ready"
    return Verdict(YES, text, (f"{_HYPERVISOR} --run TEXT",))


def netboot(context: Context) -> Verdict:
    """A board without a disk boots over TFTP, with its root file system in memory."""
    if lacks := _lacks(context, "network", starts=True):
        return lacks
    folder = context.folder / "tftp"
    boards = ("--board", "one=52:54:00:12:34:56", "--board", "two=52:54:00:12:34:57")
    names = _verb(context, "netboot", folder, *boards)["boards"]
    if len(names) != 2 or len(places := {_loads(folder, name) for name in names}) != 1:
        return Verdict(NO, f"the boards {', '.join(names)} do not share their files")
    missing = sorted(file for file in next(iter(places)) if not _has_bytes(folder / file))
    if missing or not next(iter(places)):
        return Verdict(NO, f"a board loads what is not there: {', '.join(missing) or 'nothing'}")
    wrote = ("colcon acceleration netboot tftp --board NAME=MAC",)
    if rest := _on_board(context, "each file that a board loads is there", wrote):
        return rest
    said = context.once("netboot", lambda: _boots(context, "--netboot", str(folder)))
    if not said:
        return Verdict(NO, "what booted over TFTP did not say what its kernel is")
    text = f"booted over TFTP: {said}; 2 boards share its files"
    return Verdict(YES, text, (*wrote, "colcon acceleration emulation --netboot tftp"))


def _has_bytes(path: Path) -> bool:
    return path.is_file() and path.stat().st_size > 0


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
        "hypervisor": hypervisor,
        "dom0less": dom0less,
        "guest-images": guest_images,
        "control-domain-image": control_domain_image,
        "netboot-files": netboot,
        "netboot-rootfs": netboot,
        "netboot-boards": netboot,
    }.items()
}
