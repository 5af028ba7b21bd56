# SPDX-License-Identifier: Apache-2.0
"""What is whole of streams that end inside a packet, by indexes made up byte by byte."""

from __future__ import annotations

from pathlib import Path

import pytest

from ligament.trace.salvage import ENTRY, HEADER, MAGIC, Cut, copy_whole, find_cuts

PACKETS = [(0, 100), (100, 50), (150, 60)]


def stream(
    folder: Path, size: int, entry_bytes: int = ENTRY.size + 8, magic: int = MAGIC, cut: int = 0
) -> Path:
    """A stream of three packets that should have 210 bytes, and its index."""
    index = folder / "index" / "channel0.idx"
    index.parent.mkdir(parents=True)
    data = HEADER.pack(magic, 1, 1, entry_bytes)
    for begin, length in PACKETS:
        data += ENTRY.pack(begin, 8 * length).ljust(entry_bytes, b"\0")
    index.write_bytes(data[: len(data) - cut])
    path = folder / "channel0"
    path.write_bytes(bytes(range(size)))
    return path


@pytest.mark.parametrize(
    ("size", "whole_bytes", "whole_packets"),
    [(209, 150, 2), (150, 150, 2), (149, 100, 1), (99, 0, 0)],
)
def test_a_stream_is_cut_after_its_last_whole_packet(
    tmp_path: Path, size: int, whole_bytes: int, whole_packets: int
) -> None:
    path = stream(tmp_path, size)
    (cut,) = find_cuts(tmp_path)
    assert cut == Cut(path, whole_bytes, whole_packets, 3)
    assert f"{3 - whole_packets} of its 3 packets are not there" in cut.sentence


def test_a_whole_stream_is_none(tmp_path: Path) -> None:
    stream(tmp_path, 210)
    assert find_cuts(tmp_path) == []


def test_an_index_of_another_kind_judges_nothing(tmp_path: Path) -> None:
    stream(tmp_path / "magic", 9, magic=MAGIC + 1)
    stream(tmp_path / "small", 9, entry_bytes=ENTRY.size - 1)
    (tmp_path / "short" / "index").mkdir(parents=True)
    (tmp_path / "short" / "channel0").write_bytes(b"")
    (tmp_path / "short" / "index" / "channel0.idx").write_bytes(b"\0" * (HEADER.size - 1))
    assert find_cuts(tmp_path) == []


def test_entries_of_the_least_size_and_half_an_entry(tmp_path: Path) -> None:
    stream(tmp_path, 120, entry_bytes=ENTRY.size, cut=1)
    (cut,) = find_cuts(tmp_path)
    assert (cut.whole_bytes, cut.whole_packets, cut.packets) == (100, 1, 2)


@pytest.mark.parametrize("whole", [0, 1, 100])
def test_the_copy_holds_what_is_whole_and_links_the_rest(tmp_path: Path, whole: int) -> None:
    recording, into = tmp_path / "recording", tmp_path / "copy"
    path = stream(recording / "ust", 209)
    (recording / "ust" / "metadata").write_text("trace {}")
    copy_whole(recording, [Cut(path, whole, 1, 3)], into)
    copy = into / "ust" / "channel0"
    assert (copy.read_bytes() if whole else copy.exists()) == (
        bytes(range(whole)) if whole else False
    )
    assert not copy.is_symlink()
    assert (into / "ust" / "metadata").is_symlink()
    assert (into / "ust" / "metadata").read_text() == "trace {}"
    assert not list(into.rglob("*.idx"))
