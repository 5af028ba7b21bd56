# SPDX-License-Identifier: Apache-2.0
"""What the verbs that work on images have in common: their places in a workspace, and options."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ligament.acceleration.images.build import Plan, require_tools, write
from ligament.acceleration.images.layout import Layout, layout_of
from ligament.acceleration.images.sources import Sources
from ligament.acceleration.manifest import Platform
from ligament.acceleration.output import print_json
from ligament.acceleration.workspace import Workspace
from ligament.disk import as_no_room
from ligament.errors import FailureError, InputError, Problem

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
_MIB = 1 << 20


def add_platform(parser: argparse.ArgumentParser) -> None:
    """The platform, where it is not the selected one."""
    parser.add_argument(
        "--platform", metavar="NAME", help="a platform that `list` shows; default: the selected one"
    )


def add_image(parser: argparse.ArgumentParser, help_text: str) -> None:
    """The path of an image."""
    default = "acceleration/images/PLATFORM.img of the workspace"
    parser.add_argument(
        "--image", "--output", dest="image", type=Path, metavar="FILE",
        help=f"{help_text}; default: {default}",
    )  # fmt: skip


def add_sources(parser: argparse.ArgumentParser) -> None:
    """What an image is made of."""
    parser.add_argument(
        "--install-dir", type=Path, metavar="FOLDER",
        help="the install tree to put in; default: install/ of the workspace, if it is there",
    )  # fmt: skip
    parser.add_argument(
        "--update", action="store_true",
        help="choose packages anew, by fresh lists; else those of the last time are used",
    )  # fmt: skip


def platform_of(arguments: argparse.Namespace, workspace: Workspace) -> Platform:
    """Return the platform that is meant."""
    name: str | None = arguments.platform
    return workspace.platform(name) if name else workspace.selected()


def layout_in(arguments: argparse.Namespace, workspace: Workspace) -> Layout:
    """Return the layout of the platform that is meant."""
    return layout_of(platform_of(arguments, workspace))


def image_path(arguments: argparse.Namespace, workspace: Workspace, platform: Platform) -> Path:
    """Return the path of the image that is meant; its folder need not be there."""
    default = workspace.root / "acceleration" / "images" / f"{platform.name}.img"
    path: Path = arguments.image or default
    if path.exists() and not path.is_file() and not path.is_dir():
        text = f"{path} is no file: an image that is replaced would be lost to its device"
        hint = "write the image to a file, then copy that onto the device"
        raise InputError(Problem("image-path", text, expected="the path of an image", hint=hint))
    if path.is_dir():
        raise InputError(
            Problem("image-path", f"{path} is a folder", expected="the path of an image")
        )
    if arguments.image and not path.parent.is_dir():
        raise InputError(Problem("image-path", f"there is no folder {path.parent}"))
    return path


def cache_of(workspace: Workspace) -> Path:
    """Return the folder of a workspace for what is fetched and unpacked."""
    return workspace.root / "acceleration" / "cache"


def sources_of(
    arguments: argparse.Namespace, workspace: Workspace, platform: Platform,
    install: Path | None = None,
) -> Sources:  # fmt: skip
    """Return the sources of a platform's images, with the install tree that is meant."""
    install = install or getattr(arguments, "install_dir", None)
    if install is not None and not install.is_dir():
        text = f"there is no install tree {install}"
        raise InputError(Problem("image-install", text, hint="`colcon build` makes one"))
    if install is None and (workspace.root / "install").is_dir():
        install = workspace.root / "install"
    update = getattr(arguments, "update", False)
    return Sources(platform, cache_of(workspace), install, update=update)


def size_of(text: str) -> int:
    """Return a size such as 512M in bytes, a multiple of 1 MiB; raise InputError for others."""
    found = re.fullmatch(r"([0-9]+)([KMG]?)(i?B)?", text)
    size = int(found[1]) * _UNITS[found[2]] if found else 0
    if size <= 0 or size % _MIB or size >= 1 << 50:
        expected = "a multiple of 1 MiB, such as 512M or 4G"
        raise InputError(Problem("image-size", f"'{text}' is no size", expected=expected))
    return size


@contextmanager
def written(path: Path) -> Iterator[None]:
    """Raise FailureError for what may not be written in here."""
    try:
        yield
    except OSError as error:
        if as_no_room(error) is not None:
            raise
        where = error.filename or path
        text = f"cannot write {where}: {error.strerror}; nothing was changed"
        raise FailureError(text) from error


def carry_out(plan: Plan, output: Path, arguments: argparse.Namespace) -> int:
    """Write an image, or with --dry-run only tell; print what was done."""
    if not arguments.dry_run:
        with written(output):
            output.parent.mkdir(parents=True, exist_ok=True)
            write(plan, output)
    told: dict[str, Any] = {
        "image": str(output),
        "changed": not arguments.dry_run,
        **plan.to_json(),
    }
    if arguments.json:
        print_json(told)
        return 0
    print(
        f"{'would write' if arguments.dry_run else 'wrote'} {output} ({plan.table.size >> 20} MiB)"
    )
    print(f"  kernel {plan.kernel}")
    for part in told["partitions"]:
        size = f"{part['bytes'] / _MIB:g} MiB"
        print(f"  {part['name']:12} {part['kind']:5} {size:>10}  {part['action']}")
    return 0


__all__ = [
    "add_image", "add_platform", "add_sources", "cache_of", "carry_out", "image_path", "layout_in",
    "platform_of", "require_tools", "size_of", "sources_of",
    "written",
]  # fmt: skip
