# SPDX-License-Identifier: Apache-2.0
"""Files on a host: what has its name is whole, and nothing leads out of its folder."""

from __future__ import annotations

import hashlib
import io
from pathlib import Path

import pytest

from ligament.deploy.clean import left
from ligament.deploy.store import File, Store, tree_digest
from ligament.deploy.wire import WireError, digest_in, inner_path, message_of, size_in
from ligament.errors import FailureError


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def filled(folder: Path, contents: dict[str, bytes], name: str = "g/v/h") -> tuple[Store, str]:
    """A store with a tree of these files."""
    store = Store(folder)
    files = [File(path, digest(data), len(data)) for path, data in contents.items()]
    tree = tree_digest(files)
    for missing in store.missing(tree, files):
        data = next(d for d in contents.values() if digest(d) == missing)
        store.put(missing, len(data), io.BytesIO(data).read)
    store.make(tree, files, name)
    return store, tree


def test_tree_is_made_of_what_was_sent_and_needs_nothing_again(tmp_path: Path) -> None:
    contents = {"v/build.json": b"{}", "lib/ab/größe 1.so": b"\x7fELF" * 1000, "lib/twice": b"{}"}
    store, tree = filled(tmp_path / "with space", contents)
    files = [File(path, digest(data), len(data)) for path, data in contents.items()]
    assert {p: (store.path(tree) / p).read_bytes() for p in contents} == contents
    assert store.missing(tree, files) == []
    assert store.has(tree, files)
    # A file that was cut short is seen, and comes from its blob again.
    (store.path(tree) / "v/build.json").unlink()
    (store.path(tree) / "v/build.json").write_bytes(b"")
    assert not store.has(tree, files)
    with store.in_use(tree), pytest.raises(FailureError, match="a run uses it"):
        store.make(tree, files, "g/v/h")
    store.make(tree, files, "g/v/h")
    assert store.has(tree, files)


def test_damaged_copy_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    store = Store(tmp_path)
    with pytest.raises(WireError, match="damaged"):
        store.put(digest(b"right"), 5, io.BytesIO(b"wrong").read)
    assert not list((tmp_path / "blobs").iterdir())


def test_list_of_files_must_have_the_digest_of_its_tree(tmp_path: Path) -> None:
    store, _ = filled(tmp_path, {"a": b"1"})
    with pytest.raises(WireError, match="another digest"):
        store.make("0" * 64, [File("a", digest(b"1"), 1)], "g/v/h")


def test_a_run_that_another_deploy_watches_is_not_left(tmp_path: Path) -> None:
    store, tree = filled(tmp_path, {"a": b"1"})
    (store.path(tree) / "v" / "runs" / "1").mkdir(parents=True)
    assert left(store, "g/v/h") == 1
    with store.in_use(tree):
        assert (left(store, "g/v/h"), left(store, "g/v/h", tree)) == (0, 1)


def test_old_trees_go_but_not_one_in_use_nor_of_others(tmp_path: Path) -> None:
    store, first = filled(tmp_path, {"a": b"1"})
    _, other = filled(tmp_path, {"a": b"other"}, "g/v/another host")
    with store.in_use(first) as free:
        assert free
        with store.in_use(first) as again:
            assert not again
        trees = [filled(tmp_path, {"a": b"%d" % k})[1] for k in range(2, 6)]
        assert {p.name for p in (tmp_path / "trees").iterdir()} >= {first, other, *trees[-2:]}
        assert trees[0] not in {p.name for p in (tmp_path / "trees").iterdir()}
    _, last = filled(tmp_path, {"a": b"9"})
    kept = {p.name for p in (tmp_path / "trees").iterdir()}
    assert kept == {other, trees[-1], last}
    blobs = {p.name for p in (tmp_path / "blobs").iterdir()}
    assert blobs == {digest(b"other"), digest(b"5"), digest(b"9")}


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "../x", "a/../../x", "", ".", "a//b", "./a", "a\0"]
)
def test_path_that_leads_out_is_refused(path: str) -> None:
    with pytest.raises(WireError):
        inner_path(path)


@pytest.mark.parametrize(
    "entry", ["a", ["a"], ["a", "0" * 64, -1], ["a", "0" * 64, True], ["a", "../x", 1], [1, 2, 3]]
)
def test_what_is_no_file_is_refused(entry: object) -> None:
    with pytest.raises(WireError):
        File.of(entry)


def test_what_is_no_message_is_refused() -> None:
    for line in (b"", b"[]", b"1", b"{", b'"a"', b"[" * 100_000):
        with pytest.raises(WireError):
            message_of(line)
    for value in (None, "1", -1, True, 1.5):
        with pytest.raises(WireError):
            size_in({"size": value})
    for text in (None, "", "0" * 63, "0" * 63 + "G", "../" + "0" * 61):
        with pytest.raises(WireError):
            digest_in(text)
