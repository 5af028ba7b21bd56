# SPDX-License-Identifier: Apache-2.0
"""The generate stage: expected trees, quiet reruns, and what it refuses.

LIGAMENT_RERECORD=1 writes the expected trees anew; read the difference before committing it.
"""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
from pathlib import Path

import pytest

from ligament import resources
from ligament.artefacts import json_text
from ligament.errors import FailureError, InputError
from ligament.generate.files import cmake_quote
from ligament.generate.stage import Generated, generate
from ligament.graph import Graph, load_graph
from ligament.graph.json_source import parse_json
from ligament.graph.schema import validate
from ligament.mapping import GraphMapping, load_platform, map_graph
from ligament.pipeline import Request, generated

HERE = Path(__file__).parent
PROJECT = HERE / "project"
GOLDEN = HERE.parent / "golden" / "generate"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The project at a place of its own: nothing may depend on where it lies."""
    return Path(shutil.copytree(PROJECT, tmp_path / "some where"))


def stages(project: Path, variant: str) -> tuple[Graph, GraphMapping]:
    graph = load_graph(project / "graph.yaml")
    return graph, map_graph(graph, load_platform("host"), variant)


def run(project: Path, out: Path, variant: str = "processes") -> Generated:
    graph, mapping = stages(project, variant)
    return generate(graph, mapping, out / "golden" / variant)


def tree(folder: Path, project: Path) -> dict[str, str]:
    """All files below a folder, with the project's place written as @PROJECT@."""
    return {
        str(path.relative_to(folder)): path.read_text().replace(str(project), "@PROJECT@")
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def without_hashes(files: dict[str, str]) -> dict[str, str]:
    """Hashes of files that name their place differ from place to place."""
    for name, text in files.items():
        if name.endswith("manifest.json"):
            data = json.loads(text)
            for entry in data["files"]:
                entry["sha256"] = "0" * 64
            files[name] = json_text(data)
    return files


def test_the_generated_tree_is_the_expected_one(project: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    for variant in ("processes", "fused"):
        run(project, out, variant)
    found = without_hashes(tree(out, project))
    if os.environ.get("LIGAMENT_RERECORD"):
        shutil.rmtree(GOLDEN, ignore_errors=True)
        for name, text in found.items():
            path = GOLDEN / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    expected = {str(p.relative_to(GOLDEN)): p.read_text() for p in GOLDEN.rglob("*") if p.is_file()}
    assert found == expected


def test_a_second_run_touches_nothing(project: Path, tmp_path: Path) -> None:
    first = run(project, tmp_path)
    assert len(first.changed) == 3
    before = {p: p.stat().st_mtime_ns for p in tmp_path.rglob("*") if p.is_file()}
    second = run(project, tmp_path)
    assert second.changed == []
    assert {p: p.stat().st_mtime_ns for p in tmp_path.rglob("*") if p.is_file()} == before


def test_the_manifest_is_valid_and_its_hashes_hold(project: Path, tmp_path: Path) -> None:
    manifest = run(project, tmp_path).manifest
    document = parse_json(manifest.read_text(), str(manifest))
    assert validate(document, "manifest") == []
    for entry in document.data["files"]:
        path = manifest.parent / entry["path"]
        assert path.is_file(), path
        import hashlib

        assert hashlib.sha256(path.read_bytes()).hexdigest() == entry["sha256"]


def test_first_line_names_source_template_and_version(project: Path, tmp_path: Path) -> None:
    run(project, tmp_path)
    first = (tmp_path / "golden/gen/cpu/CMakeLists.txt").read_text().splitlines()[0]
    assert "graph.yaml" in first
    assert "cpu/CMakeLists.txt.j2" in first
    assert "ligament 0." in first


def test_the_folder_of_the_call_does_not_matter(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(project, tmp_path)
    monkeypatch.chdir(project)
    assert run(Path(), tmp_path).changed == []


def test_a_file_that_is_not_needed_any_more_is_removed(project: Path, tmp_path: Path) -> None:
    manifest = run(project, tmp_path).manifest
    graph, mapping = stages(project, "processes")
    containers = {"together": tuple(sorted(mapping.nodes))}
    result = generate(graph, dataclasses.replace(mapping, containers=containers), manifest.parent)
    names = {p.name for p in (manifest.parent / "gen/containers").iterdir()}
    assert names == {"together.json"}
    assert "gen/containers/left-filter.json" in result.changed


def test_variants_share_the_project(project: Path, tmp_path: Path) -> None:
    """A node type is compiled once per graph, so the second variant changes nothing in it."""
    run(project, tmp_path, "processes")
    changed = run(project, tmp_path, "fused").changed
    assert [c for c in changed if "cpu" in c] == []


@pytest.mark.parametrize(
    ("variant", "platform", "kind", "libraries"),
    [
        ("gpu", "host", "gpu", ["image-rectify-gpu", "image-resize-gpu"]),
        ("fpga_resize", "fpga_sim", "fpga", ["image-rectify", "image-resize-fpga0-fpga"]),
        ("fpga_streamed", "fpga_sim", "fpga", ["fpga_streamed-fpga0-fpga"] * 2),
    ],
)
def test_each_node_is_in_the_library_of_its_device(
    variant: str, platform: str, kind: str, libraries: list[str], tmp_path: Path
) -> None:
    graph = resources.node_packages_dir().parent / "examples" / "perception" / "graph.yaml"
    manifest = generated(Request(graph, variant, platform, tmp_path)).manifest
    assert set(json.loads(manifest.read_text())["backends"]) == {"cpu", kind}
    containers = manifest.parent.glob("gen/containers/*.json")
    nodes = [node for path in containers for node in json.loads(path.read_text())["nodes"]]
    found = {node["id"]: Path(node["library"]).stem for node in nodes}
    names = ["image-camera", *libraries, "image-sink"]
    ids = ["/camera", "/rectify", "/resize", "/sink"]
    assert found == {node: f"lib{name}" for node, name in zip(ids, names, strict=True)}


def test_a_device_without_back_end_is_named(project: Path, tmp_path: Path) -> None:
    graph, mapping = stages(project, "processes")
    name = "/left/filter"
    node = dataclasses.replace(mapping.nodes[name], kind="npu", implementation="npu")
    nodes = {**mapping.nodes, name: node}
    with pytest.raises(InputError) as raised:
        generate(graph, dataclasses.replace(mapping, nodes=nodes), tmp_path)
    problem = raised.value.problems[0]
    assert problem.code == "backend-missing"
    assert name in problem.text and "npu" in problem.text and "cpu" in problem.expected


def test_a_folder_that_cannot_be_written_is_named(project: Path, tmp_path: Path) -> None:
    (tmp_path / "out").write_text("a file where a folder is needed")
    with pytest.raises(FailureError) as raised:
        run(project, tmp_path / "out")
    assert str(tmp_path / "out") in str(raised.value)
    assert "--out" in str(raised.value)


@pytest.mark.parametrize("text", ["plain", 'a "b"', "a;b", "${x}", "back\\slash", "$ENV{HOME}"])
def test_cmake_reads_back_what_was_quoted(text: str, tmp_path: Path) -> None:
    script = tmp_path / "quote.cmake"
    script.write_text(
        f'set(value {cmake_quote(text)})\nfile(WRITE "{tmp_path}/out" "${{value}}")\n'
    )
    assert os.system(f"cmake -P {script}") == 0
    # In an unquoted list CMake keeps the escape of a semicolon; everything else is as it was.
    assert (tmp_path / "out").read_text().replace("\\;", ";") == text
