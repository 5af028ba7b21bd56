# SPDX-License-Identifier: Apache-2.0
"""The build stage with the real compiler: what is built, what is not built again, what it says."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ligament import resources
from ligament.build.stage import build
from ligament.errors import FailureError
from ligament.graph.json_source import parse_json
from ligament.graph.schema import validate
from ligament.pipeline import Request, built

PROJECT = Path(__file__).parent.parent / "generate" / "project"


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project at a path with a space, built in its first variant."""
    root = tmp_path_factory.mktemp("work shop")
    shutil.copytree(PROJECT, root / "project")
    result = built(request(root, "processes"))
    assert result.compiled
    return root


def request(root: Path, variant: str) -> Request:
    return Request(root / "project" / "graph.yaml", variant, out=root / "build")


def times(root: Path) -> dict[str, int]:
    return {p.name: p.stat().st_mtime_ns for p in (root / "build/golden/lib").glob("*.so")}


def test_build_json_is_valid_and_true(workshop: Path) -> None:
    path = workshop / "build/golden/processes/build.json"
    document = parse_json(path.read_text(), str(path))
    assert validate(document, "build") == []
    data = document.data
    assert sorted(data["libraries"]) == ["golden/filter", "golden/source"]
    for library in data["libraries"].values():
        content = (path.parent / library["path"]).read_bytes()
        assert len(content) == library["size_bytes"]
        assert hashlib.sha256(content).hexdigest() == library["sha256"]
    assert data["containers"]["left-filter"]["on_failure"] == "restart"
    assert data["topics"]["/left/mark"] == {
        "publishers": ["/left/source"],
        "subscriptions": ["/left/filter"],
    }


def test_nothing_changed_compiles_nothing(workshop: Path) -> None:
    before = times(workshop)
    assert not built(request(workshop, "processes")).compiled
    assert times(workshop) == before


def test_another_variant_compiles_only_what_is_new(workshop: Path) -> None:
    built(request(workshop, "processes"))
    before = times(workshop)
    result = built(request(workshop, "fused"))
    data = json.loads(result.build.read_text())
    assert list(data["libraries"]) == ["golden/both"]
    after = times(workshop)
    assert {name: after[name] for name in before} == before
    assert "libgolden-both.so" in after


def test_a_changed_source_is_compiled_again(workshop: Path) -> None:
    source = workshop / "project/nodes/source/source.cpp"
    before = times(workshop)
    source.write_text(source.read_text() + "// changed\n")
    assert built(request(workshop, "processes")).compiled
    after = times(workshop)
    changed = {name for name in before if after[name] != before[name]}
    assert changed <= {"libgolden-source.so"}


def test_a_changed_message_reaches_the_nodes_that_use_it(workshop: Path) -> None:
    message = workshop / "project/my_msgs/msg/Mark.msg"
    message.write_text(message.read_text() + "float64 weight\n")
    assert built(request(workshop, "processes")).compiled


def test_a_mistake_is_shown_with_the_users_file_and_line_first(tmp_path: Path) -> None:
    shutil.copytree(PROJECT, tmp_path / "project")
    source = tmp_path / "project/nodes/source/source.cpp"
    lines = source.read_text().splitlines()
    row = next(i for i, line in enumerate(lines) if "publisher_->publish" in line)
    lines[row] = lines[row].replace("publisher_->publish", "publisher->publish")
    source.write_text("\n".join(lines) + "\n")
    words = ["build", str(tmp_path / "project"), "-v", "processes", "-o", str(tmp_path / "out")]
    result = subprocess.run(
        [sys.executable, "-m", "ligament.cli.main", *words],
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 1
    shown = result.stderr.partition("error: ")[2].splitlines()  # after the lines of progress
    assert shown[1].startswith(f"{source}:{row + 1}:"), result.stderr
    assert "publisher" in shown[1]
    log = next(line.split("log: ")[1] for line in shown if "log: " in line)
    assert "publisher" in Path(log).read_text()


def test_a_missing_package_is_named(tmp_path: Path) -> None:
    shutil.copytree(PROJECT, tmp_path / "project")
    manifest = tmp_path / "project/nodes/filter/node.yaml"
    manifest.write_text(manifest.read_text().replace("[Threads]", "[NoSuchPackage]"))
    with pytest.raises(FailureError) as raised:
        built(request(tmp_path, "processes"))
    assert "NoSuchPackage" in str(raised.value)
    assert "configure.log" in str(raised.value)


def test_without_a_runtime_it_says_how_to_get_one(
    workshop: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(resources, "prefix", lambda: tmp_path)
    with pytest.raises(FailureError) as raised:
        build(workshop / "build/golden/processes/manifest.json")
    assert "runtime is not installed" in str(raised.value)
    assert "make setup" in str(raised.value)


def test_without_a_manifest_it_says_what_to_run(tmp_path: Path) -> None:
    with pytest.raises(FailureError) as raised:
        build(tmp_path / "manifest.json")
    assert "ligament generate" in str(raised.value)
