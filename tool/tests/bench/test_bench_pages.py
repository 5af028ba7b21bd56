# SPDX-License-Identifier: Apache-2.0
"""The pages of benchmarks/ show what the result files hold, and nothing else."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest

from ligament.bench import framework, pages
from ligament.bench.goals import lines_of
from ligament.errors import FailureError


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Pages and results, to be changed."""
    root = tmp_path / "benchmarks"
    kept = {"*.json", "README.md", "*.svg"}
    for path in pages.ROOT.rglob("*"):
        if any(path.match(pattern) for pattern in kept):
            target = root / path.relative_to(pages.ROOT)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)
    return root


def test_all_pages_are_current() -> None:
    assert pages.stale_pages() == [], "ligament bench pages writes them"


@pytest.mark.parametrize(
    ("file", "old", "new", "page"),
    [
        ("results/messages.json", '"p50": 1.0', '"p50": 1.3', "messages"),
        ("results/trace.json", '"date": "2026', '"date": "2027', "trace"),
        ("results/uma_zc.json", '"upper95": 2', '"upper95": 9', "uma"),
        ("results/transport_poll.json", '"high": 1.', '"high": 7.', "transport"),
        ("results/soak.json", '"kills": 2', '"kills": 3', ""),
        ("hmt/README.md", "<= 394 cycles | reached", "<= 394 cycles | missed", "hmt"),
        ("dds/figures.svg", "reached", "missed", "dds"),
    ],
)
def test_a_changed_figure_is_noticed(copy: Path, file: str, old: str, new: str, page: str) -> None:
    assert pages.stale_pages(copy) == []
    text = (copy / file).read_text()
    assert old in text
    (copy / file).write_text(text.replace(old, new))
    stale = pages.stale_pages(copy)
    assert {path.parent for path in stale} >= {copy / page}
    assert set(pages.write_pages(copy)) == set(stale)
    assert pages.stale_pages(copy) == []


def test_what_is_written_by_hand_stays(copy: Path) -> None:
    page = copy / "dds" / "README.md"
    before, _, after = page.read_text().partition(pages.BEGIN)
    page.write_text(f"{before}{pages.BEGIN}\nold\n{pages.END}{after.partition(pages.END)[2]}")
    pages.write_pages(copy)
    assert page.read_text() == before + pages.BEGIN + after


def test_a_page_without_marks_is_named(copy: Path) -> None:
    page = copy / "dds" / "README.md"
    page.write_text(page.read_text().replace(pages.END, ""))
    with pytest.raises(FailureError, match=r"dds/README\.md has no marks"):
        pages.stale_pages(copy)


def test_every_shown_result_says_day_machine_and_command() -> None:
    for bench in framework.BENCHES:
        if not (shown := bench.figures().results):
            continue
        text = (pages.ROOT / bench.name / "README.md").read_text()
        for file in shown:
            origin = next(line for line in text.splitlines() if f"[{file}.json]" in line)
            said = (". 20", "2 cores", "kernel", "commit", f"`ligament bench {bench.name}")
            assert [word for word in said if word not in origin] == []


def test_every_goal_finds_its_figure_in_a_kept_result() -> None:
    # No kept result of unified memory has an interval yet, and none of advice is about drives.
    waiting = {"uma: {workload}, {nodes} nodes: unified memory over copies"}
    lost = []
    for bench in framework.BENCHES:
        figures = bench.figures()
        files = (pages.ROOT / "results").glob(f"{bench.name}*.json")
        results = [json.loads(path.read_text()) for path in files]
        found = {line.goal.what for result in results for line in lines_of(figures, result)}
        lost += [f"{bench.name}: {g.what}" for g in figures.goals if g.what not in found]
    assert set(lost) == waiting


def test_what_is_missed_has_its_reason() -> None:
    assert [row for row in open_rows() if not row[-1]] == []


def test_too_few_passes_are_the_reason_where_nothing_is_decided() -> None:
    few = "passes; 6 are needed: `ligament bench dds --passes 6`"
    for row in open_rows():
        goal, verdict, why = row[5], row[6], row[8]
        assert why.endswith(few) == goal.endswith("passes")
        assert (why == "the interval contains the goal") <= (verdict == "**not decided**")


def test_no_two_open_lines_are_told_alike() -> None:
    told = [(*row[:2], row[5].partition(":")[0], row[7]) for row in open_rows()]
    assert len(set(told)) == len(told)


def open_rows() -> list[list[str]]:
    """The overview's goals that are missed or not decided, cell by cell."""
    text = (pages.ROOT / "README.md").read_text()
    table = text.partition("Goals that are missed or not decided:\n\n")[2].partition("\n\n")[0]
    return [[cell.strip() for cell in row.split("|")[1:-1]] for row in table.splitlines()[2:]]


def test_pictures_are_whole() -> None:
    pictures = list(pages.ROOT.glob("**/figures.svg"))
    with_pages = [bench for bench in framework.BENCHES if bench.figures().results]
    assert len(pictures) == 1 + len(with_pages)
    for picture in pictures:
        root = ElementTree.fromstring(picture.read_text())
        width = float(root.attrib["width"])
        assert all(0 <= float(t.attrib["x"]) <= width for t in root.iter() if "x" in t.attrib)
