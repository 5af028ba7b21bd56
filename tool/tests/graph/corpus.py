# SPDX-License-Identifier: Apache-2.0
"""How Python judges a case of spec/cases; `test_corpus` compares it with the expected verdict.

Run as a script, it prints what the tool says about each case whose expectation is not met, for a
person to read and, if it is right, to write down.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

from ligament.errors import InputError, Problem
from ligament.graph import load_graph, loader, read_document
from ligament.graph.loader import Project, read_project
from ligament.graph.node_types import build_node_types
from ligament.mapping import installed, load_mapping, load_platform, map_graph, planned
from ligament.mapping.files import board_memory
from ligament.mapping.platform import build_platform
from ligament.resources import spec_dir

CASES = spec_dir() / "cases"
Expectation = dict[str, Any]


def _graph(path: Path, _: Expectation) -> None:
    load_graph(path)


def _node(path: Path, _: Expectation) -> None:
    """Judge one node.yaml among the corpus' node types, as a graph that lists its folder would."""
    project: Project = read_project(CASES / "graph" / "everything.yaml")
    document = read_document(path, "node")
    problems: list[Problem] = []
    from ligament.graph.loader import _check_sources

    _check_sources(document, path.parent, problems)
    documents = {**project.node_types, document.data["type"]: document}
    build_node_types(documents, project.messages, problems)
    if problems:
        raise InputError(problems)


def _platform(path: Path, _: Expectation) -> None:
    build_platform(read_document(path, "platform"), board_memory)


def _map(path: Path, expected: Expectation) -> None:
    name = expected.get("platform", "host")
    platform = load_platform(name if name == "host" else str(CASES / "platforms" / f"{name}.yaml"))
    backends = planned() if expected.get("plan") else installed()
    map_graph(load_graph(path), platform, expected.get("variant"), backends)


def _mapping(path: Path, _: Expectation) -> None:
    load_mapping(path)


def _schema(kind: str) -> Callable[[Path, Expectation], None]:
    def judge(path: Path, _: Expectation) -> None:
        read_document(path, kind)

    return judge


JUDGES: dict[str, Callable[[Path, Expectation], None]] = {
    "graph": _graph,
    "node": _node,
    "platform": _platform,
    "map": _map,
    "mapping": _mapping,
    "normalised-graph": _graph,
    "build": _schema("build"),
    "costs": _schema("costs"),
    "manifest": _schema("manifest"),
    "run": _schema("run"),
    "report": _schema("report"),
    "bench": _schema("bench"),
    "events": _schema("events"),
    "container": _schema("container"),
    "target": _schema("target"),
    "software-demo": _schema("software-demo"),
}


def all_cases() -> list[tuple[str, Path]]:
    """Return (kind, path of the instance) of each case that Python judges, sorted."""
    found = []
    for expectation in sorted(CASES.glob("*/*.expect.json")):
        kind = expectation.parent.name
        name = expectation.name.removesuffix(".expect.json")
        instance = next(p for p in sorted(expectation.parent.glob(f"{name}.*")) if p != expectation)
        if kind in JUDGES:
            found.append((kind, instance))
    return found


def expectation_of(path: Path) -> Expectation:
    """Return the expected verdict of a case."""
    expected = path.with_name(path.stem + ".expect.json")
    data: Expectation = json.loads(expected.read_text(encoding="utf-8"))
    return data


def judge(kind: str, path: Path) -> tuple[Problem, ...]:
    """Return the problems that the tool finds in a case; none means valid."""
    # A folder without node types stands for those that ship: the corpus does not depend on them.
    with mock.patch.object(loader, "node_packages_dir", lambda: CASES / "platforms"):
        try:
            JUDGES[kind](path, expectation_of(path))
        except InputError as error:
            return error.problems
    return ()


def observed(path: Path, problems: tuple[Problem, ...]) -> list[Expectation]:
    """Return problems in the form of an expectation."""
    found = []
    for problem in problems:
        entry: Expectation = {"code": problem.code, "contains": problem.text}
        if problem.location:
            if Path(problem.location.file).name != path.name:
                entry["file"] = Path(problem.location.file).name
            entry["line"], entry["column"] = problem.location.line, problem.location.column
        found.append(entry)
    return found


def mismatches(path: Path, problems: tuple[Problem, ...]) -> list[str]:
    """Return how the tool's problems differ from what the case expects."""
    expected = expectation_of(path)
    wanted = expected.get("problems", [])
    wrong = []
    if expected.get("verdict") != ("invalid" if problems else "valid"):
        wrong.append(f"the verdict should be {expected.get('verdict')}")
    if len(wanted) != len(problems):
        wrong.append(f"{len(wanted)} problems expected, {len(problems)} found")
    for want, problem, seen in zip(wanted, problems, observed(path, problems), strict=False):
        for key in ("code", "file", "line", "column"):
            if want.get(key) != seen.get(key):
                wrong.append(f"{key} should be {want.get(key)}, is {seen.get(key)}")
        for key, text in (("contains", problem.text), ("hint", problem.hint)):
            if want.get(key, "") not in text:
                wrong.append(f"'{want[key]}' is not in '{text}'")
    return wrong


def main() -> None:
    """Print the cases that are not judged as expected; `--record` writes what is observed."""
    for kind, path in all_cases():
        problems = judge(kind, path)
        wrong = mismatches(path, problems)
        if not wrong:
            continue
        print(f"{kind}/{path.name}: {expectation_of(path)['why']}")
        for problem in problems:
            where = problem.location
            shown = f"{Path(where.file).name}:{where.line}:{where.column}" if where else "-"
            print(
                f"    {shown} [{problem.code}] {problem.text} | {problem.expected} | {problem.hint}"
            )
        if "--record" in sys.argv:
            expected = {k: v for k, v in expectation_of(path).items() if k != "problems"}
            expected["verdict"] = "invalid" if problems else "valid"
            if problems:
                expected["problems"] = observed(path, problems)
            target = path.with_name(path.stem + ".expect.json")
            target.write_text(json.dumps(expected, indent=2) + os.linesep, encoding="utf-8")


if __name__ == "__main__":
    main()
