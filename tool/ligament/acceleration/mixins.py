# SPDX-License-Identifier: Apache-2.0
"""A mixin per platform: colcon's arguments that build a workspace for it.

Folders of their own for what is built and installed, the cross compiler where the platform names
one, and the platform of `ligament_add_graph`. The file lies in the workspace, in
acceleration/firmware/NAME/mixin/: colcon-mixin reads it from COLCON_MIXIN_PATH, so that nothing is
registered for the user.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ligament.acceleration.manifest import MANIFEST, Platform


def mixin_path(platform: Platform) -> Path:
    """Return where the platform's mixin lies."""
    return platform.files / "mixin" / f"{platform.name}.mixin"


def build_options(platform: Platform) -> dict[str, Any]:
    """Return the options of `colcon build`, by name."""
    return {
        "build-base": f"build-{platform.name}",
        "install-base": f"install-{platform.name}",
        "merge-install": True,
        "cmake-args": cmake_arguments(platform),
    }


def mixin_document(platform: Platform) -> dict[str, Any]:
    """Return what the mixin's file holds, in colcon's form: verb, name, options."""
    return {"build": {platform.name: build_options(platform)}}


def command_words(platform: Platform) -> list[str]:
    """Return the same options as arguments, for a colcon without mixins."""
    options = build_options(platform)
    cmake = options.pop("cmake-args")
    words = []
    for name, value in options.items():
        words += [f"--{name}"] if value is True else [f"--{name}", str(value)]
    return [*words, "--cmake-args", *cmake]


def cmake_arguments(platform: Platform) -> list[str]:
    """Return CMake's arguments: the platform, and the cross compiler where it names one."""
    named = platform.name
    if platform.origin == "workspace":
        named = str((platform.folder / MANIFEST).absolute())
    return [f"-DLIGAMENT_PLATFORM={named}", *_cross(platform)]


def _cross(platform: Platform) -> list[str]:
    toolchains = platform.document.get("toolchains", {}).values()
    cross = next((t["cross"] for t in toolchains if "cross" in t), None)
    if cross is None:
        return []
    prefix = cross["prefix"]
    words = [
        "-DCMAKE_SYSTEM_NAME=Linux",
        f"-DCMAKE_SYSTEM_PROCESSOR={cross['processor']}",
        f"-DCMAKE_C_COMPILER={prefix}gcc",
        f"-DCMAKE_CXX_COMPILER={prefix}g++",
        # Programs that run while building are this machine's; libraries and headers the target's.
        "-DCMAKE_FIND_ROOT_PATH_MODE_PROGRAM=NEVER",
    ]
    if "sysroot" in cross:
        words.append(f"-DCMAKE_SYSROOT={platform.file(cross['sysroot']).absolute()}")
        words += [f"-DCMAKE_FIND_ROOT_PATH_MODE_{what}=ONLY" for what in ("LIBRARY", "INCLUDE")]
    return words
