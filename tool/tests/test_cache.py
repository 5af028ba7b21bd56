# SPDX-License-Identifier: Apache-2.0
"""The cache: what was put is found by all that it is made of; what is wrong costs only time."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ligament import cache


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path / "kept"))
    return tmp_path / "kept"


def test_what_was_put_is_found_again() -> None:
    assert cache.get("x", cache.key("a")) is None
    cache.put("x", cache.key("a"), {"b": [1, None, 0.1]})
    assert cache.get("x", cache.key("a")) == {"b": [1, None, 0.1]}
    assert cache.get("y", cache.key("a")) is None


def test_parts_of_a_key_do_not_run_together() -> None:
    assert cache.key("ab", "c") != cache.key("a", "bc")


def test_a_fingerprint_changes_with_a_files_size_and_time(tmp_path: Path) -> None:
    path = tmp_path / "schema"
    path.write_text("one")
    first = cache.fingerprint([path])
    assert cache.fingerprint([path]) == first
    path.write_text("three")
    longer = cache.fingerprint([path])
    os.utime(path, ns=(1, 1))
    assert len({first, longer, cache.fingerprint([path])}) == 3


def test_files_of_a_package_are_found_where_it_is_installed() -> None:
    here = Path(cache.__file__)
    assert cache.files_of("ligament") == [here.with_name("__init__.py")]
    assert here in cache.files_of("ligament", "*.py")
    assert cache.files_of("no_such_package") == []


def test_a_damaged_entry_is_none_and_is_replaced(folder: Path) -> None:
    cache.put("x", "k", [1, 2])
    (folder / "x" / "k.json").write_bytes(b"[1, \xff")
    assert cache.get("x", "k") is None
    cache.put("x", "k", [1, 2])
    assert cache.get("x", "k") == [1, 2]


def test_no_folder_to_write_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path / "file" / "below"))
    cache.put("x", "k", 1)
    assert cache.get("x", "k") is None


def test_it_can_be_switched_off(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache.put("x", "k", 1)
    monkeypatch.setenv(cache.VARIABLE, "off")
    assert cache.get("x", "k") is None
    cache.put("x", "other", 1)
    assert [p.name for p in folder.glob("x/*")] == ["k.json"]


def test_the_place_is_the_users_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(cache.VARIABLE)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", "relative/is/ignored")
    assert cache.folder() == tmp_path / ".cache" / "ligament"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    assert cache.folder() == tmp_path / "caches" / "ligament"


def test_the_oldest_entries_go(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "MOST_ENTRIES", 3)
    for number in range(5):
        cache.put("x", str(number), number)
        os.utime(folder / "x" / f"{number}.json", ns=(number, number))
    assert sorted(p.stem for p in folder.glob("x/*")) == ["2", "3", "4"]
