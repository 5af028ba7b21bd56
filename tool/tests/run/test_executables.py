# SPDX-License-Identifier: Apache-2.0
"""Executables of a run: where they are found, what they are told, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ligament.cli.main import main
from ligament.errors import InputError, Location
from ligament.graph.executable import Executable
from ligament.run.discovery import Network
from ligament.run.edge import EdgeOptions
from ligament.run.ending import finished_when, with_executables
from ligament.run.executables import (
    Surroundings,
    edge_options,
    executable_specs,
    executables_of,
    middleware_environment,
    misspelt_programs,
    outside_note,
    outsiders,
    parameter_text,
    program_of,
    require_programs,
)

AT = Location("graph.yaml", 7, 3)
NETWORK = Network(7, "subnet", ())


def program(path: Path, *, executable: bool = True) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755 if executable else 0o644)
    return path


def installed(prefix: Path, *libraries: str) -> dict[str, str]:
    """An environment in which these libraries are installed in a ROS prefix."""
    for name in libraries:
        program(prefix / "lib" / f"lib{name}.so")
    return {"AMENT_PREFIX_PATH": f"/nowhere:{prefix}", "PATH": "/usr/bin:/bin"}


def test_a_package_s_executable_is_found_in_the_first_prefix_that_has_it(tmp_path: Path) -> None:
    first, second = tmp_path / "overlay", tmp_path / "underlay"
    for prefix in (second, first):
        program(prefix / "lib" / "demo" / "talker")
    around = {"AMENT_PREFIX_PATH": f"{first}:{second}"}
    assert program_of("t", Executable("demo/talker"), around) == [str(first / "lib/demo/talker")]


def test_the_graph_s_environment_says_where_packages_are(tmp_path: Path) -> None:
    path = program(tmp_path / "own" / "lib" / "demo" / "talker")
    one = Executable("demo/talker", environment={"AMENT_PREFIX_PATH": str(tmp_path / "own")})
    program(tmp_path / "shell" / "lib" / "demo" / "talker")
    around = {"AMENT_PREFIX_PATH": str(tmp_path / "shell")}
    assert program_of("t", one, around) == [str(path)]


@pytest.mark.parametrize("installed", ["install/demo", "install"])
def test_an_executable_of_a_colcon_workspace_needs_no_ament(tmp_path: Path, installed: str) -> None:
    path = program(tmp_path / installed / "lib" / "demo" / "talker")
    around = {"AMENT_PREFIX_PATH": "/none", "COLCON_PREFIX_PATH": f"{tmp_path / 'install'}:/none"}
    assert program_of("t", Executable("demo/talker"), around) == [str(path)]


def test_check_warns_of_a_program_that_a_known_package_has_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    program(tmp_path / "ros" / "lib" / "demo" / "talker")
    graph = tmp_path / "graph.yaml"
    programs = "{a: {executable: demo/talke}, b: {executable: demo/talker}, c: {executable: x/y}}"
    elsewhere = {"d": Executable("demo/listener", host="robot")}
    assert list(misspelt_programs(elsewhere, {"AMENT_PREFIX_PATH": str(tmp_path / "ros")})) == []
    graph.write_text(f"schema: ligament/graph/1\nname: outside\nexecutables: {programs}\n")
    monkeypatch.delenv("COLCON_PREFIX_PATH", raising=False)
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path / "ros"))
    assert main(["check", str(graph)]) == 0
    said = capsys.readouterr()
    assert "the package 'demo' has no executable 'talke'" in said.err
    assert "did you mean 'talker'?" in said.err and "package 'x'" not in said.err
    assert "no error, 1 warning" in said.out
    monkeypatch.delenv("AMENT_PREFIX_PATH")
    assert main(["check", str(graph)]) == 0
    assert "no problem found" in capsys.readouterr().out


def test_a_python_file_that_may_not_be_executed_is_given_to_python(tmp_path: Path) -> None:
    file = program(tmp_path / "node.py", executable=False)
    words = program_of("t", Executable(str(file)), {"PATH": "/usr/bin:/bin"})
    assert words[0].endswith("python3")
    assert words[1:] == [str(file)]
    assert program_of("t", Executable(str(program(tmp_path / "node"))), {}) == [
        str(tmp_path / "node")
    ]
    python = program(tmp_path / "ros" / "bin" / "python3")
    (tmp_path / "ros" / "lib" / "python3.11" / "site-packages" / "rclpy").mkdir(parents=True)
    around = {"AMENT_PREFIX_PATH": f"/none:{tmp_path / 'ros'}", "PATH": "/usr/bin:/bin"}
    assert program_of("t", Executable(str(file)), around) == [str(python), str(file)]


@pytest.mark.parametrize(
    ("named", "said", "to_do"),
    [
        ("demo/talke", "the package 'demo' has no executable 'talke'", "did you mean 'talker'?"),
        ("demos/talker", "there is no package 'demos' with executables", "did you mean 'demo'?"),
    ],
)
def test_a_missing_executable_is_said_with_place_and_nearest_name(
    tmp_path: Path, named: str, said: str, to_do: str
) -> None:
    program(tmp_path / "lib" / "demo" / "talker")
    around = {"AMENT_PREFIX_PATH": str(tmp_path)}
    with pytest.raises(InputError) as raised:
        program_of("chat", Executable(named, at=AT), around)
    (problem,) = raised.value.problems
    assert problem.code == "executable-missing"
    assert problem.text == f"executable 'chat': {said}"
    assert problem.location == AT
    assert problem.hint == to_do


def test_without_ros_the_hint_is_to_source_it() -> None:
    with pytest.raises(InputError) as raised:
        program_of("chat", Executable("demo/talker"), {})
    assert "AMENT_PREFIX_PATH is empty" in raised.value.problems[0].text
    assert "setup.bash" in raised.value.problems[0].hint


def test_all_that_is_missing_is_said_at_once(tmp_path: Path) -> None:
    data = program(tmp_path / "data.txt", executable=False)
    named = {"a": Executable(str(data)), "b": Executable("demo/b"), "c": Executable("/none")}
    with pytest.raises(InputError) as raised:
        require_programs(named, {})
    texts = [p.text for p in raised.value.problems]
    assert [t.split(":")[0] for t in texts] == [f"executable '{n}'" for n in "abc"]
    assert raised.value.problems[0].hint == f"chmod +x {data}"


def test_ros_can_choose_our_middleware_or_it_is_put_in_front(tmp_path: Path) -> None:
    assert middleware_environment({"AMENT_PREFIX_PATH": str(tmp_path)}) is None
    linked = installed(tmp_path / "wheels", "rmw_ligament_cpp")
    library = str(tmp_path / "wheels/lib/librmw_ligament_cpp.so")
    chosen = {"RMW_IMPLEMENTATION": "rmw_ligament_cpp"}
    assert middleware_environment(linked) == {**chosen, "LD_PRELOAD": library}
    twice = {**linked, "LD_PRELOAD": f"{library}:other.so"}
    assert (middleware_environment(twice) or {})["LD_PRELOAD"] == f"{library}:other.so"
    full = installed(tmp_path / "ros", "rmw_ligament_cpp", "rmw_implementation")
    assert middleware_environment(full) == chosen


def test_command_environment_and_parameters(tmp_path: Path) -> None:
    file = program(tmp_path / "node")
    one = Executable(
        str(file),
        arguments=("--fast", "1"),
        name="front",
        namespace="/left",
        parameters={"gain": 4.0, "mode": "on", "list": [1, 2]},
        parameter_files=("/etc/p.yaml",),
        remap={"image": "/image_raw"},
        log_level="debug",
        environment={"COLOUR": "1"},
    )
    inherited = installed(tmp_path / "ros", "rmw_ligament_cpp", "rmw_implementation")
    around = Surroundings(tmp_path / "run", 7, "warn", {"LIGAMENT_RUN_ID": "r"}, inherited)
    (spec,) = executable_specs({"camera": one}, around)
    written = tmp_path / "run" / "config" / "camera.yaml"
    assert spec.command == [
        *(str(file), "--fast", "1", "--ros-args", "--log-level", "debug"),
        *("-r", "__node:=front", "-r", "__ns:=/left", "--params-file", "/etc/p.yaml"),
        *("--params-file", str(written), "-r", "image:=/image_raw"),
    ]
    assert written.read_text() == parameter_text(one.parameters)
    assert spec.environment == {
        "PYTHONUNBUFFERED": "1",
        "LIGAMENT_RUN_ID": "r",
        "RMW_IMPLEMENTATION": "rmw_ligament_cpp",
        "ROS_DOMAIN_ID": "7",
        "LIGAMENT_CONTAINER": "camera",
        "COLOUR": "1",
    }
    assert (spec.name, spec.external, spec.nodes) == ("camera", True, [])
    own = {"PYTHONUNBUFFERED": "", "ROS_DOMAIN_ID": "9", "LIGAMENT_RUN_ID": "own"}
    (spec,) = executable_specs({"camera": replace(one, environment=own)}, around)
    assert own.items() <= spec.environment.items(), "the graph's word is the last"
    (plain,) = executable_specs({"camera": Executable(str(file))}, around)
    assert plain.command == [str(file), "--ros-args", "--log-level", "warn"]


def test_a_string_stays_a_string_in_a_parameter_file() -> None:
    text = parameter_text({"b.c": "on", "a": True, "n": "5"})
    assert text == '/**:\n  ros__parameters:\n    "a": true\n    "b.c": "on"\n    "n": "5"\n'


def test_who_is_on_another_middleware_needs_the_edge(tmp_path: Path) -> None:
    other = Executable("/a", environment={"RMW_IMPLEMENTATION": "rmw_cyclonedds_cpp"})
    named = {"other": other, "ours": Executable("/b")}
    ours = installed(tmp_path / "ros", "rmw_ligament_cpp")
    assert outsiders(named, ours) == ["other"]
    assert "another middleware, as the graph says" in outside_note(["other"], ours)
    assert outsiders(named, {}) == ["other", "ours"]
    assert "rmw_ligament_cpp is not in AMENT_PREFIX_PATH" in outside_note(["ours"], {})
    given = EdgeOptions()
    assert edge_options({}, given, NETWORK, {}) is given
    alone = {"ours": Executable("/b")}
    assert edge_options(alone, given, NETWORK, ours) == EdgeOptions(wanted=False, shared=True)
    assert edge_options(named, given, NETWORK, ours) == EdgeOptions(wanted=True, shared=True)
    asked = EdgeOptions(wanted=True)
    assert edge_options(alone, asked, NETWORK, ours).wanted, "the user asks for it"
    # It is not pushed onto ours with the library of another middleware's choice.
    around = Surroundings(tmp_path, 7, inherited=ours)
    program(tmp_path / "a")
    (spec,) = executable_specs({"o": replace(other, executable=str(tmp_path / "a"))}, around)
    assert spec.environment["RMW_IMPLEMENTATION"] == "rmw_cyclonedds_cpp"
    assert "LD_PRELOAD" not in spec.environment


def test_nobody_is_met_with_the_range_off() -> None:
    with pytest.raises(InputError, match="would meet nobody"):
        edge_options({"a": Executable("/a")}, EdgeOptions(), Network(7, "off", ()), {})


def test_a_host_runs_its_own_and_those_without_a_host() -> None:
    build = {"executables": {n: {"executable": "/x", "host": n} for n in ("robot", "desk")}}
    build["executables"]["any"] = {"executable": "/x"}
    assert sorted(executables_of(build, "desk")) == ["any", "desk"]
    assert sorted(executables_of(build, None)) == ["any", "desk", "robot"]


def test_a_graph_is_done_when_the_executable_at_its_end_has_ended() -> None:
    topics = {"/image": {"publishers": ["/camera"], "subscriptions": []}}
    named = {
        "viewer": Executable("/v", subscribes={"/image": "sensor_msgs/msg/Image"}),
        "helper": Executable("/h"),
        "source": Executable("/s", publishes={"/start": "std_msgs/msg/Empty"}),
        "starter": Executable("/t", subscribes={"/start": "std_msgs/msg/Empty"}),
    }
    joined, counted = with_executables(topics, named)
    assert counted == ["viewer", "source", "starter"]
    is_finished = finished_when([], ["/camera", *counted], joined)
    assert not is_finished({"/camera", "starter"})
    assert is_finished({"viewer", "starter"})
    assert topics == {"/image": {"publishers": ["/camera"], "subscriptions": []}}
