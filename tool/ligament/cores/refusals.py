# SPDX-License-Identifier: Apache-2.0
"""What the codes mean with which a core refuses messages: refusals files of its manifest."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import jsonschema
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from ligament.errors import InputError, Location, Problem
from ligament.resources import spec_dir


def read_refusals(files: Iterable[Path]) -> dict[int, str]:
    """Return the clause of each code; a later file's counts."""
    path = spec_dir() / "interfaces" / "refusals.schema.json"
    schema = json.loads(path.read_text(encoding="utf-8"))
    found: dict[int, str] = {}
    for file in files:
        found |= _read(file, schema)
    return dict(sorted(found.items()))


def _read(path: Path, schema: Mapping[str, Any]) -> dict[int, str]:
    try:
        data = YAML(typ="safe", pure=True).load(path.read_text(encoding="utf-8"))
    except (OSError, YAMLError) as error:
        text = f"cannot read '{path}': {error}"
        raise InputError(
            Problem("refusals-file", text, Location(str(path)), expected="a refusals file")
        ) from error
    # YAML has numbers as keys, JSON's schemas know texts only.
    codes = data.get("refusals") if isinstance(data, dict) else None
    if isinstance(codes, dict):
        data = {**data, "refusals": {str(code): clause for code, clause in codes.items()}}
    validator = jsonschema.Draft202012Validator(schema)
    problem = jsonschema.exceptions.best_match(validator.iter_errors(data))
    if problem is not None:
        raise InputError(
            Problem(
                "refusals-file",
                f"{problem.json_path}: {problem.message}",
                Location(str(path)),
                expected="what refusals.schema.json describes",
            )
        )
    return {int(code): clause for code, clause in data["refusals"].items()}
