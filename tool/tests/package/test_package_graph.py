# SPDX-License-Identifier: Apache-2.0
"""`ligament_add_graph`: what it depends on, what is installed of it, what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from package_builds import Workspace

LISTS = """cmake_minimum_required(VERSION 3.22)
project(graphs LANGUAGES CXX)
find_package(ligament REQUIRED)
ligament_add_graph(whole FILE launch/graph.yaml {more})
"""
FILES = {
    "launch/graph.yaml": "schema: ligament/graph/1\nname: whole\n"
    "graphs: {part: {file: ../parts/part.yaml}}\n"
    "nodes: {other: {type: p/n, parameter_files: [values.yaml]}}\npackages: [../nodes]\n",
    "launch/values.yaml": "other: {ros__parameters: {number: 3}}\n",
    "parts/part.yaml": "schema: ligament/graph/1\nname: part\nnodes: {n: {type: p/n}}\n",
    "nodes/n/node.yaml": "schema: ligament/node/1\ntype: p/n\ndescription: A node.\n"
    "parameters: {number: {type: integer, default: 1, description: A number.}}\n"
    "implementations: {python: {sources: [n.py, help.py], class: N}}\n",
    "nodes/n/n.py": "class N: pass\n",
    "nodes/n/help.py": "",
    "nodes/n/unlisted.txt": "",
}


@pytest.fixture
def graphs(tmp_path: Path) -> Workspace:
    """A graph of two files, whose node needs no compiler."""
    workspace = Workspace(tmp_path / "ä graph")
    for name, text in FILES.items():
        (workspace.package / name).parent.mkdir(parents=True, exist_ok=True)
        (workspace.package / name).write_text(text)
    (workspace.package / "CMakeLists.txt").write_text(LISTS.format(more=""))
    return workspace


def test_a_graph_is_built_again_after_a_change_of_what_it_is_made_of(graphs: Workspace) -> None:
    graphs.configure()
    graphs.make()
    assert graphs.make() == []
    for name in (
        "nodes/n/help.py",
        "nodes/n/unlisted.txt",
        "parts/part.yaml",
        "launch/values.yaml",
    ):
        file = graphs.package / name
        file.write_text(file.read_text() + "# changed\n")
        done = graphs.make()
        assert "Building the graph whole" in done, name
        assert graphs.make() == []
    graphs.install()
    share = graphs.prefix / "share" / "graphs" / "ligament"
    there = {str(p.relative_to(share)) for p in share.rglob("*") if p.is_file()}
    assert there == {
        "launch/graph.yaml",
        "launch/values.yaml",
        "parts/part.yaml",
        "whole.built.json",
    }


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ("VARIANTS absent", "absent"),
        ("PLATFORM hst", "there is no platform 'hst'"),
        ("VARIANT x", "unknown argument"),
    ],
)
def test_a_mistake_stops_cmake(graphs: Workspace, more: str, words: str) -> None:
    (graphs.package / "CMakeLists.txt").write_text(LISTS.format(more=more))
    assert words in " ".join(graphs.configure(good=False).split())
