# SPDX-License-Identifier: Apache-2.0
"""Executables of other packages as processes of a run: what is started, with which words.

They meet the graph's nodes in the ROS domain: through shared memory where `rmw_ligament_cpp` is
installed, which is chosen for them, else through the domain's edge.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ligament.artefacts import write_text
from ligament.errors import InputError, Location, Problem, listing, nearest
from ligament.graph.executable import Executable, executables_from_json
from ligament.run.discovery import Network
from ligament.run.edge import EdgeOptions
from ligament.run.process import ContainerSpec
from ligament.run.ros_python import python_with_rclpy

MIDDLEWARE = "rmw_ligament_cpp"
_CHOICE = "RMW_IMPLEMENTATION"
_PRELOAD = "LD_PRELOAD"


@dataclass(frozen=True)
class Surroundings:
    """What is around an executable: the run's folder and domain, and the tool's environment."""

    folder: Path
    domain_id: int
    log_level: str = "info"
    shared: Mapping[str, str] = field(default_factory=dict)
    """What all processes of the run have in their environment."""
    inherited: Mapping[str, str] = field(default_factory=lambda: os.environ)


def executables_of(build: Mapping[str, Any], host: str | None) -> dict[str, Executable]:
    """Return those of a build.json that this host runs."""
    return on_host(executables_from_json(build.get("executables", {})), host)


def on_host(executables: Mapping[str, Executable], host: str | None) -> dict[str, Executable]:
    """Return those that a host runs; all, where the graph is on one."""
    return {n: e for n, e in executables.items() if host is None or e.host in (None, host)}


def edge_options(
    executables: Mapping[str, Executable],
    given: EdgeOptions,
    network: Network,
    inherited: Mapping[str, str] = os.environ,
) -> EdgeOptions:
    """Return what the user says about the edge, with what executables need: the ROS domain."""
    if not executables:
        return given
    if network.discovery_range == "off":
        raise InputError(
            Problem(
                "executables-alone",
                f"with the discovery range off, {listing(executables)} would meet nobody",
                expected="ROS_AUTOMATIC_DISCOVERY_RANGE or the graph's `discovery_range`: "
                "localhost, subnet or system_default",
            )
        )
    wanted = given.wanted or bool(outsiders(executables, inherited))
    return replace(given, shared=True, wanted=wanted)


def outsiders(executables: Mapping[str, Executable], inherited: Mapping[str, str]) -> list[str]:
    """Return those that are not on `rmw_ligament_cpp`, and so need the domain's edge."""
    ours = middleware_environment(inherited) is not None
    return [
        name
        for name, one in executables.items()
        if one.environment.get(_CHOICE, MIDDLEWARE if ours else "") != MIDDLEWARE
    ]


def outside_note(names: list[str], inherited: Mapping[str, str]) -> str:
    """Return the sentence that says why these exchange messages through DDS."""
    if middleware_environment(inherited) is not None:
        return f"{listing(names)}: on another middleware, as the graph says, so through DDS"
    return (
        f"{listing(names)}: messages go through DDS, because {MIDDLEWARE} is not in "
        "AMENT_PREFIX_PATH; docs/how-to/ros2-workspace.md says how to install it"
    )


def middleware_environment(inherited: Mapping[str, str]) -> dict[str, str] | None:
    """Return what chooses `rmw_ligament_cpp` for a program; None where it is not installed.

    Where ROS 2 cannot choose (its Python wheels link one middleware), ours is put in front of it.
    """
    prefixes = prefixes_of(inherited)
    ours = next((p for p in _libraries(prefixes, MIDDLEWARE) if p.is_file()), None)
    if ours is None:
        return None
    chosen = {_CHOICE: MIDDLEWARE}
    if not any(p.is_file() for p in _libraries(prefixes, "rmw_implementation")):
        before = inherited.get(_PRELOAD, "")
        words = [str(ours), *(w for w in before.split(":") if w and w != str(ours))]
        chosen[_PRELOAD] = ":".join(words)
    return chosen


def _libraries(prefixes: list[Path], name: str) -> Iterator[Path]:
    return (prefix / "lib" / f"lib{name}.so" for prefix in prefixes)


def prefixes_of(environment: Mapping[str, str]) -> list[Path]:
    """Return where ROS 2 packages are installed."""
    return [Path(p) for p in environment.get("AMENT_PREFIX_PATH", "").split(":") if p]


def _workspaces(environment: Mapping[str, str], package: str) -> Iterator[Path]:
    """Where colcon installs a package; without ROS 2's own packages, that is all that it says."""
    for word in filter(None, environment.get("COLCON_PREFIX_PATH", "").split(":")):
        yield from (Path(word) / package, Path(word))


def executable_specs(
    executables: Mapping[str, Executable], around: Surroundings
) -> list[ContainerSpec]:
    """Return how they are started; raise InputError with the first that cannot be."""
    return [
        ContainerSpec(
            name=name,
            command=[
                *program_of(name, one, around.inherited),
                *one.arguments,
                *_ros_arguments(name, one, around),
            ],
            log=around.folder / "log" / f"{name}.log",
            nodes=[],
            on_failure=one.on_failure,
            external=True,
            environment=_environment(name, one, around),
        )
        for name, one in executables.items()
    ]


def _environment(name: str, one: Executable, around: Surroundings) -> dict[str, str]:
    """Return what is set in front of the inherited environment.

    LIGAMENT_CONTAINER: on our middleware it tells figures and events under this name.
    """
    chosen = middleware_environment(around.inherited) or {}
    if one.environment.get(_CHOICE, MIDDLEWARE) != MIDDLEWARE:
        chosen = {}
    # Otherwise what a Python program prints would stay in its buffer while it runs.
    prints = {"PYTHONUNBUFFERED": around.inherited.get("PYTHONUNBUFFERED", "1")}
    domain = {"ROS_DOMAIN_ID": str(around.domain_id), "LIGAMENT_CONTAINER": name}
    return {**prints, **around.shared, **chosen, **domain, **one.environment}


def require_programs(
    executables: Mapping[str, Executable], inherited: Mapping[str, str] = os.environ
) -> None:
    """Raise InputError with all that cannot be started, before anything is."""
    problems: list[Problem] = []
    for name, one in executables.items():
        try:
            program_of(name, one, inherited)
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)


def misspelt_programs(
    executables: Mapping[str, Executable], inherited: Mapping[str, str] = os.environ
) -> Iterator[Problem]:
    """Yield executables that a package has not, of packages that this shell knows.

    Those of a host are left out: it may be another one.
    """
    for name, one in executables.items():
        environment = {**inherited, **one.environment}
        package = one.executable.partition("/")[0]
        prefixes = [*prefixes_of(environment), *_workspaces(environment, package)]
        is_here = one.host is None and not one.is_file
        if is_here and any((prefix / "lib" / package).is_dir() for prefix in prefixes):
            try:
                program_of(name, one, inherited)
            except InputError as error:
                yield from error.problems


def program_of(name: str, one: Executable, inherited: Mapping[str, str]) -> list[str]:
    """Return the words that start it; raise InputError where there is no such program."""
    environment = {**inherited, **one.environment}
    if one.is_file:
        return _file_command(name, Path(one.executable), one.at, environment)
    package, _, program = one.executable.partition("/")
    prefixes = [*prefixes_of(environment), *_workspaces(environment, package)]
    for prefix in prefixes:
        path = prefix / "lib" / package / program
        if path.is_file() and os.access(path, os.X_OK):
            return [str(path)]
    raise InputError(_no_program(name, package, program, prefixes, one.at))


def _file_command(
    name: str, path: Path, at: Location | None, environment: Mapping[str, str]
) -> list[str]:
    if not path.is_file():
        text = f"executable '{name}': there is no file {path}"
        raise InputError(Problem("executable-missing", text, at, hint="mend its path, and build"))
    if os.access(path, os.X_OK):
        return [str(path)]
    if path.suffix == ".py":
        # Not the PATH's, where another one has rclpy: the tool's own may come first there.
        python = python_with_rclpy(prefixes_of(environment))
        found = shutil.which("python3", path=environment.get("PATH", ""))
        return [str(python or found or "python3"), str(path)]
    text = f"executable '{name}': {path} may not be executed"
    raise InputError(Problem("executable-missing", text, at, hint=f"chmod +x {path}"))


def _no_program(
    name: str, package: str, program: str, prefixes: list[Path], at: Location | None
) -> Problem:
    code, text = "executable-missing", f"executable '{name}': "
    if not prefixes:
        return Problem(
            code,
            f"{text}AMENT_PREFIX_PATH is empty, so the package '{package}' cannot be found",
            at,
            hint="source ROS 2's setup.bash, or install/setup.bash of your workspace",
        )
    folders = [p / "lib" / package for p in prefixes if (p / "lib" / package).is_dir()]
    if folders:
        known = sorted({f.name for d in folders for f in d.iterdir() if os.access(f, os.X_OK)})
        return Problem(
            code,
            f"{text}the package '{package}' has no executable '{program}'",
            at,
            expected=f"one of {listing(known)}, in {folders[0]}",
            hint=nearest(program, known),
        )
    packages = {f.name for p in prefixes if (p / "lib").is_dir() for f in (p / "lib").iterdir()}
    return Problem(
        code,
        f"{text}there is no package '{package}' with executables",
        at,
        expected=f"lib/{package}/{program} below one of {listing(map(str, prefixes))}",
        hint=nearest(package, sorted(packages)) or "a file of your own begins with ./",
    )


def _ros_arguments(name: str, one: Executable, around: Surroundings) -> list[str]:
    words = ["--ros-args", "--log-level", one.log_level or around.log_level]
    words += ["-r", f"__node:={one.name}"] if one.name else []
    words += ["-r", f"__ns:={one.namespace}"] if one.namespace else []
    files = list(one.parameter_files)
    if one.parameters:
        path = around.folder / "config" / f"{name}.yaml"
        write_text(path, parameter_text(one.parameters))
        files.append(os.path.abspath(path))
    words += [word for file in files for word in ("--params-file", file)]
    return [*words, *(w for f, to in sorted(one.remap.items()) for w in ("-r", f"{f}:={to}"))]


def parameter_text(parameters: Mapping[str, Any]) -> str:
    """Return a parameter file for all nodes; JSON's scalars keep a string such as `on` a string."""
    lines = (f"    {json.dumps(n)}: {json.dumps(v)}\n" for n, v in sorted(parameters.items()))
    return "/**:\n  ros__parameters:\n" + "".join(lines)
