# SPDX-License-Identifier: Apache-2.0
"""What starts domains under Xen, as files: in a folder, or in an image (spec/platform/images.md).

files_of(layout, domains, sources)                       # a folder: `hypervisor`
DomainImage(layout, domains, sources).boot_files(root)   # the boot partition: `linux --domains`
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from ligament.acceleration.images import tools, xen
from ligament.acceleration.images.bootfiles import (
    INITRAMFS,
    SCRIPT,
    initramfs_tree,
    kernel_files,
    uboot_script,
)
from ligament.acceleration.images.cpio import initramfs
from ligament.acceleration.images.layout import Layout, sources_named
from ligament.acceleration.images.network import root_tree
from ligament.acceleration.images.sources import Sources
from ligament.acceleration.images.tree import Tree, of_texts
from ligament.acceleration.images.xen import OVERLAY, SCRIPT_TEXT, SOURCE, XEN, Domain
from ligament.disk import replacing
from ligament.errors import InputError, Problem

CONTROL_INITRAMFS = "initramfs-dom0.cpio.gz"


def kernels_of(layout: Layout, domains: Sequence[Domain], sources: Sources) -> dict[str, bytes]:
    """Return the domains' kernels by file name."""
    return {
        domain.file: kernel_files(layout.kernel(domain.kernel)[1], None, sources)["vmlinuz"]
        for domain in domains
    }


def started(
    layout: Layout, domains: Sequence[Domain], sources: Sources, loaded: Mapping[str, bytes]
) -> dict[str, bytes]:
    """Return Xen, `loaded`, and the script and device-tree source that put all of it in place."""
    told = layout.boot["xen"]
    if "image" not in told:
        text = f"the platform '{layout.platform.name}' does not say where Xen comes from"
        raise InputError(Problem("xen-missing", text, layout.platform.at("boot", "xen"), "image"))
    files = {XEN: xen.plain(sources.file(told["image"]).read()), **loaded}
    sizes = {name: len(data) for name, data in files.items()} | {xen.TREE: xen.TREE_BYTES}
    places = xen.placed(sizes, told.get("load_address", 0x48000000))
    words = xen.xen_arguments(told.get("arguments", "console=dtuart"), domains)
    nodes = xen.nodes_of(domains, places, words)
    files[SOURCE] = xen.overlay(nodes).encode()
    text = xen.script(places, "xen", nodes)
    files[SCRIPT_TEXT] = text.encode()
    files[SCRIPT] = uboot_script(text, layout.boot.get("architecture", "arm64"))
    return files


def files_of(layout: Layout, domains: Sequence[Domain], sources: Sources) -> dict[str, bytes]:
    """Return all files of a folder by path, but for the compiled overlay."""
    kernels = kernels_of(layout, domains, sources)
    ramdisk = {INITRAMFS: initramfs(root_tree(layout, sources))}
    return {**started(layout, domains, sources, kernels | ramdisk), **_by_xl(domains, "xl")}


def _by_xl(domains: Sequence[Domain], folder: str) -> dict[str, bytes]:
    return {
        f"{folder}/{domain.name}.cfg": xen.xl_configuration(domain, True).encode()
        for domain in domains
        if domain.start == "xl"
    }


def compiled(folder: Path) -> None:
    """Compile the device-tree source of a folder into OVERLAY."""
    what = f"the device-tree nodes in {folder / SOURCE} cannot be compiled"
    with replacing(folder / OVERLAY) as partial:
        words = ["dtc", "-@", "-q", "-I", "dts", "-O", "dtb", "-o", partial.name, SOURCE]
        tools.run(words, folder, what)


@dataclass
class DomainImage:
    """What domains put into an image."""

    layout: Layout
    domains: Sequence[Domain]
    sources: Sources

    @cached_property
    def _guests_ramdisk(self) -> bytes:
        return initramfs(root_tree(self.layout, self.sources))

    @cached_property
    def _loaded(self) -> dict[str, bytes]:
        """Kernels and ramdisks of the domains that Xen starts."""
        by_xen = [domain for domain in self.domains if domain.start == "xen"]
        files = kernels_of(self.layout, by_xen, self.sources)
        if any(domain.name != "dom0" for domain in by_xen):
            files[INITRAMFS] = self._guests_ramdisk
        if self._has_control and "initramfs" in self.layout.boot:
            _, kernel = self.layout.kernel(by_xen[0].kernel)
            content = self.layout.boot["initramfs"]
            files[CONTROL_INITRAMFS] = initramfs(initramfs_tree(kernel, content, self.sources))
        return files

    @property
    def _has_control(self) -> bool:
        return any(domain.name == "dom0" for domain in self.domains)

    def names(self) -> list[str]:
        """Return the domains' names."""
        return [domain.name for domain in self.domains]

    @property
    def kernel(self) -> str:
        """Return the kernel that the record names: the control domain's, else the first one's."""
        return next((d for d in self.domains if d.name == "dom0"), self.domains[0]).kernel

    def boot_sources(self) -> list[str]:
        """Return the sources of the boot partition's files."""
        by_xen = [domain for domain in self.domains if domain.start == "xen"]
        parts: list[Any] = [self.layout.boot["xen"].get("image", {}), self._kernels(by_xen)]
        if self._has_control:
            parts.append(self.layout.boot.get("initramfs", []))
        return sources_named(parts) + self._ramdisk_sources(by_xen)

    def root_sources(self) -> list[str]:
        """Return the sources of what the root partition has of the domains."""
        if not self._has_control:
            return []
        by_xl = [domain for domain in self.domains if domain.start == "xl"]
        parts = [self.layout.boot["xen"].get("content", []), self._kernels(by_xl)]
        return sources_named(parts) + self._ramdisk_sources(by_xl)

    def _kernels(self, domains: Sequence[Domain]) -> list[Any]:
        return [self.layout.kernel(domain.kernel)[1] for domain in domains]

    def _ramdisk_sources(self, domains: Sequence[Domain]) -> list[str]:
        """What the guests' root file system in memory is made of."""
        guests = any(domain.name != "dom0" for domain in domains)
        pieces = [list(p.content) for p in self.layout.partitions[1:] if p.root or p.holds_install]
        return sources_named(pieces) if guests else []

    def boot_files(self, root: str) -> dict[str, bytes]:
        """Return the files of the boot partition; `root` is what Linux calls the root partition."""
        domains = [self._control(d, root) if d.name == "dom0" else d for d in self.domains]
        files = started(self.layout, domains, self.sources, self._loaded)
        with tempfile.TemporaryDirectory(prefix="ligament-xen-") as name:
            folder = Path(name)
            (folder / SOURCE).write_bytes(files.pop(SOURCE))
            compiled(folder)
            files[OVERLAY] = (folder / OVERLAY).read_bytes()
        del files[SCRIPT_TEXT]
        return {SCRIPT: files.pop(SCRIPT)} | {f"xen/{name}": data for name, data in files.items()}

    @staticmethod
    def _control(domain: Domain, root: str) -> Domain:
        words = domain.arguments
        if not any(word.startswith("root=") for word in words.split()):
            words = f"{words} root={root} rw".strip()
        return replace(domain, arguments=words, ramdisk=CONTROL_INITRAMFS)

    def root_files(self) -> Tree:
        """Return what the control domain's root file system has of its guests; and its tools."""
        if not self._has_control:
            return Tree()
        tree = self.sources.content(self.layout.boot["xen"].get("content", ()))
        guests = [domain for domain in self.domains if domain.start == "xl"]
        files = kernels_of(self.layout, guests, self.sources)
        if guests:
            files[INITRAMFS] = self._guests_ramdisk
        placed = {f"boot/xen/{name}": data for name, data in files.items()}
        tree.add_tree(of_texts(placed | _by_xl(self.domains, "etc/xen")))
        return tree
