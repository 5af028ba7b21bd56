# SPDX-License-Identifier: Apache-2.0
"""From report.json to report.html: a template, a style sheet, scripts, and what they show.

Nothing is computed here that report.json does not say. spec/report/page.md has the rules.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from ligament import __version__
from ligament.artefacts import write_text
from ligament.draw.palette import SHARES, VARIANTS
from ligament.report.page.rows import hardware_sections, sections, summary_rows
from ligament.report.page.text import look_up, text_of
from ligament.report.terminal import remarks, time_base_remarks
from ligament.report.titles import told_apart

TEMPLATES = Path(__file__).parent / "templates"
SCRIPTS = ("charts.js", "timeline.js", "page.js")
LARGEST_PICTURE = 4_000_000


@dataclass(frozen=True)
class Extras:
    """What the page shows besides figures, by run id; and what it should show and cannot."""

    pictures: Mapping[str, str] = field(default_factory=dict)
    timelines: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    missing: tuple[str, ...] = ()


def write_page(report: Mapping[str, Any], path: Path, extras: Extras | None = None) -> None:
    """Write the page of a report."""
    write_text(path, render_page(report, extras or Extras()))


def render_page(report: Mapping[str, Any], extras: Extras) -> str:
    """The page's text; the same report and extras give the same bytes."""
    report = told_apart(report)
    script = "\n".join(_template(name) for name in SCRIPTS)
    hashed = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    runs = [variant["run_id"] for variant in report["variants"]]
    return (
        _environment()
        .get_template("page.html.j2")
        .render(
            report=report,
            version=__version__,
            policy=f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; "
            f"script-src 'sha256-{hashed}'; base-uri 'none'; form-action 'none'",
            style=Markup(_colours() + _template("page.css")),
            script=Markup(script),
            data=json_for_script(report),
            timelines=json_for_script([extras.timelines.get(run) for run in runs]),
            pictures=[Markup(extras.pictures.get(run, "")) for run in runs],
            missing=extras.missing,
            summary=summary_rows(report),
            sections=sections(report),
            hardware_sections=hardware_sections(report),
            remarks=remarks(dict(report)),
            clocks=[
                f"{variant['name']}: {sentence}."
                for variant in report["variants"]
                for sentence in time_base_remarks(variant)
            ],
            photograph=_photograph(report),
            shares=list(SHARES),
            cell=lambda path, kind: _cell(report, path, kind),
        )
    )


def json_for_script(data: Any) -> Markup:
    """JSON that may stand inside <script>: no character of it can end the element."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)


def _cell(report: Mapping[str, Any], path: str, kind: str) -> Markup:
    """A figure with its place in report.json and its unrounded value."""
    value = look_up(report, path)
    raw = json.dumps(value)
    return Markup('<span data-path="{}" data-value="{}" data-kind="{}">{}</span>').format(
        path, raw, kind, text_of(value, kind)
    )


def _photograph(report: Mapping[str, Any]) -> str | None:
    """The demo's picture as a data URI; left out where it is gone, no PNG, or very large."""
    path = report.get("picture")
    if not path:
        return None
    try:
        content = Path(path).read_bytes()
    except OSError:
        return None
    if len(content) > LARGEST_PICTURE or not content.startswith(b"\x89PNG\r\n\x1a\n"):
        return None
    return "data:image/png;base64," + base64.b64encode(content).decode()


def _colours() -> str:
    """The palette as CSS variables, light and dark."""

    def declared(which: str) -> str:
        shares = [f"--{name}:{getattr(ink, which)}" for name, ink in SHARES.items()]
        lines = [f"--v{i}:{getattr(ink, which)}" for i, ink in enumerate(VARIANTS)]
        return ";".join([*shares, *lines])

    dashes = ";".join(f"--d{i}:{ink.dash or 'none'}" for i, ink in enumerate(VARIANTS))
    return (
        f":root{{{declared('light')};{dashes}}}\n"
        f"@media(prefers-color-scheme:dark){{:root{{{declared('dark')}}}}}\n"
    )


@cache
def _environment() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        undefined=jinja2.StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )


@cache
def _template(name: str) -> str:
    return (TEMPLATES / name).read_text(encoding="utf-8")
