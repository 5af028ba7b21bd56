# SPDX-License-Identifier: Apache-2.0
"""What ships with the tool is found, in a checkout and in a package built from it."""

from __future__ import annotations

from pathlib import Path

import pytest

import ligament
from ligament import resources
from ligament.errors import FailureError


def test_everything_is_found() -> None:
    assert (resources.spec_dir() / "graph" / "graph.schema.json").is_file()
    assert (resources.platforms_dir() / "host" / "platform.yaml").is_file()
    assert resources.node_packages_dir().is_dir()
    assert (resources.firmware_dir() / "cmake" / "image.cmake").is_file()


@pytest.mark.parametrize("name", ["_spec", "_nodes", "_platforms", "_hdl", "_hls", "_firmware"])
def test_a_built_package_takes_the_folders_along(name: str) -> None:
    assert (Path(ligament.__file__).parent / name).is_dir()


def test_a_missing_folder_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resources, "_REPOSITORY", tmp_path)
    monkeypatch.setattr(resources, "_PACKAGE", tmp_path)
    monkeypatch.setattr(resources, "prefix", lambda: tmp_path)
    with pytest.raises(FailureError) as caught:
        resources.platforms_dir()
    assert "the platforms" in str(caught.value)
    assert str(tmp_path / "share" / "ligament" / "platforms") in str(caught.value)
