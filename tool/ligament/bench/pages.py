# SPDX-License-Identifier: Apache-2.0
"""`ligament bench pages`: the figures of benchmarks/*/README.md, from the result files.

What lies between the two marks of a page is written here and nowhere else: tables, with machine,
day and command of each result, and a picture. A test fails where a page is not current.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ligament.artefacts import write_text
from ligament.bench import endurance
from ligament.bench.framework import BENCHES
from ligament.bench.goals import (
    LEAST_PASSES,
    MISSED,
    REACHED,
    UNDECIDED,
    Figures,
    Line,
    lines_of,
)
from ligament.bench.picture import overview_of, picture_of
from ligament.bench.values import value_text
from ligament.errors import FailureError

ROOT = Path(__file__).resolve().parents[3] / "benchmarks"
BEGIN, END = "<!-- figures: ligament bench pages writes this -->", "<!-- /figures -->"
PICTURE = "figures.svg"
HEADINGS = ("what is measured", "ours", "best peer", "floor", "goal", "")
OPEN_HEADINGS = ("bench", *HEADINGS, "result", "why")
TOTALS = ("bench", "question", "reached", "not decided", "missed", "measured")


@dataclass(frozen=True)
class Section:
    """A result file and what it shows."""

    name: str
    of: str
    context: Mapping[str, Any]
    lines: Sequence[Line]
    is_apart: bool = False


@dataclass(frozen=True)
class Page:
    """A bench's page."""

    name: str
    question: str
    sections: Sequence[Section]
    #: Result files of this bench that nothing is shown of.
    older: Sequence[str]
    #: What its lines' words mean.
    words: Mapping[str, str]

    @property
    def judged(self) -> list[tuple[Section, list[Line]]]:
        """Its goals, each in the first of the results that has it, and those apart."""
        seen: set[tuple[str, int]] = set()
        found = []
        for section in self.sections:
            own = [line for line in section.lines if line.limit is not None]
            if not section.is_apart:
                own = [line for line in own if _key(line) not in seen]
                seen |= {_key(line) for line in own}
            found.append((section, own))
        return found

    @property
    def goals(self) -> list[Line]:
        """All of them."""
        return [line for _, lines in self.judged for line in lines]


def _key(line: Line) -> tuple[str, int]:
    return line.what, id(line.goal)


def write_pages(root: Path = ROOT) -> list[Path]:
    """Write all pages and pictures; those that changed."""
    return [path for path, text in texts_of(root).items() if write_text(path, text)]


def stale_pages(root: Path = ROOT) -> list[Path]:
    """Those that are not what they would be written as."""
    return [
        path
        for path, text in texts_of(root).items()
        if not path.is_file() or path.read_text(encoding="utf-8") != text
    ]


def texts_of(root: Path) -> dict[Path, str]:
    """All pages and pictures."""
    if not (root / "results").is_dir():
        raise FailureError(
            f"the results are missing: {root / 'results'} is not there",
            hint="pages are written in a checkout of the repository only",
        )
    pages = [
        _page(root, bench.name, bench.question, bench.figures(), _result)
        for bench in BENCHES
        if bench.figures().results
    ]
    soak = _endurance(root)
    texts: dict[Path, str] = {}
    for page in pages:
        path = root / page.name / "README.md"
        texts[path] = _filled(path, _figures_text(page))
        texts[path.with_name(PICTURE)] = picture_of(
            [(f"{s.name}.json: {s.of}", lines) for s, lines in page.judged]
        )
    for bench in BENCHES:
        if make := getattr(bench.module(), "other_texts", None):
            texts |= make(root)
    texts[root / "README.md"] = _filled(root / "README.md", _overview(pages, soak))
    texts[root / PICTURE] = overview_of([(p.name, p.goals) for p in [*pages, soak]])
    return texts


def _endurance(root: Path) -> Page:
    question = "Does the pool hold while processes die and lie?"
    page = _page(root, "soak", question, endurance.FIGURES, endurance.result_of)
    return replace(page, older=())


def _result(path: Path) -> dict[str, Any]:
    return dict(json.loads(path.read_text(encoding="utf-8")))


def _page(root: Path, name: str, question: str, figures: Figures, read: Any) -> Page:
    folder = root / "results"
    results = {file: read(folder / f"{file}.json") for file in figures.results}
    sections = [
        Section(
            file,
            figures.results[file],
            result["context"],
            _lines(figures, file, result),
            file in figures.apart,
        )
        for file, result in results.items()
    ]
    found = sorted(p.stem for p in [*folder.glob(f"{name}.json"), *folder.glob(f"{name}_*.json")])
    older = [_told(file, _result(folder / f"{file}.json")) for file in found if file not in results]
    return Page(name, question, sections, older, figures.words)


def _lines(figures: Figures, file: str, result: Mapping[str, Any]) -> list[Line]:
    left_out = figures.without.get(file, ())
    rows = [row for row in result["rows"] if row["metric"] not in left_out]
    return lines_of(figures, {**result, "rows": rows})


def _told(file: str, result: Mapping[str, Any]) -> str:
    return f"- [{file}.json](../results/{file}.json), {_origin(result['context'])}"


def _origin(context: Mapping[str, Any]) -> str:
    """Day, machine, commit, peers' versions and command, as far as the result has them."""
    said = [str(context["date"])] if "date" in context else []
    if machine := context.get("machine"):
        said.append(f"{machine['cpu']}, {machine['cores']} cores")
        said.append(f"{machine['os']}, kernel {machine['kernel']}")
    said.append(f"commit {context['commit']}")
    versions = context.get("versions", {}).items()
    own = ("ligament", "python")
    said += [v if v.startswith(k) else f"{k} {v}" for k, v in versions if k not in own]
    return f"{'; '.join(said)}: `{shlex.join(context['command'])}`"


def _filled(path: Path, figures: str) -> str:
    """The page with these figures between its marks."""
    text = path.read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise FailureError(f"{path} has no marks '{BEGIN}' and '{END}'")
    return f"{before}{BEGIN}\n\n{figures}\n\n{END}{after}"


def _figures_text(page: Page) -> str:
    parts = []
    if page.goals:
        parts.append(f"![each figure over its goal: left of the line is reached]({PICTURE})")
    for section in page.sections:
        link = f"[{section.name}.json](../results/{section.name}.json)"
        parts.append(f"**{section.of}** ({link}). {_origin(section.context)}")
        parts.append(table_of(map(cells_of, section.lines)))
    if page.older:
        parts += ["Other results that are kept:", "\n".join(page.older)]
    return "\n\n".join(parts)


def table_of(rows: Iterable[Sequence[str]], headings: Sequence[str] = HEADINGS) -> str:
    """Rows of cells as a table."""
    every = [headings, ["---"] * len(headings), *rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in every)


def cells_of(line: Line) -> list[str]:
    """One line of a table."""
    peer = f"{value_text(line.peer[1], line.unit)} ({line.peer[0]})" if line.peer else ""
    if line.published:
        peer = f"{peer}, {line.published}" if peer else line.published
    floor = value_text(line.floor[1], line.unit) if line.floor else ""
    if line.floor and line.floor[0]:
        floor += f" ({line.floor[0]})"
    verdict = f"**{line.verdict}**" if line.verdict in (MISSED, UNDECIDED) else line.verdict
    return [line.what, line.ours_text, peer, floor, line.goal_text, verdict]


def _overview(pages: Sequence[Page], soak: Page) -> str:
    totals = [_totals(page, f"{page.name}/README.md") for page in pages]
    every = [*pages, soak]
    parts = [
        f"![goals per bench: reached, not decided, missed]({PICTURE})",
        table_of([*totals, _totals(soak, f"#{soak.name}")], TOTALS),
        "Goals that are missed or not decided:",
        table_of((row for page in every for row in _open_rows(page)), OPEN_HEADINGS),
        "In these lines:",
        "\n".join(f"- {word} ({p.name}): {text}" for p in every for word, text in p.words.items()),
        f"### {soak.name}",
        "The pool beside processes that are killed, and fed with what it must refuse:",
    ]
    for section in soak.sections:
        link = f"[{section.name}.json](results/{section.name}.json)"
        parts.append(f"**{section.of}** ({link}). {_origin(section.context)}")
        parts.append(table_of(map(cells_of, section.lines)))
    return "\n\n".join(parts)


def _totals(page: Page, link: str) -> list[str]:
    """How many goals a bench reaches."""
    verdicts = [line.verdict for line in page.goals]
    counts = [str(verdicts.count(verdict)) for verdict in (REACHED, UNDECIDED, MISSED)]
    days = sorted({str(s.context["date"]) for s in page.sections if "date" in s.context})
    return [f"[{page.name}]({link})", page.question, *counts, ", ".join(days)]


def _open_rows(page: Page) -> Iterator[list[str]]:
    """Goals of a bench that are missed or not decided: of which result each is, and why."""
    for section, lines in page.judged:
        result = f"[{section.of}](results/{section.name}.json)"
        for line in lines:
            if line.verdict in (MISSED, UNDECIDED):
                why = _why(page.name, section.name, line)
                yield [page.name, *cells_of(line), result, why]


def _why(bench: str, file: str, line: Line) -> str:
    """Why a goal is missed or not decided."""
    if line.verdict == MISSED:
        return line.why or line.goal.why_in(file)
    if line.passes < LEAST_PASSES:
        enough = f"`ligament bench {bench} --passes {LEAST_PASSES}`"
        return f"{line.passes} passes; {LEAST_PASSES} are needed: {enough}"
    return "the interval contains the goal"
