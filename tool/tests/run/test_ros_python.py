# SPDX-License-Identifier: Apache-2.0
"""Which Python of ROS 2 runs nodes in Python, by what is installed where."""

from __future__ import annotations

from pathlib import Path

import pytest

from ligament.errors import InputError
from ligament.run import ros_python
from ligament.run.python_spec import environment_of
from ligament.run.ros_python import RosPython, find_ros_python

PACKAGES = "lib/python3.11/site-packages"


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nothing is sourced, and the repository has nothing."""
    for name in ("AMENT_PREFIX_PATH", "LD_LIBRARY_PATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(ros_python, "_REPOSITORY", tmp_path / "repository")


def made(prefix: Path, *files: str) -> Path:
    for file in files:
        (prefix / file).parent.mkdir(parents=True, exist_ok=True)
        (prefix / file).touch()
    return prefix


def rclpy(prefix: Path) -> Path:
    return made(prefix, f"{PACKAGES}/rclpy/__init__.py")


def middleware(prefix: Path) -> Path:
    return made(prefix, "lib/librmw_ligament_cpp.so")


def test_without_ros_the_error_says_what_to_do() -> None:
    with pytest.raises(InputError) as raised:
        find_ros_python()
    problem = raised.value.problems[0]
    assert problem.code == "rclpy-missing"
    assert "AMENT_PREFIX_PATH" in problem.text and "dev/setup --ros" in problem.hint


def test_a_sourced_ros_without_rclpy_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(made(tmp_path / "ros", "share/a")))
    with pytest.raises(InputError, match="rclpy") as raised:
        find_ros_python()
    assert str(tmp_path / "ros") in raised.value.problems[0].text


def test_a_missing_middleware_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(rclpy(tmp_path / "ros")))
    with pytest.raises(InputError) as raised:
        find_ros_python()
    assert raised.value.problems[0].code == "middleware-missing"


def test_an_installed_ros_chooses_its_middleware_by_name(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A workspace over it has our middleware; the system's Python runs it."""
    ros = made(rclpy(tmp_path / "ros"), "lib/librmw_implementation.so")
    workspace = middleware(tmp_path / "workspace")
    monkeypatch.setenv("AMENT_PREFIX_PATH", f"{workspace}:{ros}")
    monkeypatch.setenv("LD_LIBRARY_PATH", "/before")
    monkeypatch.setenv("PATH", f"{made(tmp_path / 'venv', 'bin/python3')}/bin")
    found = find_ros_python()
    assert found.prefix == ros
    assert tmp_path not in found.program.parents
    assert found.environment["RMW_IMPLEMENTATION"] == "rmw_ligament_cpp"
    assert found.environment["LD_LIBRARY_PATH"] == f"{workspace}/lib:{ros}/lib:/before"
    assert "LD_PRELOAD" not in found.environment


def test_wheels_get_the_middleware_in_front(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    ros = made(middleware(rclpy(tmp_path / "ros")), "bin/python3")
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(ros))
    found = find_ros_python()
    assert found.program == ros / "bin" / "python3"
    assert found.environment["LD_PRELOAD"] == str(ros / "lib" / "librmw_ligament_cpp.so")


def test_the_repositorys_own_is_the_graphs_distribution(tmp_path: Path) -> None:
    for distro in ("jazzy", "kilted"):
        middleware(rclpy(tmp_path / "repository" / "build" / "ros" / distro))
    assert find_ros_python().prefix.name == "jazzy"
    assert find_ros_python("kilted").prefix.name == "kilted"
    assert find_ros_python("humble").prefix.name == "jazzy"


def test_a_container_is_in_its_graphs_pool(tmp_path: Path) -> None:
    ros = RosPython(tmp_path / "python3", tmp_path, {"RMW_IMPLEMENTATION": "rmw_ligament_cpp"})
    config = {"domain": "own.graph", "graph": "g", "variant": "v", "container": "c"}
    found = environment_of(ros, config)
    assert found["LIGAMENT_POOL"] == "own.graph" and "ROS_DOMAIN_ID" not in found
    assert found["RMW_IMPLEMENTATION"] == "rmw_ligament_cpp"
    assert (found["LIGAMENT_RMW_EDGE"], found["LIGAMENT_STATUS"]) == ("off", "own")
    told = [found[f"LIGAMENT_{name}"] for name in ("GRAPH", "VARIANT", "CONTAINER")]
    assert told == ["g", "v", "c"]
    shared = environment_of(ros, {**config, "domain": "ros.42"})
    assert (shared["LIGAMENT_POOL"], shared["ROS_DOMAIN_ID"]) == ("ros.42", "42")
