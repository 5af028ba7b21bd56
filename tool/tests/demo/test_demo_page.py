# SPDX-License-Identifier: Apache-2.0
"""The demo names its page, and opens it only where somebody can see it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ligament.cli import demo as verb
from ligament.cli.main import main
from ligament.demo.demo import Demonstrated


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch, made: Demonstrated) -> list[str]:
    """The demo as if it had run; what was opened."""
    uris: list[str] = []
    monkeypatch.setattr(verb, "demonstrate", lambda options, say, early: made)
    monkeypatch.setattr("webbrowser.open", lambda uri: uris.append(uri) is None)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    return uris


@pytest.mark.parametrize(
    ("display", "words", "opens"),
    [("", [], False), (":0", [], True), (":0", ["--no-open"], False), (":0", ["--json"], False)],
)
def test_the_page_is_opened_where_there_is_a_display(
    opened: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path,
    capsys: pytest.CaptureFixture[str], display: str, words: list[str], opens: bool,
) -> None:  # fmt: skip
    monkeypatch.setenv("DISPLAY", display)
    assert main(["demo", *words]) == 0
    assert opened == ([(tmp_path / "r.html").as_uri()] if opens else [])
    printed = capsys.readouterr().out
    assert ("--json" in words) or "Page:    r.html" in printed
