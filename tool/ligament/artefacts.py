# SPDX-License-Identifier: Apache-2.0
"""Where each stage's artefact lies, and how it is written.

build/<graph>/graph.json                      describe
build/<graph>/<variant>/mapping.json          map
build/<graph>/<variant>/{gen,lib,build.json}  generate, build
build/<graph>/<variant>/runs/<run_id>/        run, trace, report
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ligament.disk import replacing
from ligament.errors import FailureError

DEFAULT_OUT = Path("build")


def graph_folder(graph: str, out: Path | None = None) -> Path:
    """Return the folder of all artefacts of a graph."""
    return (out or DEFAULT_OUT) / graph


def variant_folder(graph: str, variant: str, out: Path | None = None) -> Path:
    """Return the folder of the artefacts of one variant of a graph."""
    return graph_folder(graph, out) / variant


def json_text(data: Mapping[str, Any]) -> str:
    """Return an artefact's text: keys in their given order, a final newline."""
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def write_json(path: Path, data: Mapping[str, Any]) -> bool:
    """Write an artefact if its content changed (rebuilds stay quiet); return whether it did."""
    return write_text(path, json_text(data))


def read_json_object(path: Path) -> dict[str, Any]:
    """Return an artefact of ours; empty where it is missing or is none."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return data if isinstance(data, dict) else {}


def write_text(path: Path, text: str) -> bool:
    """Write a file if its content changed; return whether it did."""
    content = text.encode()
    try:
        if path.is_file() and path.read_bytes() == content:
            return False
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path, len(content)) as partial:
            partial.write_bytes(content)
    except OSError as error:
        raise FailureError(
            f"cannot write {path}: {error.strerror}", hint="choose another folder with --out"
        ) from error
    return True


def read_json(path: Path, hint: str) -> dict[str, Any]:
    """Return what an earlier stage wrote; `hint` says how to have it written."""
    try:
        data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise FailureError(f"cannot read {path}: {error}", hint=hint) from error
    return data
