# SPDX-License-Identifier: Apache-2.0
"""Boots the selected platform's image in QEMU, and gives its console (Ctrl-A X ends), or runs one
program in it and ends with that program's exit code. What the machine writes to its disk is dropped
afterwards, unless --keep is given. --run comes last: what follows is the program and its
arguments.

sw_emu and hw_emu are modes of the platform's FPGA, not of its processors: with one of them the verb
says which device runs so, and how a graph is run on it.

  colcon acceleration emulation
  colcon acceleration emulation --run uname -a
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from ligament.acceleration.images import request, tools
from ligament.acceleration.images.bootfiles import DEVICE_TREE, INITRAMFS, KERNEL, SCRIPT
from ligament.acceleration.images.layout import Layout, boot_of
from ligament.acceleration.images.machine import Console, command, for_xen, require_emulation
from ligament.acceleration.images.record import read_image
from ligament.acceleration.manifest import Platform
from ligament.acceleration.output import print_json
from ligament.acceleration.workspace import Workspace
from ligament.errors import FailureError, InputError, Problem, listing

HELP = "Boot the image in QEMU: a console, or one program in it."
MODES = ("sw_emu", "hw_emu")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What is booted, and what is run in it."""
    parser.add_argument("mode", nargs="?", choices=MODES, help="a mode of the platform's FPGA")
    request.add_platform(parser)
    request.add_image(parser, "the image to boot")
    parser.add_argument(
        "--keep", action="store_true", help="keep what the machine writes to the image"
    )
    parser.add_argument("--netboot", type=Path, metavar="FOLDER",
                        help="boot from this folder over TFTP, which `netboot` wrote")  # fmt: skip
    parser.add_argument("--timeout", type=float, default=600, metavar="SECONDS",
                        help="give up after, for boot and program; default: 600")  # fmt: skip
    parser.add_argument("--quiet", action="store_true", help="with --run: do not show the console")
    parser.add_argument("--run", nargs=argparse.REMAINDER, metavar="PROGRAM",
                        help="the program to run, and its arguments")  # fmt: skip


def main(arguments: argparse.Namespace, workspace: Workspace) -> int:
    """Boot."""
    platform = request.platform_of(arguments, workspace)
    if arguments.mode:
        return _fpga_mode(platform, arguments)
    boot = boot_of(platform)
    require_emulation(platform)
    for part in ("network", "firmware") if arguments.netboot else ():
        if part not in boot["emulation"]:
            text = f"the machine of '{platform.name}' cannot boot from a network: it has no {part}"
            at = platform.at("boot", "emulation")
            raise InputError(Problem("emulation-netboot", text, at, f"boot.emulation.{part}"))
    if arguments.run is not None and not arguments.run:
        raise InputError(Problem("emulation-command", "--run names no program"))
    tools.require(boot["emulation"]["program"])
    layout = request.layout_in(arguments, workspace)
    image = None if arguments.netboot else request.image_path(arguments, workspace, platform)
    with tempfile.TemporaryDirectory(prefix="ligament-emulation-") as name:
        words = _words(arguments, workspace, layout, image, Path(name))
        if arguments.dry_run:
            told = {"command": words, "changed": False}
            print_json(told) if arguments.json else print(" ".join(words))
            return 0
        if arguments.run is None:
            return _interactive(words)
        log = (image or arguments.netboot / "netboot").with_suffix(".console.log")
        return _run(words, log, boot["emulation"].get("ready", "ligament: ready"), arguments)


def _words(
    arguments: argparse.Namespace, workspace: Workspace, layout: Layout, image: Path | None,
    scratch: Path,
) -> list[str]:  # fmt: skip
    """QEMU's words; files that it loads are put into `scratch`."""
    boot = layout.boot
    emulation = boot["emulation"]
    sources = request.sources_of(arguments, workspace, layout.platform)
    files: dict[str, Path] = {}
    kernel_line = ""
    if "firmware" in boot["emulation"]:
        files["firmware"] = scratch / "firmware"
        files["firmware"].write_bytes(sources.file(boot["emulation"]["firmware"]).read())
    found = read_image(image) if image is not None else None
    if found is not None and "domains" in found.record:
        if not files:
            text = f"{image} starts with a boot loader, which the machine does not have"
            where = layout.platform.at("boot", "emulation")
            hint = "`hypervisor --run` starts domains without one"
            raise InputError(
                Problem("emulation-domains", text, where, "boot.emulation.firmware", hint)
            )
        emulation = for_xen(emulation, boot["xen"])
    if found is not None and not files:
        for name in (KERNEL, INITRAMFS, DEVICE_TREE):
            if name in found.boot:
                files[name] = scratch / name
                files[name].write_bytes(found.boot[name])
        kernel_line = _arguments_in(found.boot)
    if arguments.netboot and not (arguments.netboot / "pxelinux.cfg").is_dir():
        text = f"{arguments.netboot} is no folder that `netboot` has written: no pxelinux.cfg"
        raise InputError(Problem("emulation-netboot", text))
    serial = "stdio" if arguments.run is not None else "mon:stdio"
    words = command(
        emulation, image, files=files, arguments=kernel_line, keep=arguments.keep,
        tftp=arguments.netboot, serial=serial,
    )  # fmt: skip
    if serial == "mon:stdio":
        at = words.index("-monitor")
        del words[at : at + 2]
    return words


def _arguments_in(files: dict[str, bytes]) -> str:
    """The kernel's command line that an image's boot loader would use."""
    for name, data in files.items():
        for line in data.decode(errors="replace").splitlines() if name.endswith(".conf") else ():
            if line.strip().startswith("append "):
                return line.strip().removeprefix("append ")
        if name == SCRIPT and b"setenv bootargs '" in data:
            return data.partition(b"setenv bootargs '")[2].partition(b"'")[0].decode()
    return ""


def _interactive(words: list[str]) -> int:
    """Hand the terminal to the machine."""
    code = subprocess.run([tools.find(words[0]), *words[1:]], check=False).returncode
    if code != 0:
        raise FailureError("the emulator failed", command=words)
    return 0


def _run(words: list[str], log: Path, ready: str, arguments: argparse.Namespace) -> int:
    def show(data: bytes) -> None:
        sys.stderr.write(data.decode(errors="replace"))
        sys.stderr.flush()

    with Console(words, log, show=None if arguments.quiet else show) as console:
        console.wait_for(ready, arguments.timeout)
        code, output = console.run(arguments.run, arguments.timeout)
        if arguments.keep:
            console.run(["sh", "-c", "sync; mount -o remount,ro /"], arguments.timeout)
    text = output.decode(errors="replace")
    if arguments.json:
        print_json({"program": arguments.run, "exit_code": code, "output": text, "log": str(log)})
    else:
        sys.stdout.write(
            text if arguments.quiet else f"\n--- {' '.join(arguments.run)}: {code}\n{text}"
        )
    return code


def _fpga_mode(platform: Platform, arguments: argparse.Namespace) -> int:
    """Say which FPGA is emulated in that mode, and how a graph runs on it."""
    fpgas = {n: d for n, d in platform.document.get("devices", {}).items() if d["kind"] == "fpga"}
    modes = {n: d.get("emulation", "hw_emu") for n, d in fpgas.items()}
    found = [n for n, mode in modes.items() if mode == arguments.mode]
    if not found:
        told = listing(f"{n}: {mode}" for n, mode in modes.items()) if modes else "no FPGA"
        text = f"no FPGA of '{platform.name}' is emulated as {arguments.mode} ({told})"
        hint = "emulation: of the device in platform.yaml; fpga_sim has hw_emu, fpga_sw_emu sw_emu"
        raise InputError(Problem("emulation-mode", text, platform.at("devices"), hint=hint))
    how = "ligament run GRAPH --variant VARIANT"
    if arguments.json:
        print_json(
            {"platform": platform.name, "mode": arguments.mode, "devices": found, "command": how}
        )
    else:
        print(f"{arguments.mode}: {', '.join(found)} of {platform.name}")
        print(f"  {how}    (a variant with platform: {platform.name})")
    return 0
