# SPDX-License-Identifier: Apache-2.0
"""A plugin of pytest that makes a trial short: the tests that can notice a fault, cheapest first.

A run without a fault records which functions each test calls and how long the files take. A trial
runs the files that call the function with the fault or start a process, which may call it. If
none does, or the fault is in no function, all run. What is missed is a function whose result was
kept from another file's test: its fault counts as survived, so no share becomes too good.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from types import CodeType
from typing import Any

import pytest

from mutation import CALLS, FAULT

_seconds: defaultdict[str, float] = defaultdict(float)
_callers: defaultdict[str, set[str]] = defaultdict(set)
_STARTS = subprocess.Popen.__init__.__code__
PROCESS = "a process"


def _records() -> bool:
    return CALLS in os.environ and FAULT not in os.environ


def _file_of(nodeid: str) -> str:
    return nodeid.partition("::")[0]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[Any]:
    """Note what a test calls, its fixtures included."""
    called: set[CodeType] = set()

    def note(frame: Any, event: str, _: object) -> None:
        if event == "call":
            called.add(frame.f_code)

    if not _records():
        return (yield)
    sys.setprofile(note)
    try:
        return (yield)
    finally:
        sys.setprofile(None)
        root = f"{Path.cwd()}/"
        for code in called:
            if code is _STARTS:
                _callers[PROCESS].add(item.nodeid)
            elif code.co_filename.startswith(root):
                place = f"{code.co_filename.removeprefix(root)}:{code.co_firstlineno}"
                _callers[place].add(item.nodeid)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Add a test's time, with that of its fixtures, to its file's."""
    _seconds[_file_of(report.nodeid)] += report.duration


def pytest_sessionfinish(exitstatus: int) -> None:
    """Keep what a run without a fault found, and which packages it imported."""
    if _records() and exitstatus == 0:
        found = {
            "seconds": _seconds,
            "callers": {place: sorted(tests) for place, tests in _callers.items()},
            "modules": [n for n, m in sys.modules.items()
                        if "site-packages" in str(getattr(m, "__file__", "")) and "." not in n],
        }  # fmt: skip
        Path(os.environ[CALLS]).write_text(json.dumps(found))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Choose the files of a trial, and order its tests: first those that call the function."""
    kept = Path(os.environ.get(CALLS, ""))
    if _records() or not kept.is_file():
        return
    known = json.loads(kept.read_text())
    callers = set(known["callers"].get(os.environ[FAULT], ()))
    wanted = {_file_of(test) for test in callers.union(known["callers"].get(PROCESS, ()))}
    files = {_file_of(test) for test in callers}

    def cost(item: pytest.Item) -> tuple[bool, bool, float]:
        file = _file_of(item.nodeid)
        return item.nodeid not in callers, file not in files, known["seconds"].get(file, 0.0)

    items[:] = [i for i in items if not callers or _file_of(i.nodeid) in wanted]
    items.sort(key=cost)
