# SPDX-License-Identifier: Apache-2.0
"""What `boot:` of a platform says of its image, checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

from ligament.acceleration.images.sources import INSTALL
from ligament.acceleration.manifest import Platform
from ligament.errors import InputError, Problem, listing, no_such


@dataclass(frozen=True)
class Partition:
    """One partition; `bytes` is 0 where it follows from the content."""

    name: str
    kind: Literal["fat", "ext4"]
    bytes: int
    root: bool
    esp: bool
    content: Sequence[Mapping[str, Any]]

    @property
    def holds_install(self) -> bool:
        """Return whether the workspace's install tree lies in it."""
        return any(piece.get("from") == INSTALL for piece in self.content)


@dataclass(frozen=True)
class Layout:
    """The image of a platform."""

    platform: Platform
    boot: Mapping[str, Any]
    partitions: tuple[Partition, ...]

    @property
    def table(self) -> Literal["gpt", "mbr"]:
        """Return the kind of partition table."""
        return cast("Literal['gpt', 'mbr']", self.boot["image"].get("table", "gpt"))

    @property
    def root(self) -> Partition | None:
        """Return the root partition, if it has one."""
        return next((p for p in self.partitions if p.root), None)

    def kernel(self, name: str | None) -> tuple[str, Mapping[str, Any]]:
        """Return a kernel by name; None: the first. Raise InputError for an unknown one."""
        kernels = self.boot["kernels"]
        name = name or next(iter(kernels))
        if name not in kernels:
            at = self.platform.at("boot", "kernels")
            text = f"the platform '{self.platform.name}' has no kernel '{name}'"
            raise InputError(no_such("boot-kernel", text, name, kernels, at))
        return name, kernels[name]

    def partition(self, name: str) -> Partition:
        """Return a partition by name; raise InputError for an unknown one."""
        known = {p.name: p for p in self.partitions}
        if name not in known:
            text = f"the image of '{self.platform.name}' has no partition '{name}'"
            raise InputError(no_such("boot-partition", text, name, known))
        return known[name]


def boot_of(platform: Platform) -> Mapping[str, Any]:
    """Return what a platform says about booting; raise InputError if it says nothing."""
    found = platform.document.get("boot")
    if found is None:
        text = f"the platform '{platform.name}' does not say what it boots"
        hint = "take a platform with `boot:` (qemu-arm64), or add it (spec/platform/images.md)"
        raise InputError(Problem("boot-missing", text, platform.at(), hint=hint))
    return cast("Mapping[str, Any]", found)


def layout_of(platform: Platform) -> Layout:
    """Return the layout of a platform's image; raise InputError with all that is wrong in it."""
    boot = boot_of(platform)
    partitions = tuple(
        Partition(p["name"], p["kind"], p.get("bytes", 0), p.get("root", False),
                  p.get("esp", False), p.get("content", ()))
        for p in boot["image"]["partitions"]
    )  # fmt: skip
    faults = [*_faults(partitions, boot["image"]), *_unknown_sources(boot)]
    if faults:
        at = platform.at("boot", "image", "partitions")
        raise InputError([Problem(code, text, at, expected) for code, text, expected in faults])
    return Layout(platform, boot, partitions)


def _faults(
    partitions: Sequence[Partition], image: Mapping[str, Any]
) -> list[tuple[str, str, str]]:
    faults: list[tuple[str, str, str]] = []
    names = [p.name for p in partitions]
    if len(set(names)) < len(names):
        faults.append(("boot-partition", f"two partitions have one name: {listing(names)}", ""))
    if partitions[0].kind != "fat":
        text = (
            f"the first partition '{names[0]}' is {partitions[0].kind}, but boot loaders read FAT"
        )
        faults.append(("boot-partition", text, "kind: fat"))
    roots = [p for p in partitions if p.root]
    if len(roots) > 1 or any(p.kind != "ext4" for p in roots):
        text = "the root file system is one partition of kind ext4"
        faults.append(("boot-root", text, "one partition with root: true"))
    if image.get("table") == "mbr" and len(partitions) > 4:
        faults.append(("boot-table", f"an MBR has no room for {len(partitions)} partitions", "4"))
    return faults


def _unknown_sources(boot: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    known = [*boot["sources"], INSTALL]
    unknown = sorted({name for name in sources_named(boot) if name not in known})
    return [("boot-source", f"there is no source '{n}'", listing(known)) for n in unknown]


def sources_named(value: Any) -> list[str]:
    """Return the sources that a part of `boot:` names: all that a `from` names."""
    if isinstance(value, Mapping):
        here = [value["from"]] if isinstance(value.get("from"), str) else []
        return here + [name for v in value.values() for name in sources_named(v)]
    if isinstance(value, list):
        return [name for v in value for name in sources_named(v)]
    return []
