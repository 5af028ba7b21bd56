# SPDX-License-Identifier: Apache-2.0
"""Classes of nodes in Python: what is looked for in a file that is never run here."""

from __future__ import annotations

from pathlib import Path

import pytest

from ligament.graph import read_document
from ligament.graph.python_class import python_problems

MANIFEST = """schema: ligament/node/1
type: case/own
description: A node.
implementations:
  python: {sources: [own.py], class: Own}
"""


def problems(folder: Path, content: bytes) -> list[str]:
    (folder / "node.yaml").write_text(MANIFEST)
    (folder / "own.py").write_bytes(content)
    document = read_document(folder / "node.yaml", "node")
    return [f"{p.code}: {p.text}" for p in python_problems(document)]


@pytest.mark.parametrize(
    "content",
    [
        b"class Own: pass",
        b"from elsewhere import Own",
        b"from elsewhere import Other as Own",
        b"try:\n    import fast\n    Own = fast.Own\nexcept ImportError:\n    Own = None",
        "# -*- coding: latin-1 -*-\nname = 'é'\nclass Own: pass".encode("latin-1"),
    ],
)
def test_a_name_that_the_file_gives_is_found(tmp_path: Path, content: bytes) -> None:
    assert problems(tmp_path, content) == []


def test_a_class_within_a_function_is_none_of_the_file(tmp_path: Path) -> None:
    found = problems(tmp_path, b"def make():\n    class Own: pass")
    assert found == ["python-class: own.py has no class 'Own'"]


@pytest.mark.parametrize("content", [b"class Own(", b"\0", b"x = '\xff'"])
def test_what_this_python_cannot_read_is_for_ros_2s_to_judge(
    tmp_path: Path, content: bytes
) -> None:
    """It may be newer."""
    assert problems(tmp_path, content) == []
