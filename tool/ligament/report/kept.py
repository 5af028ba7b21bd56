# SPDX-License-Identifier: Apache-2.0
"""A report of runs that were reported before is not worked out again.

It depends on nothing but the runs' folders, what was built for them, the options and the tool's own
code: a change of any of these files is another report. What reads and counts events (DuckDB, numpy)
is then not even imported.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ligament import cache
from ligament.report.options import ReportOptions

KIND = "reports"


def report_of(paths: list[Path], options: ReportOptions) -> dict[str, Any]:
    """As `make_report`, from the cache where it is there."""
    kept = cache.get(KIND, _key(paths, options))
    if isinstance(kept, dict):
        return kept
    from ligament.report.stage import make_report  # noqa: PLC0415 - slow to import

    made = make_report(paths, options)
    # Made anew: recordings may have been converted only now.
    cache.put(KIND, _key(paths, options), made)
    return made


def _key(paths: list[Path], options: ReportOptions) -> str:
    files = sorted({file for path in paths for file in _inputs(path)})
    own = sorted(Path(__file__).parent.parent.rglob("*.py"))
    texts = [str(path.absolute()) for path in paths]  # in their order: the first is the reference
    given = [options.expected] if options.expected and options.expected.is_file() else []
    sql = sorted(Path(__file__).parent.glob("*.sql"))
    return cache.key(cache.fingerprint([*own, *sql, *files, *given]), repr(options), *texts)


def _inputs(path: Path) -> Iterator[Path]:
    """The files of a run, without reports of it, and those that say what was built for it."""
    folder = (path.parent if path.is_file() else path).absolute()
    for file in folder.rglob("*"):
        if file.is_file() and not file.name.startswith(("report.", ".")):
            yield file
    yield from (file for file in folder.parent.parent.glob("*.json") if file.is_file())
