# SPDX-License-Identifier: Apache-2.0
"""What the tests of the demo share."""

from __future__ import annotations

from pathlib import Path

import pytest

from ligament.demo.demo import Demonstrated


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Demonstrated:
    """What a demo makes, in an empty folder, which is this process's."""
    monkeypatch.chdir(tmp_path)
    told = {"graph": "g", "variants": [], "picture": "p.png"}
    return Demonstrated(told, tmp_path / "report.json", tmp_path / "r.html")
