# SPDX-License-Identifier: Apache-2.0
"""A report's page with what lies beside its runs: mappings and event tables."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import duckdb

from ligament.report.page.pictures import draw_variant
from ligament.report.page.render import Extras, write_page
from ligament.report.page.timeline import read_timeline


def make_page(report: Mapping[str, Any], path: Path) -> Path:
    """Write report.html; what is no longer there is left out, and the page says so."""
    write_page(report, path, gather(report))
    return path


def gather(report: Mapping[str, Any]) -> Extras:
    """Pictures and timelines of all variants."""
    pictures: dict[str, str] = {}
    timelines: dict[str, Mapping[str, Any]] = {}
    missing: list[str] = []
    for variant in report["variants"]:
        run = variant["run_id"]
        pictures[run] = draw_variant(report["graph"], variant)
        table = Path(variant["run_dir"]) / "events.parquet"
        try:
            timeline = read_timeline(table) if table.is_file() else None
        except duckdb.Error as error:
            timeline = None
            missing.append(f"{variant['name']}: no timeline: {table} cannot be read ({error})")
        if timeline is not None:
            timelines[run] = timeline
    return Extras(pictures, timelines, tuple(missing))
