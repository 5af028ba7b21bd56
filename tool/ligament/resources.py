# SPDX-License-Identifier: Apache-2.0
"""Where the things that ship with the tool are: schemas, node packages, platforms, the runtime.

Each is looked for in the repository that an editable installation points into, then where an
installation puts it. `_spec`, `_nodes`, `_platforms`, `_hdl`, `_hls`, `_firmware` beside this file
are links into the repository, which a built package holds as copies. A missing one is an error that
says what was looked for, never a guess.
"""

from __future__ import annotations

import sys
from pathlib import Path

from ligament.errors import FailureError

_PACKAGE = Path(__file__).resolve().parent
_REPOSITORY = _PACKAGE.parent.parent


def spec_dir() -> Path:
    """Return the folder of the contracts."""
    return _first("the schemas", [_REPOSITORY / "spec", _PACKAGE / "_spec"])


def prefix() -> Path:
    """Return the prefix that the runtime is installed into: that of this Python."""
    return Path(sys.prefix)


def node_packages_dir() -> Path:
    """Return the folder of Ligament's own node packages."""
    shared = prefix() / "share" / "ligament" / "nodes"
    return _first("the node packages", [_REPOSITORY / "nodes", shared, _PACKAGE / "_nodes"])


def examples_dir() -> Path:
    """Return the folder of the graphs that ship."""
    installed = prefix() / "share" / "ligament_examples" / "ligament"
    return _first("the examples", [_REPOSITORY / "examples", installed])


def photographs_dir() -> Path | None:
    """Return the folder of the camera frames that an installation has with it; None: it has none.

    They are left01.jpg to left14.jpg, and left_intrinsics.yml of the camera that made them.
    """
    folder = prefix() / "share" / "ligament" / "photographs"
    return folder if folder.is_dir() else None


def platforms_dir() -> Path:
    """Return the folder of the platform descriptions."""
    shared = prefix() / "share" / "ligament" / "platforms"
    return _first("the platforms", [_REPOSITORY / "platforms", shared, _PACKAGE / "_platforms"])


def hdl_dir() -> Path:
    """Return the folder of the stream IP in SystemVerilog."""
    shared = prefix() / "share" / "ligament" / "hdl"
    return _first("the stream IP", [_REPOSITORY / "hdl" / "rtl", shared, _PACKAGE / "_hdl"])


def hls_dir() -> Path:
    """Return the folder of what the HLS C++ of messages is made of."""
    shared = prefix() / "share" / "ligament" / "hls"
    return _first("the HLS headers", [_REPOSITORY / "hdl" / "hls", shared, _PACKAGE / "_hls"])


def firmware_dir() -> Path:
    """Return the folder of what firmware images are made of."""
    shared = prefix() / "share" / "ligament" / "firmware"
    candidates = [_REPOSITORY / "firmware", shared, _PACKAGE / "_firmware"]
    return _first("the firmware sources", candidates)


def _first(what: str, candidates: list[Path]) -> Path:
    for folder in candidates:
        if folder.is_dir():
            return folder
    looked = " and ".join(str(c) for c in candidates)
    raise FailureError(
        f"{what} that ship with ligament are missing; looked in {looked}",
        hint="reinstall the package (pip install ligament)",
    )
