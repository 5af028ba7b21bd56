# SPDX-License-Identifier: Apache-2.0
"""Hosts with another processor: which build each gets, and what is wrong with targets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ligament import __version__
from ligament.build.stage import Built
from ligament.build.target import Target
from ligament.deploy import builds, whoami
from ligament.deploy.check import problems_of
from ligament.deploy.hosts import Hosts, load_hosts
from ligament.deploy.parts import Part
from ligament.errors import InputError
from ligament.pipeline import Request

REQUEST = Request(Path("graph.yaml"), out=Path("out"))


def installation(prefix: Path, architecture: str) -> Path:
    """What `dev/arm64` leaves, as far as a target is read."""
    record = prefix / "share" / "ligament" / "target.json"
    record.parent.mkdir(parents=True)
    data = {"schema": "ligament/target/1", "architecture": architecture, "emulator": []}
    record.write_text(json.dumps(data))
    toolchain = prefix / "lib" / "cmake" / "ligament" / "toolchain.cmake"
    toolchain.parent.mkdir(parents=True)
    toolchain.touch()
    return prefix


def hosts_of(folder: Path, targets: dict[str, str]) -> Hosts:
    """hosts.yaml with these targets; "": none."""
    lines = [
        f"  {name}: {{address: {name}" + (f", target: {prefix}}}" if prefix else "}")
        for name, prefix in targets.items()
    ]
    file = folder / "hosts.yaml"
    file.write_text("schema: ligament/hosts/1\nhosts:\n" + "\n".join(lines) + "\n")
    return load_hosts(file, list(targets))


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """For what is compiled, in order; nothing is."""
    seen: list[str] = []

    def built(request: Request, progress: object, target: Target) -> Built:
        assert (request, progress) == (REQUEST, None)
        seen.append(target.architecture)
        return Built(Path(target.architecture, "build.json"), True)

    def build(manifest: Path, progress: object) -> Built:
        assert progress is None
        seen.append("here")
        return Built(manifest.with_name("build.json"), True)

    monkeypatch.setattr(builds, "built", built)
    monkeypatch.setattr(builds, "build", build)
    return seen


@pytest.mark.parametrize(
    ("targets", "expected"),
    [
        ({"a": "", "b": ""}, {"a": "here", "b": "here"}),
        ({"a": "arm", "b": "", "c": "arm"}, {"b": "here", "a": "aarch64", "c": "aarch64"}),
        ({"a": "arm", "b": "arm"}, {"a": "aarch64", "b": "aarch64"}),
    ],
)
def test_each_host_gets_the_build_for_its_processor(
    tmp_path: Path, compiled: list[str], targets: dict[str, str], expected: dict[str, str]
) -> None:
    """Each is built once, this computer's first and only where a host needs it."""
    installation(tmp_path / "arm", "aarch64")
    hosts = hosts_of(tmp_path, targets)
    found = builds.build_parts(REQUEST, Path("here", "manifest.json"), hosts)
    assert list(found.items()) == [(n, Path(p, "build.json")) for n, p in expected.items()]
    assert compiled == list(dict.fromkeys(expected.values()))


@pytest.mark.parametrize(
    ("targets", "said"),
    [
        ({"a": "", "b": "none"}, "none is no installation of Ligament for another architecture"),
        ({"a": "arm", "b": "other"}, "b: its target {}/other is for aarch64, as {}/arm is"),
    ],
)
def test_wrong_target_is_told_before_anything_is_compiled(
    tmp_path: Path, compiled: list[str], targets: dict[str, str], said: str
) -> None:
    for name in ("arm", "other"):
        installation(tmp_path / name, "aarch64")
    with pytest.raises(InputError) as caught:
        builds.build_parts(REQUEST, Path("here", "manifest.json"), hosts_of(tmp_path, targets))
    assert said.format(tmp_path, tmp_path) in str(caught.value)
    assert compiled == []


def test_headers_are_compared_with_those_of_the_part_s_runtime(tmp_path: Path) -> None:
    """Not with this computer's, which its libraries were not compiled against."""
    headers = tmp_path / "include" / "ligament"
    headers.mkdir(parents=True)
    (headers / "node.hpp").write_text("// another one\n")
    said: dict[str, Any] = {
        "version": __version__, "headers": whoami.headers_digest(tmp_path),
        "machine": "aarch64", "ahead_ns": 0,
    }  # fmt: skip
    part = Part("robot", "v", ("/n",), {}, machines={"aarch64"}, prefix=tmp_path)
    assert problems_of(said, part, 1.0) == []
    (headers / "node.hpp").write_text("// changed\n")
    (problem,) = problems_of(said, part, 1.0)
    assert "robot: the runtime there is another one" in problem.text
