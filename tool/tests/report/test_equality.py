# SPDX-License-Identifier: Apache-2.0
"""Outputs are compared frame by frame, and the first difference is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from ligament.errors import FailureError
from ligament.report.equality import compare_frames, read_frames
from ligament.report.variant import RunFolder


def frames(*hashes: str) -> dict[int, dict[str, object]]:
    return {index: {"index": index, "hash": text} for index, text in enumerate(hashes)}


def test_equal_frames() -> None:
    verdict = compare_frames(frames("a", "b"), frames("a", "b"), "one")
    assert verdict.equal
    assert verdict.text == "all 2 frames equal one"


@pytest.mark.parametrize(
    ("found", "text"),
    [
        (frames("a", "x", "y"), "frame 1: hash is x, one has b"),
        (frames("a", "b"), "frame 2: missing here, recorded by one"),
        (frames("a", "b", "c", "d"), "frame 3: recorded here, missing in one"),
        ({}, "not comparable: nothing was recorded"),
    ],
)
def test_the_first_difference_is_named(found: dict[int, dict[str, object]], text: str) -> None:
    verdict = compare_frames(found, frames("a", "b", "c"), "one")
    assert not verdict.equal
    assert verdict.text == text


def test_an_empty_reference_proves_nothing() -> None:
    assert not compare_frames(frames("a"), {}, "one").equal


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"index": 0}\n{"index": 0}\n', "2: frame 0 was recorded twice"),
        ('{"index": 0}\n{"ind', "2: not a recorded frame"),
        ("[]\n", "1: not a recorded frame"),
    ],
)
def test_a_damaged_record_is_a_failure(tmp_path: Path, text: str, expected: str) -> None:
    path = tmp_path / "sink.jsonl"
    path.write_text(text)
    with pytest.raises(FailureError, match=expected):
        read_frames(path)


def test_a_missing_record_is_a_failure(tmp_path: Path) -> None:
    with pytest.raises(FailureError, match="No such file"):
        read_frames(tmp_path / "sink.jsonl")


def test_numbers_may_differ_by_the_tolerance_and_text_may_not() -> None:
    found = {0: {"index": 0, "mean": 10.4, "hash": "a"}}
    near = {0: {"index": 0, "mean": 10.0, "hash": "a"}}
    assert not compare_frames(found, near, "one").equal
    assert compare_frames(found, near, "one", 0.5).text == "all 1 frames equal one within 0.5"
    assert not compare_frames(found, near, "one", 0.3).equal
    other_text = {0: {"index": 0, "mean": 10.4, "hash": "b"}}
    assert not compare_frames(found, other_text, "one", 0.5).equal


def test_what_an_executable_wrote_is_compared_only_if_it_is_a_recording(tmp_path: Path) -> None:
    """A simulator's log is none: nothing to compare is not a difference."""
    written = {"drive": '{"event": "start"}\n', "sink": '{"index": 0}\n', "cut": '{"ind'}
    for name, text in written.items():
        (tmp_path / f"{name}.jsonl").write_text(text)
    outputs = [{"path": f"{name}.jsonl", "node": None} for name in written]
    outputs.append({"path": "drive.jsonl", "node": "/recorder"})  # a sink of ours must be right
    found = RunFolder(tmp_path, {"outputs": outputs}).outputs()
    assert sorted(found) == ["/recorder", "cut.jsonl", "sink.jsonl"]
