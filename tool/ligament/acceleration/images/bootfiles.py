# SPDX-License-Identifier: Apache-2.0
"""Files of a boot partition: kernel, initramfs, device tree, the boot loader's configuration."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping
from typing import Any

from ligament.acceleration.images.cpio import initramfs
from ligament.acceleration.images.modules import module_tree
from ligament.acceleration.images.sources import Sources
from ligament.acceleration.images.tools import image_time
from ligament.acceleration.images.tree import Tree
from ligament.errors import InputError, Problem

KERNEL, INITRAMFS, DEVICE_TREE = "vmlinuz", "initramfs.cpio.gz", "board.dtb"
EXTLINUX, SCRIPT = "extlinux/extlinux.conf", "boot.scr"
_ARCHITECTURES = {"arm": 2, "x86": 3, "arm64": 22}
"""U-Boot's numbers (include/image.h)."""
_MAGIC, _LINUX, _TYPE_SCRIPT = 0x27051956, 5, 6


def kernel_files(
    kernel: Mapping[str, Any], content: list[Mapping[str, Any]] | None, sources: Sources
) -> dict[str, bytes]:
    """Return kernel, initramfs (if `content` says what is in it) and device tree, by file name."""
    files = {KERNEL: sources.file(kernel["image"]).read()}
    if "device_tree" in kernel:
        files[DEVICE_TREE] = sources.file(kernel["device_tree"]).read()
    if content is not None:
        files[INITRAMFS] = initramfs(initramfs_tree(kernel, content, sources))
    return files


def initramfs_tree(
    kernel: Mapping[str, Any], content: list[Mapping[str, Any]], sources: Sources
) -> Tree:
    """Return what an initramfs holds: its content, and the kernel's modules."""
    tree = sources.content(content)
    if "modules" in kernel:
        wanted = kernel["modules"]
        tree.add_tree(module_tree(sources.tree(wanted["from"]), wanted["names"]))
    return tree


def arguments_of(boot: Mapping[str, Any], kernel: Mapping[str, Any], **values: str) -> str:
    """Return a kernel's command line with {root} and others filled in."""
    text = f"{boot.get('arguments', 'root={root} ro')} {kernel.get('arguments', '')}".strip()
    return filled(text, "boot.arguments", **values)


def filled(text: str, place: str, **values: str) -> str:
    """Return a text with `{name}` replaced; raise InputError for unknown names and line breaks."""
    if any(ord(c) < 32 for c in text):
        raise InputError(
            Problem("boot-arguments", f"{place} has a line break or control character")
        )
    try:
        return text.format_map(values)
    except (KeyError, IndexError, ValueError, AttributeError) as error:
        expected = ", ".join(f"{{{name}}}" for name in values) or "no name in braces"
        text = f"{place} cannot be filled in: {error}"
        raise InputError(Problem("boot-arguments", text, expected=expected)) from None


def loader_files(
    boot: Mapping[str, Any], kernel: Mapping[str, Any], root: str, names: Mapping[str, Any]
) -> dict[str, bytes]:
    """Return the boot loader's configuration by file name, for the files that there are."""
    arguments = arguments_of(boot, kernel, root=root)
    loader = boot.get("loader", "extlinux")
    if loader == "extlinux":
        return {EXTLINUX: extlinux(arguments, names, "/").encode()}
    if loader == "script":
        architecture = boot.get("architecture", "arm64")
        return {SCRIPT: uboot_script(_script(arguments, names), architecture)}
    return {}


def extlinux(arguments: str, names: Mapping[str, Any], prefix: str) -> str:
    """Return an extlinux.conf, which is a pxelinux.cfg, too; `prefix` comes before file names."""
    lines = ["default ligament", "timeout 1", "label ligament", f"  kernel {prefix}{KERNEL}"]
    if INITRAMFS in names:
        lines.append(f"  initrd {prefix}{INITRAMFS}")
    if DEVICE_TREE in names:
        lines.append(f"  fdt {prefix}{DEVICE_TREE}")
    return "\n".join([*lines, f"  append {arguments}", ""])


def _script(arguments: str, names: Mapping[str, Any]) -> str:
    load = "load ${devtype} ${devnum}:${distro_bootpart}"
    lines = [f"setenv bootargs {quoted(arguments)}", f"{load} ${{kernel_addr_r}} {KERNEL}"]
    ramdisk, tree = "-", "${fdtcontroladdr}"
    if INITRAMFS in names:
        lines += [f"{load} ${{ramdisk_addr_r}} {INITRAMFS}", "setenv ramdisk_size ${filesize}"]
        ramdisk = "${ramdisk_addr_r}:${ramdisk_size}"
    if DEVICE_TREE in names:
        lines.append(f"{load} ${{fdt_addr_r}} {DEVICE_TREE}")
        tree = "${fdt_addr_r}"
    return "\n".join([*lines, f"booti ${{kernel_addr_r}} {ramdisk} {tree}", ""])


def quoted(text: str) -> str:
    """Return a word for U-Boot's shell; raise InputError for what it cannot quote."""
    if "'" in text or any(ord(c) < 32 for c in text):
        raise InputError(Problem("boot-arguments", f"U-Boot's shell cannot quote {text!r}"))
    return f"'{text}'"


def uboot_script(text: str, architecture: str) -> bytes:
    """Return a script in U-Boot's legacy image format: 64 bytes of header, sizes, the text."""
    data = text.encode()
    body = struct.pack(">II", len(data), 0) + data

    def header(check: int) -> bytes:
        return struct.pack(
            ">7I4B32s", _MAGIC, check, image_time(), len(body), 0, 0, zlib.crc32(body),
            _LINUX, _ARCHITECTURES[architecture], _TYPE_SCRIPT, 0, b"ligament",
        )  # fmt: skip

    return header(zlib.crc32(header(0))) + body
