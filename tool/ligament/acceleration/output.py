# SPDX-License-Identifier: Apache-2.0
"""What several verbs print."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from ligament.acceleration.manifest import Platform
from ligament.artefacts import json_text


def print_json(data: Mapping[str, Any]) -> None:
    """Print a verb's result on stdout."""
    sys.stdout.write(json_text({"schema": "ligament/acceleration/1", **data}))


def missing_files(platform: Platform) -> list[dict[str, str]]:
    """Return the files that the user has yet to bring: where each goes, from where, for what."""
    return [
        {"file": str(platform.files / entry["file"]), "from": entry["from"], "for": entry["for"]}
        for entry in platform.document.get("vendor_files", ())
        if platform.find(entry["file"]) is None
    ]
