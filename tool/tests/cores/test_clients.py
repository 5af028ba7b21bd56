# SPDX-License-Identifier: Apache-2.0
"""Cores that call services: of software, of cores, of servers that do what they should not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import uuid
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
LIGAMENT = [sys.executable, "-m", "ligament.cli.main"]
EXAMPLE = HERE.parents[2] / "examples" / "adder"

#: Numbers for a core, which asks a server about each: even ones `add`, odd ones `judge`.
GRAPH = """schema: ligament/graph/1
name: case_clients
packages: [{nodes}, {example}]
nodes:
  prompter: {{type: case/prompter, parameters: {{{prompts}}}}}
  caller:
    type: case/caller
    remap: {{add: /sum, judge: /verdict}}
    parameters: {{fault: {fault}}}
{servers}
topics: {{number: {{bound_bytes: 100}}, answer: {{bound_bytes: 100}}}}
variants:
  one: {{}}
  several: {{containers: separate, fpga: {{in_flight: 4}}}}
  separate: {{containers: separate}}
"""
MOODY = """  moody:
    type: case/moody
    remap: {{add: /sum, judge: /verdict}}
    parameters: {{mood: {mood}}}
    on_failure: continue
"""
CORE = "  adder: {type: example/adder, device: fpga0, remap: {add: /sum}}\n"
EIGHT = "numbers: 8, answers: 8, ahead: 2"


def answer_of(number: int) -> int:
    if number % 2 == 0:
        return 1001 * number
    return 1000 * number + (31 if number & 2 else 20)


def none_for(number: int) -> int:
    return -1 - number


def written(folder: Path, prompts: str, servers: str, fault: str = "none") -> Path:
    graph = folder / "graph.yaml"
    graph.write_text(
        GRAPH.format(
            nodes=HERE / "nodes",
            example=EXAMPLE / "nodes",
            prompts=prompts,
            servers=servers,
            fault=fault,
        )
    )
    return graph


def run(graph: Path, variant: str, *more: str, code: int = 0) -> Path:
    """The folder of a run."""
    out = graph.parent / "build"
    words = ["--variant", variant, "--platform", "fpga_sim", "--out", str(out)]
    domain = f"client_{uuid.uuid4().hex[:12]}"
    result = subprocess.run(
        [*LIGAMENT, "run", str(graph), *words, "--domain", domain, "--until", "prompter", *more],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ,
    )
    assert result.returncode == code, result.stdout + result.stderr
    return max((out / "case_clients" / variant / "runs").iterdir())


def answers(folder: Path) -> list[int]:
    return [int(word) for word in (folder / "outputs" / "prompter.txt").read_text().split()]


def losses(folder: Path) -> dict[str, int]:
    record = json.loads((folder / "run.json").read_text())
    found: dict[str, int] = {}
    for loss in record["losses"]:
        found[loss["what"]] = found.get(loss["what"], 0) + loss["count"]
    return found


def strayed(folder: Path) -> int:
    """Responses that the core's clients dropped, as its last status has them."""
    lines = map(json.loads, (folder / "status.jsonl").read_text().splitlines())
    nodes = [node for line in lines for node in line.get("nodes", ()) if node["id"] == "/caller"]
    return sum(client["strayed"] for client in nodes[-1]["clients"])


def errors(folder: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((folder / "run.json").read_text())["errors"]
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One for all graphs: the design is compiled once."""
    return tmp_path_factory.mktemp("clients")


@pytest.mark.parametrize("variant", ["one", "several"])
def test_a_core_gets_each_response_to_its_own_call(folder: Path, variant: str) -> None:
    graph = written(folder, EIGHT, MOODY.format(mood="good"))
    found = run(graph, variant)
    assert sorted(answers(found)) == sorted(answer_of(n) for n in range(8))
    assert losses(found) == {}
    assert errors(found) == []


def test_the_server_may_be_a_core_of_the_same_design(folder: Path) -> None:
    graph = written(folder, "step: 2, numbers: 6, answers: 6, ahead: 2", CORE)
    found = run(graph, "one")
    assert sorted(answers(found)) == [answer_of(n) for n in range(0, 12, 2)]
    assert losses(found) == {}


def test_a_call_waits_for_a_server_that_starts_late(folder: Path) -> None:
    found = run(written(folder, EIGHT, MOODY.format(mood="slow_start")), "separate")
    assert sorted(answers(found)) == sorted(answer_of(n) for n in range(8))
    assert losses(found) == {}


def test_without_a_server_the_core_is_told_that_there_is_no_response(folder: Path) -> None:
    found = run(written(folder, "numbers: 4, answers: 4, ahead: 2", ""), "one")
    assert sorted(answers(found)) == sorted(none_for(n) for n in range(4))
    assert losses(found) == {"timeouts": 4}
    assert errors(found) == []


def test_a_server_that_never_answers_does_not_hang_the_core(folder: Path) -> None:
    prompts = "numbers: 4, answers: 4, ahead: 2"
    found = run(written(folder, prompts, MOODY.format(mood="mute")), "separate")
    assert sorted(answers(found)) == sorted(none_for(n) for n in range(4))
    assert losses(found)["timeouts"] == 4


def test_a_response_that_comes_too_late_is_dropped_and_counted(folder: Path) -> None:
    prompts = "numbers: 6, answers: 6, ahead: 1"
    found = run(written(folder, prompts, MOODY.format(mood="late")), "separate")
    expected = [none_for(n) if n % 2 else answer_of(n) for n in range(6)]
    assert answers(found) == expected
    assert losses(found)["timeouts"] == 3
    # The last one is still to come when the run ends, unless that takes long.
    assert strayed(found) in (2, 3)


def test_a_second_response_is_dropped_and_counted(folder: Path) -> None:
    prompts = "numbers: 8, answers: 8, ahead: 1"
    found = run(written(folder, prompts, MOODY.format(mood="twice")), "separate")
    assert answers(found) == [answer_of(n) for n in range(8)]
    assert strayed(found) >= 7  # the last one may come behind the end


def test_a_response_over_its_bound_is_told_apart_from_none(folder: Path) -> None:
    prompts = "first: 1, step: 2, numbers: 3, answers: 3, ahead: 1"
    found = run(written(folder, prompts, MOODY.format(mood="long")), "separate")
    assert answers(found) == [-1000000 - n for n in (1, 3, 5)]


def test_a_server_that_is_killed_leaves_a_core_that_goes_on(folder: Path) -> None:
    prompts = "numbers: 6, answers: 6, ahead: 1"
    found = run(written(folder, prompts, MOODY.format(mood="mortal")), "separate")
    assert answers(found) == [*(answer_of(n) for n in range(3)), *(none_for(n) for n in (3, 4, 5))]
    assert losses(found)["timeouts"] == 3
    processes = json.loads((found / "run.json").read_text())["processes"]
    ends = {process["container"]: process["exit"] for process in processes}
    assert ends["moody"] == "killed by SIGKILL"


def test_more_calls_than_declared_have_no_response_and_the_node_is_named(folder: Path) -> None:
    prompts = "numbers: 1, answers: 3, ahead: 1"
    graph = written(folder, prompts, MOODY.format(mood="good"), fault="greedy")
    found = run(graph, "one", code=1)
    assert sorted(answers(found)) == [none_for(4), answer_of(0), answer_of(2)]
    (error,) = errors(found)
    assert error["node"] == "/caller"
    assert "more requests open than its manifest says" in error["text"]


def test_a_second_call_with_a_number_that_is_open_is_dropped(folder: Path) -> None:
    prompts = "numbers: 1, answers: 1, ahead: 1"
    graph = written(folder, prompts, MOODY.format(mood="good"), fault="twin")
    found = run(graph, "one", code=1)
    assert answers(found) == [answer_of(0)]
    (error,) = errors(found)
    assert "the number of a request that has no response yet" in error["text"]
