# SPDX-License-Identifier: Apache-2.0
"""Boards of the published directory convention: files with fixed names, and no manifest.

What they say is put in the fields of platform.yaml; what they do not say is listed.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ligament.errors import InputError, Problem

#: What makes a folder a board.
MARKS = ("BOARD", "SOC", "shell.json", "platform")
_TEXT_BYTES = 4096
_VITIS: dict[str, Any] = {
    "description": "High-level synthesis and linking of kernels.",
    "get": "AMD's installer of Vitis; source its settings64.sh",
    "programs": {"vitis_hls": {"arguments": ["-version"]}, "v++": {}},
}


def is_board(folder: Path) -> bool:
    """Return whether a folder is a board of the convention."""
    return any((folder / mark).exists() for mark in MARKS)


def read_board(name: str, folder: Path) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return what the files say, in the fields of platform.yaml, and what they do not say."""
    if not is_board(folder):
        raise InputError(
            Problem(
                "platform-empty",
                f"{folder} is no platform",
                expected="a platform.yaml in it, or BOARD and SOC of the published convention",
                hint="`ligament new platform FOLDER` writes one",
            )
        )
    board, soc = _line(folder / "BOARD"), _line(folder / "SOC")
    shell = _shell(folder / "shell.json")
    lacks = [mark for mark, value in (("BOARD", board), ("SOC", soc)) if not value]
    if not extensible_platforms(folder):
        lacks.append("platform/*.xpfm")
    document: dict[str, Any] = {"name": name, "board": {"name": board or name, "soc": soc}}
    if shell:
        document["shell"] = shell
    if extensible_platforms(folder):
        document["toolchains"] = {"vitis": _VITIS}
    return document, (*lacks, "devices")


def extensible_platforms(folder: Path) -> list[Path]:
    """Return the vendor's platform files, sorted."""
    return sorted((folder / "platform").rglob("*.xpfm"))


def _line(path: Path) -> str:
    """Return the first line of a text; empty where there is none."""
    if not path.is_file():
        return ""
    with path.open("rb") as stream:
        text = stream.read(_TEXT_BYTES)
    try:
        return text.decode("utf-8").partition("\n")[0].strip()
    except UnicodeDecodeError as error:
        said = f"'{path}' is no UTF-8 text (byte {error.start})"
        raise InputError(
            Problem("file-unreadable", said, expected="one line: the name of the board or chip")
        ) from error


def _shell(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        text = f"'{path}' is no JSON: {error}"
        raise InputError(
            Problem("platform-shell", text, expected='{"shell_type": ..., "num_slots": ...}')
        ) from error
    return data if isinstance(data, dict) else {}
