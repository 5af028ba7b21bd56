# SPDX-License-Identifier: Apache-2.0
"""The gallery: pages of `ligament report --html` from runs on this machine.

What `make demo` and the like left in build/ is taken; where nothing is, one small run is made.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

PAGE = "docs/gallery.md"
SCHEMA = "ligament/report/2"
GRAPH = "examples/perception"
VARIANTS = ("processes", "one_process")
#: Below the repository, and named so: a report says where its runs are, and the site is for others.
OUT = Path("build/site-run")


def reports_in(build: Path) -> list[Path]:
    """The pages of reports that lie in a build folder, each beside its report.json."""
    found = []
    for path in sorted(build.glob("*/report.html")):
        if is_report(path.with_suffix(".json")):
            found.append(path)
        else:
            print(f"site: left out of the gallery: {path}: no {SCHEMA} is beside it")
    return found


def is_report(path: Path) -> bool:
    """Whether a file is a report.json of this version."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(data, dict) and data.get("schema") == SCHEMA


def make_report(root: Path) -> Path | None:
    """Run the demo's graph in two variants, and report; None where that does not work here."""
    tool = [sys.executable, "-m", "ligament.cli.main"]
    for variant in VARIANTS:
        words = ["run", GRAPH, "--variant", variant, "--trace", "--out", str(OUT)]
        if not _ran([*tool, *words], root):
            return None
    made = OUT / "perception"
    runs = [max((root / made / variant / "runs").iterdir()) for variant in VARIANTS]
    page = made / "report.html"
    words = ["--html", str(page), "--out", str(page.with_suffix(".json"))]
    given = [str(run.relative_to(root)) for run in runs]
    return root / page if _ran([*tool, "report", *given, *words], root) else None


def _ran(command: list[str], root: Path) -> bool:
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines()
        print(f"site: no report for the gallery: {' '.join(command[3:6])}: {said[:1]}")
    return done.returncode == 0


def gallery(reports: Iterable[Path], folder: Path) -> str:
    """The gallery's page; copies the reports into a folder beside it."""
    parts = [
        "# Reports", "",
        "*For robot developers: after this page you know what a report looks like.*", "",
        "`ligament report RUN... --html FILE` writes such a page: one file, which loads nothing. "
        "[How to read it](how-to/report.md). These are of runs on the machine that built this "
        "site; another machine gives other figures.",
    ]  # fmt: skip
    names: list[str] = []
    for report in reports:
        name = f"{report.parent.name}-{len(names)}.html"
        names.append(name)
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(report, folder / name)
        parts += _entry(json.loads(report.with_suffix(".json").read_text("utf-8")), name)
    if not names:
        parts += ["", "No run was at hand when this site was built: `make demo` makes some."]
    return "\n".join(parts) + "\n"


def _entry(report: dict[str, Any], name: str) -> list[str]:
    machine = report.get("context", {}).get("machine", {})
    rows = [
        f"| {one['name']} | {one['frames']} | {one['latency_ns']['p50'] / 1000:.0f} us "
        f"| {100 * one['message_passing']:.1f} % |"
        for one in report["variants"]
    ]
    return [
        "", f"## {report['graph']}", "",
        f"{len(rows)} variants on {machine.get('cpu', 'an unknown processor')}, "
        f"{machine.get('cores', '?')} cores.", "",
        "| variant | messages | latency (median) | message passing (mean share) |",
        "|---|---|---|---|", *rows, "",
        f'<a href="reports/{name}">The whole page</a>', "",
        f'<iframe class="report" src="reports/{name}" loading="lazy" '
        f'title="Report of {report["graph"]}"></iframe>',
    ]  # fmt: skip
