# SPDX-License-Identifier: Apache-2.0
"""What the runtime's tests are made of and tests here use: programs, libraries."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]


def find_helper(name: str) -> Path:
    """That of build/runtime under `dev/test`, which built it; else the newest."""
    return _find(f"tests/{name}")


def find_program(name: str) -> Path:
    """The same of a program that is installed, as it was built."""
    return _find(name)


def _find(name: str) -> Path:
    folder = "runtime" if os.environ.get("LIGAMENT_TEST_REQUIRE_ALL") == "1" else "*"
    found = list((REPOSITORY / "build").glob(f"{folder}/{name}"))
    if not found:
        pytest.skip(f"build/*/{name} is missing: build the runtime with its tests")
    return max(found, key=lambda path: path.stat().st_mtime)
