# SPDX-License-Identifier: Apache-2.0
"""From build.json to what is started: folders of the run, configurations, commands."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ligament import resources
from ligament.artefacts import json_text, write_text
from ligament.build.target import Target, emulator_for, target_of
from ligament.disk import writing
from ligament.errors import FailureError, InputError, Problem
from ligament.graph import load_graph
from ligament.graph.model import NodeType
from ligament.mapping.model import GraphMapping
from ligament.run.boards import StandIn, is_board_named, stand_ins_of
from ligament.run.bring_up import BringUp, bring_up_of
from ligament.run.edge import EdgeOptions, EdgePlan, edge_specs, plan_edges
from ligament.run.executables import (
    Surroundings,
    executable_specs,
    executables_of,
    require_programs,
)
from ligament.run.hosts import Share, mapping_of, share_of
from ligament.run.overrides import (
    Overrides,
    apply_overrides,
    check_built_in,
    check_nodes,
    executables_with,
)
from ligament.run.process import ContainerSpec
from ligament.run.python_spec import command_of, environment_of, is_python, ros_python_for
from ligament.run.ros_python import RosPython


@dataclass(frozen=True)
class RunPlan:
    """One run, laid out on disk and ready to start."""

    build: Mapping[str, Any]
    run_id: str
    folder: Path
    domain: str
    specs: list[ContainerSpec]
    cores: str | None = None
    share: Share = field(default_factory=lambda: Share({}))
    edges: EdgePlan = field(default_factory=EdgePlan)
    emulated: Mapping[str, str] = field(default_factory=dict)
    """Nodes whose cores run natively or in a stand-in of a board, each with its device."""
    stand_ins: list[StandIn] = field(default_factory=list)
    """Of the boards of this host's nodes."""
    bring_up: BringUp = field(default_factory=BringUp)

    @property
    def nodes(self) -> list[str]:
        """The ids of all nodes."""
        return [node for spec in self.specs for node in spec.nodes]


@dataclass(frozen=True)
class PlanOptions:
    """What belongs to one run: domain, trace provider, log level, changed parameters."""

    domain: str | None = None
    trace: str | None = None
    log_level: str = "info"
    parameters: Overrides = field(default_factory=dict)
    cores: str | None = None
    edge: EdgeOptions = field(default_factory=EdgeOptions)
    host: str | None = None
    domain_id: int = 0
    """The ROS domain, where the graph has executables."""


def read_build(path: Path) -> dict[str, Any]:
    """Read build.json."""
    try:
        data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(
            Problem("build-unreadable", f"cannot read {path}: {error}", hint="run `ligament build`")
        ) from error
    if data.get("schema") != "ligament/build/1":
        problem = Problem(
            "schema-version", f"{path} is no build result", expected="schema: ligament/build/1"
        )
        raise InputError(problem)
    return data


def make_plan(build_path: Path, options: PlanOptions) -> RunPlan:
    """Make the run's folder with one configuration per container."""
    build = read_build(build_path)
    _require_libraries(build_path, build)
    check_nodes(options.parameters, _with_parameters(build))
    target = target_of(build)
    emulator, container_program = emulator_for(target), _container_program(target)
    mapping = mapping_of(build_path)
    share = share_of(build, mapping, options.host)
    ros = ros_python_for(share.containers.values(), mapping.distro if mapping else "")
    executables = executables_with(options.parameters, executables_of(build, options.host))
    require_programs(executables)
    edges = plan_edges(mapping, share, options.edge)
    types, on_cores = _node_types(build_path), _on_microcontrollers(mapping)
    configs = {
        name: _read_config(build_path.parent / container["config"], options, types, on_cores)
        for name, container in share.containers.items()
    }
    folder = new_run_folder(build_path.parent / "runs")
    plan = RunPlan(
        build,
        folder.name,
        folder,
        options.domain or build["graph"],
        [],
        options.cores,
        share,
        edges,
        _emulated(mapping),
        stand_ins=_stand_ins(build_path.parent, build, (mapping, share), folder / "log"),
    )
    shared = {**_environment(plan), "LIGAMENT_GRAPH": build["graph"]}
    shared["LIGAMENT_VARIANT"] = build["variant"]
    around = Surroundings(folder, options.domain_id, options.log_level, shared)
    specs = executable_specs(executables, around)
    plan = replace(plan, bring_up=_bring_up(plan, _container_program(None)))
    for name, config in configs.items():
        path = _configure(build_path.parent, plan, config, options)
        spec = _container_spec(plan, name, [*emulator, str(container_program)], path)
        if ros is not None and is_python(share.containers[name]):
            spec = _in_python(spec, ros, plan, path)
        plan.specs.append(_mapped(spec, mapping))
    specs += edge_specs(edges, plan.domain, plan.run_id, share.containers, folder / "log")
    for spec in specs:
        plan.specs.append(replace(spec, command=[*_on_cores(options.cores), *spec.command]))
    return plan


def _stand_ins(
    folder: Path, build: Mapping[str, Any], placed: tuple[GraphMapping | None, Share], log: Path
) -> list[StandIn]:
    """Those of the boards that this host's nodes are on."""
    mapping, share = placed
    used = {mapping.nodes[name].device for name in share.nodes} if mapping else set()
    return stand_ins_of(build, folder, log, used)


def _with_parameters(build: Mapping[str, Any]) -> list[str]:
    """What `--set` may name: nodes, and executables as if they were nodes of the root."""
    nodes = [name for container in build["containers"].values() for name in container["nodes"]]
    return [*nodes, *(f"/{name}" for name in build.get("executables", ()))]


def _container_program(target: Target | None) -> Path:
    prefix = resources.prefix() if target is None else target.prefix
    path = prefix / "lib" / "ligament" / "ligament-container"
    if not path.is_file():
        raise FailureError(
            f"the container program is missing: {path}",
            hint="make setup, in Ligament's repository; `ligament doctor` tells more",
        )
    return path


def _bring_up(plan: RunPlan, container_program: Path) -> BringUp:
    """How this host's lifecycle nodes are brought up, all from one pool."""
    nodes = [name for name in plan.build.get("lifecycle", ()) if name in plan.share.nodes]
    if nodes and plan.edges.per_container:
        raise InputError(
            Problem(
                "lifecycle-edge",
                f"lifecycle node '{nodes[0]}' cannot be brought up where each container has an "
                "edge and a pool of its own",
                expected="one edge per host (edge: {per: host}) for graphs with lifecycle nodes",
            )
        )
    program = container_program.with_name("ligament-lifecycle")
    return bring_up_of(nodes, program, plan.domain, plan.run_id)


def _emulated(mapping: GraphMapping | None) -> dict[str, str]:
    """Those that run natively; and in a stand-in, if nobody has named a board."""
    nodes = mapping.nodes if mapping else {}
    hardware = mapping.hardware if mapping else {}
    stand_ins = {
        name
        for name, figures in hardware.items()
        if figures.get("backend") == "uio" and "emulation" in figures and not is_board_named(name)
    }
    return {
        name: node.device
        for name, node in nodes.items()
        if node.implementation == "hls" or node.device in stand_ins
    }


def _wishes(mapping: GraphMapping | None, nodes: list[str]) -> dict[str, str]:
    return {name: mapping.nodes[name].on_failure for name in nodes} if mapping else {}


def _mapped(spec: ContainerSpec, mapping: GraphMapping | None) -> ContainerSpec:
    """With what the mapping says of its nodes: their wishes, and which are in which slots."""
    devices = {name: mapping.nodes[name].device for name in spec.nodes} if mapping else {}
    hardware = mapping.hardware if mapping else {}
    slots = {n: d for n, d in devices.items() if hardware.get(d, {}).get("slots")}
    shell = next((d.partition(".")[0] for d in slots.values()), "")
    return replace(spec, wishes=_wishes(mapping, spec.nodes), shell=shell, slots=slots)


def _container_spec(plan: RunPlan, name: str, program: list[str], config: Path) -> ContainerSpec:
    container = plan.share.containers[name]
    tools = ["--ros-tools"] if plan.edges.ros_tools else []
    return ContainerSpec(
        name=name,
        command=[*_on_cores(plan.cores), *program, *tools, str(config)],
        log=plan.folder / "log" / f"{name}.log",
        nodes=list(container["nodes"]),
        on_failure=container.get("on_failure", "stop"),
        environment={**_environment(plan), **plan.edges.environment(plan.run_id, name)},
        movable=True,
    )


def _in_python(spec: ContainerSpec, ros: RosPython, plan: RunPlan, path: Path) -> ContainerSpec:
    """The same container as a process of ROS 2's Python."""
    config = json.loads(path.read_text(encoding="utf-8"))
    command = [*_on_cores(plan.cores), *command_of(ros), str(path)]
    environment = {**spec.environment, **environment_of(ros, config)}
    return replace(spec, command=command, environment=environment, movable=False)


def _on_cores(cores: str | None) -> list[str]:
    """Words in front of a command that keep it on some cores; `taskset` becomes the command."""
    return [] if cores is None else ["taskset", "--cpu-list", cores]


def with_environment(plan: RunPlan, extra: Mapping[str, str]) -> RunPlan:
    """The same plan with more in every container's environment."""
    specs = [replace(s, environment={**s.environment, **extra}) for s in plan.specs]
    return replace(plan, specs=specs)


def _require_libraries(build_path: Path, build: Mapping[str, Any]) -> None:
    problems = []
    for node_type, library in build["libraries"].items():
        path = build_path.parent / library["path"]
        if not path.is_file():
            problems.append(
                Problem(
                    "library-missing",
                    f"the library of node type '{node_type}' is missing: {path.resolve()}",
                    hint="run `ligament build` again",
                )
            )
    if problems:
        raise InputError(problems)


def new_run_folder(runs: Path, inside: Collection[str] = ("log", "config", "outputs")) -> Path:
    """A folder named by the time, so that runs sort; a number is added within one second."""
    stamp = time.strftime("%Y%m%d-%H%M%S")
    try:
        with writing(runs):
            runs.mkdir(parents=True, exist_ok=True)
            folder = _first_free(runs, stamp)
            for name in inside:
                (folder / name).mkdir()
    except OSError as error:
        raise FailureError(
            f"cannot make the run's folder below {runs}: {error.strerror}",
            hint="choose another folder with --out DIR, or make this one writable",
        ) from error
    return folder


def _first_free(runs: Path, stamp: str) -> Path:
    """Make the folder at once: of several runs that start together, each gets its own."""
    for number in itertools.count():
        folder = runs / (stamp if number == 0 else f"{stamp}-{number}")
        with contextlib.suppress(FileExistsError):
            folder.mkdir()
            break
    return folder


def _node_types(build_path: Path) -> Mapping[str, NodeType]:
    """The node types of the graph, from the graph.json two folders up, where there is one."""
    path = build_path.parent.parent / "graph.json"
    return load_graph(path).types if path.is_file() else {}


def _on_microcontrollers(mapping: GraphMapping | None) -> set[str]:
    """The nodes whose fixed parameters are part of a firmware image."""
    nodes = mapping.nodes if mapping else {}
    return {n for n, node in nodes.items() if (node.implementation, node.kind) == ("mcu", "mcu")}


def _read_config(
    path: Path, options: PlanOptions, types: Mapping[str, NodeType], on_cores: Collection[str]
) -> dict[str, Any]:
    """Read a generated configuration and set this run's parameters in it."""
    try:
        data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        hint = "run `ligament generate` again"
        text = f"cannot read the configuration {path}: {error}"
        raise InputError(Problem("config-unreadable", text, hint=hint)) from error
    for node in data["nodes"]:
        if node["id"] in on_cores:
            check_built_in(options.parameters, node, types)
        apply_overrides(options.parameters, node, types)
    return data


def _configure(build: Path, plan: RunPlan, config: Mapping[str, Any], options: PlanOptions) -> Path:
    """Complete a configuration by what belongs to this run, and write it into the run's folder."""
    container = str(config["container"])
    path = plan.folder / "config" / f"{container}.json"
    data = {
        **config,
        "run_id": plan.run_id,
        "domain": plan.edges.pool(plan.domain, container),
        "trace": options.trace,
        "log_level": options.log_level,
    }
    if container in plan.edges.inside:
        data["edge"] = plan.edges.settings()
    for node in data["nodes"]:
        if node["library"]:  # a node in Python may be of an installed package
            node["library"] = str((build / node["library"]).resolve())
    write_text(path, json_text(data))
    return path


def _environment(plan: RunPlan) -> dict[str, str]:
    """Where nodes record their results; they find it by these names."""
    return {
        "LIGAMENT_RUN_ID": plan.run_id,
        "LIGAMENT_RUN_DIR": os.path.abspath(plan.folder),
        "LIGAMENT_OUTPUT_DIR": os.path.abspath(plan.folder / "outputs"),
    }
