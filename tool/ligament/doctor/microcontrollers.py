# SPDX-License-Identifier: Apache-2.0
"""Probes of what firmware is made with, and of what its core is emulated by."""

from __future__ import annotations

import json
import os
from pathlib import Path

from ligament import resources
from ligament.build.images import COMPILER, has_c_library
from ligament.programs import asked


def c_library() -> str | None:
    """newlib, as the cross compiler finds it: where it is."""
    done = asked([COMPILER, "-print-file-name=nano.specs"], timeout_s=20)
    if done is None or not has_c_library():
        return None
    return str(Path(done.stdout.strip()).resolve().parent)


def freertos() -> str | None:
    """FreeRTOS's kernel, as firmware/cmake/freertos.cmake looks for it: its folder."""
    own = os.environ.get("LIGAMENT_FREERTOS")
    if own:
        return own if (Path(own) / "tasks.c").is_file() else None
    manifest = resources.firmware_dir() / "os" / "freertos" / "Cargo.toml"
    words = ["metadata", "--offline", "--locked", "--format-version", "1"]
    done = asked(["cargo", *words, "--manifest-path", str(manifest)], timeout_s=60)
    if done is None or done.returncode != 0:
        return None
    packages = json.loads(done.stdout)["packages"]
    folders = [Path(p["manifest_path"]).parent for p in packages if p["name"] == "freertos-next"]
    return str(folders[0] / "FreeRTOS-Kernel") if folders else None
