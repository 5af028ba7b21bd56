# SPDX-License-Identifier: Apache-2.0
"""The page of versions has every number that files and bytes have, and none that they have not."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import ligament
from ligament.resources import spec_dir

REPO = Path(__file__).resolve().parents[3]
PAGE = REPO / "docs" / "reference" / "versions.md"
SCHEMA = r"ligament/[a-z-]+/\d+"
#: Where each layout says its number, by what the page calls it.
LAYOUTS = {
    "pool in shared memory": (
        "runtime/src/memory/layout.hpp", r"constexpr std::uint32_t version = (\d+);"
    ),
    "header of a sample": (
        "runtime/src/memory/layout.hpp", r"std::uint32_t sample_header_version = (\d+);"
    ),
    "registers of an exported design": (
        "spec/device/board.md", r"0x4C494742 \(low half\), version (\d+)"
    ),
    "registers of a design's gateways": (
        "spec/device/gateway.md", r"0x4C494753 \(low half\), version (\d+)"
    ),
    "memory shared with a microcontroller": (
        "spec/device/rpmsg.md", r"the version of this page \((\d+)\)"
    ),
    "event table": ("spec/events/reference.md", r"## Event table, version (\d+)"),
}  # fmt: skip


def constants(schema: Any) -> Iterator[str]:
    """All identifiers of a schema's own files."""
    if isinstance(schema, dict):
        if re.fullmatch(SCHEMA, str(schema.get("const"))):
            yield schema["const"]
        for value in schema.values():
            yield from constants(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from constants(value)


def schemas() -> set[str]:
    """What the schemas of the repository say of themselves."""
    files = spec_dir().rglob("*.schema.json")
    return {name for path in files for name in constants(json.loads(path.read_text()))}


def test_it_has_every_schema() -> None:
    listed = re.findall(rf"^\| `({SCHEMA})` \|", PAGE.read_text(), re.MULTILINE)
    assert len(listed) == len(set(listed))
    assert set(listed) == schemas()
    assert len(listed) > 20


@pytest.mark.parametrize("layout", LAYOUTS)
def test_it_has_the_number_of_each_layout(layout: str) -> None:
    path, pattern = LAYOUTS[layout]
    said = re.findall(pattern, (REPO / path).read_text())
    assert len(said) == 1, f"{path} says it {len(said)} times"
    assert re.findall(rf"^\| {layout} \| (\d+) \|", PAGE.read_text(), re.MULTILINE) == said


def test_each_layout_of_the_page_is_looked_at() -> None:
    _, _, rows = PAGE.read_text().partition("## Bytes")
    assert re.findall(r"^\| ([^|]+?) \| \d+ \|", rows, re.MULTILINE) == [*LAYOUTS]


def test_tool_and_runtime_have_one_version() -> None:
    found = re.search(
        r"project\(ligament VERSION ([\d.]+) ", (REPO / "runtime/CMakeLists.txt").read_text()
    )
    assert found and found[1] == ligament.__version__
    pyproject = (REPO / "tool" / "pyproject.toml").read_text()
    assert f'version = "{ligament.__version__}"' in pyproject
