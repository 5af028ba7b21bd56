# SPDX-License-Identifier: Apache-2.0
"""Index files of installed packages: what is read, what is refused, which package counts."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ligament.errors import InputError
from ligament.graph import load_graph
from ligament.package import index

NODE = """schema: ligament/node/1
type: {type}
description: A node.
implementations: {{cpu: {{sources: [a.cpp], class: A}}}}
"""


def install(prefix: Path, name: str, *lines: str) -> Path:
    file = index.index_file(prefix, name)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n".join(lines) + "\n")
    share = index.share_of(prefix, name)
    share.mkdir(parents=True, exist_ok=True)
    return share


def use(monkeypatch: pytest.MonkeyPatch, *prefixes: Path) -> None:
    monkeypatch.setenv(index.VARIABLE, os.pathsep.join(map(str, prefixes)))


def write_node(folder: Path, node_type: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "node.yaml").write_text(NODE.format(type=node_type))
    (folder / "a.cpp").write_text("")


def test_a_graph_finds_an_installed_node_type_and_only_its_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    share = install(tmp_path / "a", "one", "node one/n nodes with space/node.yaml")
    write_node(share / "nodes with space", "one/n")
    broken = install(tmp_path / "a", "two", "node two/n node.yaml")
    (broken / "node.yaml").write_text("not: right\n")
    use(monkeypatch, tmp_path / "nowhere", tmp_path / "a")
    file = tmp_path / "graph.yaml"
    file.write_text("schema: ligament/graph/1\nname: g\nnodes: {n: {type: one/n}}\n")
    assert list(load_graph(file).types) == ["one/n"]
    use(monkeypatch)
    with pytest.raises(InputError, match="one/n"):
        load_graph(file)


def test_the_graphs_own_folder_goes_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_node(install(tmp_path / "a", "one", "node one/n nodes/node.yaml") / "nodes", "one/n")
    write_node(tmp_path / "own", "one/n")
    use(monkeypatch, tmp_path / "a")
    file = tmp_path / "graph.yaml"
    file.write_text(
        "schema: ligament/graph/1\nname: g\npackages: [own]\nnodes: {n: {type: one/n}}\n"
    )
    assert load_graph(file).types["one/n"].folder == str(tmp_path / "own")


def test_of_two_packages_of_a_name_the_first_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for prefix in ("a", "b"):
        share = install(tmp_path / prefix, "one", f"graph {prefix} g.yaml", "from-the-future x")
        (share / "g.yaml").touch()
    use(monkeypatch, tmp_path / "b", tmp_path / "a")
    assert list(index.packages()["one"].graphs) == ["b"]
    assert index.graph_of("one/b") == index.share_of(tmp_path / "b", "one") / "g.yaml"
    assert index.graph_of("other/b") is None
    with pytest.raises(InputError, match="has no graph 'c'"):
        index.graph_of("one/c")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("node one/n ../x/node.yaml", "no path below its package"),
        ("node one/n /etc/passwd", "no path below its package"),
        ("graph g", "no path below its package"),
        ("messages absent", "which is not in"),
    ],
)
def test_a_line_that_is_wrong_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, words: str
) -> None:
    install(tmp_path / "a", "one", "", line)
    use(monkeypatch, tmp_path / "a")
    with pytest.raises(InputError, match=words) as raised:
        index.packages()
    (problem,) = raised.value.problems
    assert problem.location is not None
    assert problem.location.line == 2
