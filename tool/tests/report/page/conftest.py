# SPDX-License-Identifier: Apache-2.0
"""A browser and made-up reports for the tests of the page."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from browser import Browser, find_browser
from many_frames import many_frames

from ligament.report.options import ReportOptions
from ligament.report.stage import make_report

MakeRun = Callable[..., Path]


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """One headless browser for all tests."""
    if find_browser() is None:
        pytest.skip("no browser is installed: apt-get install chromium-headless-shell")
    started = Browser(tmp_path_factory.mktemp("profile"))
    yield started
    started.close()


@pytest.fixture(scope="session")
def lasting_report(make_lasting_run: MakeRun) -> dict[str, Any]:
    """A report of two variants, made once."""
    runs = [make_lasting_run(many_frames(), "one"), make_lasting_run(many_frames(35), "two")]
    return make_report(runs, ReportOptions(warm_up=5))


@pytest.fixture
def two_variants(lasting_report: dict[str, Any]) -> dict[str, Any]:
    """The report of two variants, to be changed at will; the runs behind it must not be."""
    return copy.deepcopy(lasting_report)
