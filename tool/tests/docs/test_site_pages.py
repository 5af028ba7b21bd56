# SPDX-License-Identifier: Apache-2.0
"""The parts of the documentation site: its navigation, its pages' Markdown and links, its check."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

REPO = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(REPO / "dev"))

from docsite.check import problems_of  # noqa: E402
from docsite.gallery import SCHEMA, reports_in  # noqa: E402
from docsite.generated import header_page, headers, summary  # noqa: E402
from docsite.markdown import fenced, with_links, with_wide_lists  # noqa: E402
from docsite.pages import (  # noqa: E402
    SiteError,
    chosen,
    navigation,
    pages_of,
    place_of,
    read_site,
    title_of,
)
from docsite.stage import Stage  # noqa: E402

from ligament.report.compare import REPORT_SCHEMA  # noqa: E402

TEXTS = {"README.md": "# Begin", "docs/a.md": "# `A` [page](x.md)", "docs/b.md": "# B"}


def test_a_pattern_takes_what_no_other_entry_names() -> None:
    nav = [
        {"Start": ["README.md"]},
        {"Docs": [{"Second": "docs/b.md"}, "docs/*.md"]},
        {"No": ["x*"]},
    ]
    assert navigation(nav, TEXTS) == [
        {"Start": [{"Begin": "index.md"}]},
        {"Docs": [{"Second": "docs/b.md"}, {"A page": "docs/a.md"}]},
    ]


@pytest.mark.parametrize(
    ("nav", "wrong"),
    [
        ([{"Docs": ["docs/*.md"]}], "README.md: no place in the navigation"),
        (["README.md", "docs/*.md", "docs/c.md"], "names 'docs/c.md', which is no page"),
        (["README.md", "docs/*.md", {"Again": "README.md"}], "names 'README.md' twice"),
    ],
)
def test_a_page_without_a_place_is_told(nav: list[object], wrong: str) -> None:
    with pytest.raises(SiteError, match=wrong):
        navigation(nav, TEXTS)


def test_what_is_excluded_is_there() -> None:
    assert chosen(TEXTS, {"docs/b*": "why"}) == ["README.md", "docs/a.md"]
    with pytest.raises(SiteError, match=r"excludes 'docs/c\*', which is no page"):
        chosen(TEXTS, {"docs/c*": "why"})
    excluded = read_site(REPO)["excluded"]
    assert len(pages_of(REPO)) - len(chosen(pages_of(REPO), excluded)) < 8


def test_a_page_lies_where_its_links_lead() -> None:
    assert place_of("README.md") == "index.md"
    assert place_of("spec/wire/README.md") == "spec/wire/index.md"
    assert place_of("docs/READMES.md") == "docs/READMES.md"
    with pytest.raises(SiteError):
        title_of("no title\n")


def test_links_change_but_in_code() -> None:
    text = (
        "<!-- SPDX -->\n# T\n[a](a.md) `[b](b.md)` ![c](c.svg)\n\n```\n[d](d.md)\n```\n``[e](`e`)``"
    )
    changed = "# T\n[a](A.MD) `[b](b.md)` ![c](C.SVG)\n\n```\n[d](d.md)\n```\n``[e](`e`)``"
    assert with_links(text, str.upper) == changed


def test_a_bar_in_code_in_a_table_needs_no_mark() -> None:
    text = "| `a\\|b` | c\\|d |\n\n`e\\|f`\n"
    assert with_links(text, str.upper) == "| `a|b` | c\\|d |\n\n`e\\|f`\n"


@pytest.mark.parametrize(
    ("forge", "site"),
    [
        ("- a\n  b\n- c", "- a\n    b\n- c"),
        ("- a\n  - b\n    - c\n- d", "- a\n    - b\n        - c\n- d"),
        ("text:\n- a", "text:\n\n- a"),
        ("1. a\n\n   ```sh\n   x\n     y\n   ```", "1. a\n\n    ```sh\n    x\n      y\n    ```"),
        ("- a\n\nb\n\n    code - d", "- a\n\nb\n\n    code - d"),
        ("```\n- a\n  - b\n```\n- c", "```\n- a\n  - b\n```\n\n- c"),
        ("- a\nlazy\n- b", "- a\n    lazy\n- b"),
    ],
)  # fmt: skip
def test_lists_are_as_wide_as_the_generator_wants(forge: str, site: str) -> None:
    assert with_wide_lists(forge) == site


def test_a_fence_is_longer_than_what_it_holds() -> None:
    assert fenced("a\n````\n", "text") == "`````text\na\n````\n`````\n"
    assert fenced("a", "c") == "```c\na\n```\n"


def staged(folder: Path, texts: dict[str, str]) -> Path:
    Stage(folder, folder / "out", texts).write()
    return folder / "out"


def test_a_link_leads_to_a_page_a_folder_or_a_file(tmp_path: Path) -> None:
    for name in ("docs/p.svg", "spec/e.yaml", "spec/raw.bin"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"\xff\x00" if name.endswith("bin") else b"key: 1\n")
    links = "[1](../README.md#x) [2](../spec/e.yaml) ![3](p.svg) [4](../spec) [5](../spec/raw.bin)"
    made = staged(tmp_path, {"README.md": "# R", "docs/a.md": f"# A\n{links} [6](https://x.y/z)"})
    assert (made / "docs" / "a.md").read_text() == (
        "# A\n[1](../index.md#x) [2](../spec/e.yaml.md) ![3](p.svg) [4](../spec.md) "
        "[5](../spec/raw.bin) [6](https://x.y/z)"
    )
    assert "```yaml\nkey: 1\n```" in (made / "spec" / "e.yaml.md").read_text()
    assert "- `e.yaml`\n- `raw.bin`" in (made / "spec.md").read_text()
    assert (made / "spec" / "raw.bin").read_bytes() == b"\xff\x00"
    assert (made / "docs" / "p.svg").is_file()


def test_every_wrong_link_is_told(tmp_path: Path) -> None:
    with pytest.raises(SiteError) as caught:
        staged(tmp_path, {"a.md": "# A\n[1](b.md) [2](../../etc/passwd)", "c.md": "[3](d.md)"})
    assert str(caught.value).splitlines() == [
        "a.md: its link to 'b.md' leads to no page and no file",
        "a.md: its link to '../../etc/passwd' leads to no page and no file",
        "c.md: its link to 'd.md' leads to no page and no file",
    ]


HEADER = """// SPDX-License-Identifier: Apache-2.0
/// \\file Pools: a `list<int>` of list<int>. And more.
///
///   Pool pool;
///
///   pool.use();
///
/// It ends.
#pragma once

#include <vector>
"""


def test_a_header_is_prose_and_declarations() -> None:
    assert summary(HEADER) == "Pools: a `list<int>` of list&lt;int>."
    assert header_page("pool.hpp", HEADER) == (
        "# pool.hpp\n\nPools: a `list<int>` of list&lt;int>. And more.\n\n```cpp\nPool pool;\n\n"
        "pool.use();\n```\n\nIt ends.\n\n## Declarations\n\n```cpp\n#include <vector>\n```\n"
    )


def test_every_header_says_what_it_is() -> None:
    pages = headers(REPO)
    listed = pages.pop("docs/reference/cpp/README.md")
    assert len(pages) > 20
    assert "|  |" not in listed
    assert all("## Declarations\n\n```" in page for page in pages.values())


GOOD = '<html><body><h1 id="t">T</h1><a href="b.html#u">b</a> <a href="#t">t</a></body></html>'


@pytest.mark.parametrize(
    ("page", "wrong"),
    [
        ("", []),
        ('<a href="c.html">', ["'c.html' leads to nothing"]),
        ('<a href="../b.html">', ["'../b.html' leads to nothing"]),
        ('<a href="b.html#v">', ["'b.html#v' names no place on its page"]),
        ('<a href="#v">', ["'#v' names no place on its page"]),
        ('<img src="p.png">', ["'p.png' leads to nothing"]),
        ('<script src="https://x.y/z.js"></script>', ["fetches https://x.y/z.js from elsewhere"]),
        ('<link rel="preconnect" href="//x.y">', ["fetches //x.y from elsewhere"]),
        ('<link rel="shortcut ICON" href="//x.y/i">', ["fetches //x.y/i from elsewhere"]),
        ('<link rel="modulepreload" href="//x.y/i">', ["fetches //x.y/i from elsewhere"]),
        ('<link rel="canonical" href="https://x.y"> <a href="https://x.y">', []),
        ("a <NAME> b", ["<name> is no element"]),
    ],
)
def test_what_is_wrong_with_a_site_is_found(tmp_path: Path, page: str, wrong: list[str]) -> None:
    (tmp_path / "a.html").write_text(GOOD.replace("</body>", f"{page}</body>"))
    (tmp_path / "b.html").write_text('<h1 id="u">U</h1>')
    assert problems_of(tmp_path) == [f"a.html: {problem}" for problem in wrong]


def test_what_a_style_sheet_fetches_from_elsewhere_is_found(tmp_path: Path) -> None:
    text = "@import 'https://x.y/a.css'; p { background: url( //x.y/p.png) } q { src: url(f.woff) }"
    (tmp_path / "a.css").write_text(text)
    assert problems_of(tmp_path) == [
        "a.css: fetches https://x.y/a.css from elsewhere",
        "a.css: fetches //x.y/p.png from elsewhere",
    ]


def test_a_report_of_another_version_is_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, text in (("new", f'{{"schema": "{SCHEMA}"}}'), ("old", "{}"), ("half", "{")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "report.html").touch()
        (tmp_path / name / "report.json").write_text(text)
    assert reports_in(tmp_path) == [tmp_path / "new" / "report.html"]
    assert str(tmp_path / "old" / "report.html") in capsys.readouterr().out
    assert SCHEMA == REPORT_SCHEMA
