# SPDX-License-Identifier: Apache-2.0
"""Workspaces with a platform that boots something small, made up: images in a second or two."""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
import subprocess
import tarfile
from pathlib import Path
from typing import Any

import pytest
from workspaces import call

PLATFORM = """schema: ligament/platform/1
name: toy
devices:
  cpu0: {{kind: cpu, memory: ram}}
memories:
  ram: {{pool: true}}
boot:
  sources:
    kernel_a: {{kind: folder, path: kernel_a}}
    kernel_b: {{kind: folder, path: kernel_b}}
    early: {{kind: folder, path: early}}
    base: {{kind: tar, path: base.tar}}
    blob: {{kind: file, path: blob.bin, sha256: {sha256}}}
  arguments: console=ttyS0 root={{root}} ro
  kernels:
    vanilla:
      image: {{from: kernel_a, path: "boot/vmlinuz-*"}}
      device_tree: {{from: kernel_a, path: boot/toy.dtb}}
      modules: {{from: kernel_a, names: [disk-driver]}}
    preempt_rt: {{image: {{from: kernel_b, path: boot/vmlinuz}}}}
  initramfs:
    - {{from: early}}
  image:
    table: {table}
    partitions:
      - {{name: boot, kind: fat, bytes: 0x300000, content: [{{from: blob, at: /vendor/}}]}}
      - name: root
        kind: ext4
        root: true
        bytes: 0xa00000
        content:
          - {{links: {{/bin: usr/bin}}, folders: [/opt/ws]}}
          - {{from: base, without: [usr/share/doc]}}
      - {{name: workspace, kind: ext4, content: [{{from: install}}]}}
  network: {{arguments: "console=ttyS0 ip={{server}} host={{board}}"}}
  emulation:
    program: qemu-system-toy
    machine: toy
    memory_bytes: 0x4000000
"""
TOOLS = [
    "mkfs.ext4",
    "debugfs",
    "e2fsck",
    "mkfs.fat",
    "mcopy",
    "mdir",
    "fsck.fat",
    "sfdisk",
    "cpio",
]
FOLDERS = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"


def needs_image_tools() -> None:
    """Skip where what images are made with is missing; `dev/setup --test` installs it."""
    for name in TOOLS:
        if shutil.which(name, path=FOLDERS) is None:
            pytest.skip(f"this machine has no such thing: {name}")


def module(name: str, *needs: str) -> bytes:
    """Return what of a kernel module says its name and what it needs."""
    info = [b"license=GPL", b"depends=" + ",".join(needs).encode(), b"name=" + name.encode()]
    return b"\x7fELF" + b"\0" + b"\0".join(info) + b"\0"


def make(root: Path, *, table: str = "gpt", reverse: bool = False) -> Path:
    """Make a workspace with the platform, selected, and an install tree; return it.

    `reverse`: files are made in the other order, with other times and modes of the user's mask.
    """
    folder = root / "acceleration" / "firmware" / "toy"
    files: dict[str, bytes] = {
        "kernel_a/boot/vmlinuz-1": b"kernel a" * 5000,
        "kernel_a/boot/toy.dtb": b"\xd0\x0d\xfe\xed tree",
        "kernel_a/lib/modules/1/kernel/disk_driver.ko": module("disk_driver", "bus", "queue"),
        "kernel_a/lib/modules/1/kernel/bus.ko": module("bus", "queue"),
        "kernel_a/lib/modules/1/kernel/queue.ko": module("queue", "core"),
        "kernel_a/lib/modules/1/modules.builtin": b"kernel/core.ko\n",
        "kernel_b/boot/vmlinuz": b"kernel b" * 9000,
        "early/init": b"#!/bin/sh\n",
        "blob.bin": b"firmware",
    }
    install = {
        "lib/node/node.so": b"node" * 3000,
        'share/a file with spaces "and quotes"': b"x",
        "share/wörk/ä.txt": b"y",
        "bin/run": b"#!/bin/sh\n",
    }
    below = {f"acceleration/firmware/toy/{k}": v for k, v in files.items()}
    below |= {f"install/{k}": v for k, v in install.items()}
    for path in sorted(below, reverse=reverse):
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(below[path])
        target.chmod(0o600 if reverse else 0o664)
        if reverse:
            os.utime(target, (1.0e9, 1.0e9))
    for path in ("install/bin/run", "acceleration/firmware/toy/early/init"):
        (root / path).chmod(0o700 if reverse else 0o755)
    (root / "install/lib/node/link.so").symlink_to("node.so")
    (folder / "base.tar").write_bytes(base_archive())
    write_platform(root, table=table)
    assert call(root, "select", "toy", "--json") == 0
    return root


def write_platform(root: Path, **values: str) -> None:
    """Write the platform's description."""
    known = {"table": "gpt", "sha256": hashlib.sha256(b"firmware").hexdigest()}
    target = root / "acceleration" / "firmware" / "toy" / "platform.yaml"
    target.write_text(PLATFORM.format(**(known | values)), encoding="utf-8")


def base_archive() -> bytes:
    """Return a root file system with owners, modes, links and a device, as a tar archive."""
    to = io.BytesIO()
    with tarfile.open(fileobj=to, mode="w") as archive:

        def add(path: str, data: bytes = b"", **fields: Any) -> None:
            member = tarfile.TarInfo(path)
            member.size, member.mode = len(data), 0o644
            for name, value in fields.items():
                setattr(member, name, value)
            archive.addfile(member, io.BytesIO(data) if data else None)

        add("./usr", type=tarfile.DIRTYPE, mode=0o755)
        add("./bin/sh", b"shell", mode=0o755)
        add("./bin/su", b"super", mode=0o4755)
        add("./bin/other", type=tarfile.LNKTYPE, linkname="./bin/sh")
        add("./home/user/notes", b"mine", uid=1000, gid=100_000, mode=0o600)
        add("./dev/null", type=tarfile.CHRTYPE, devmajor=1, devminor=3, mode=0o666)
        add("./etc/link", type=tarfile.SYMTYPE, linkname="../bin/sh")
        add("./usr/share/doc/long.txt", b"text")
        add("./var/big", bytes(300_000) + b"end")
    return to.getvalue()


def image_of(root: Path) -> Path:
    """Return the path of the workspace's image."""
    return root / "acceleration" / "images" / "toy.img"


def parts_of(image: Path) -> list[dict[str, Any]]:
    """Return the partitions as sfdisk, which is not ours, reads them. Units: sectors."""
    said = run("sfdisk", "--json", str(image))
    found: list[dict[str, Any]] = json.loads(said)["partitiontable"]["partitions"]
    return found


def cut_out(image: Path, number: int, to: Path) -> Path:
    """Write one partition into a file of its own; return that file."""
    part = parts_of(image)[number]
    with image.open("rb") as file:
        file.seek(part["start"] * 512)
        to.write_bytes(file.read(part["size"] * 512))
    return to


def run(*words: str) -> str:
    """Return what a program says; it has to succeed."""
    name = shutil.which(words[0], path=FOLDERS) or words[0]
    result = subprocess.run([name, *words[1:]], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout
