# SPDX-License-Identifier: Apache-2.0
"""The reference pages say everything that the schemas say."""

from __future__ import annotations

import re

from ligament.graph.reference import reference_pages
from ligament.graph.schema import load_schemas


def test_every_schema_has_a_page_that_the_index_lists() -> None:
    pages = reference_pages()
    assert set(pages) == {"index.md", *(f"{name}.md" for name in load_schemas())}
    for name in pages:
        assert name == "index.md" or f"({name})" in pages["index.md"]


def test_every_top_level_field_is_on_its_page_with_its_text() -> None:
    pages = reference_pages()
    for name, schema in load_schemas().items():
        for field, inner in schema.get("properties", {}).items():
            assert f"| `{field}` |" in pages[f"{name}.md"], (name, field)
            text = inner.get("description", "").replace("|", "\\|")
            assert text in pages[f"{name}.md"], (name, field)


def test_pages_link_only_to_what_exists() -> None:
    pages = reference_pages()
    for name, text in pages.items():
        anchors = {m.lower() for m in re.findall(r"^## (.+)$", text, re.M)}
        for target in re.findall(r"\]\(([^)]+)\)", text):
            assert target in pages or target.removeprefix("#").lower() in anchors, (name, target)


def test_pages_are_the_same_each_time() -> None:
    assert reference_pages() == reference_pages()
