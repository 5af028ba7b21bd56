# SPDX-License-Identifier: Apache-2.0
"""Services of nodes in hardware: real clients, cores in the simulator, responses to who asked."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import uuid
from pathlib import Path

import pytest

HERE = Path(__file__).parent
LIGAMENT = [sys.executable, "-m", "ligament.cli.main"]
EXAMPLE = HERE.parents[2] / "examples" / "adder"

#: Two cores with services in one design, one of them with topics too, and a client of each.
GRAPH = """schema: ligament/graph/1
name: case_services
packages: [{nodes}, {example}]
nodes:
  swapped: {{type: case/swapped, namespace: chip, remap: {{add: /add}}, on_failure: continue}}
  asker: {{type: example/asker, parameters: {{requests: 8, ahead: 4}}}}
  tally: {{type: case/tally}}
  census: {{type: case/census, parameters: {{file: {file}, count: 3}}}}
topics: {{image: {{bound_bytes: 10000}}, passed: {{bound_bytes: 10000}}}}
variants:
  one: {{}}
  several: {{fpga: {{in_flight: 4}}}}
  silent: {{parameters: {{swapped: {{fault: silent}}, asker: {{limit_ms: 3000}}}}}}
"""
#: What each fault of a core makes its node say.
FAULTS = {
    "silent": "it gave no whole message on add_response within ",
    "stranger": "its response is to no request that waits for one",
    "refuses": "it refuses the message with code 77, which its manifest does not explain",
    "short": "its output add_response breaks the layout of the message: "
    "it is not as long as its header says",
}
FAULTY = """schema: ligament/graph/1
name: case_faulty
packages: [{nodes}, {example}]
nodes:
  swapped: {{type: case/swapped}}
  asker: {{type: example/asker, parameters: {{requests: 2, limit_ms: 3000}}}}
variants:
  silent: {{parameters: {{swapped: {{fault: silent}}}}}}
  stranger: {{parameters: {{swapped: {{fault: stranger}}}}}}
  refuses: {{parameters: {{swapped: {{fault: refuses}}}}}}
  short: {{parameters: {{swapped: {{fault: short}}}}}}
"""
#: Four clients in processes of their own, and a fifth one that dies with open requests: long before
#: the others are done, who have as many requests as that takes.
CROWD = """schema: ligament/graph/1
name: case_crowd
packages: [{nodes}, {example}]
nodes:
  swapped: {{type: case/swapped}}
  quitter: {{type: case/quitter, on_failure: continue}}
  first: &client {{type: example/asker, parameters: {{requests: 200, ahead: 4}}}}
  second: *client
  third: *client
  fourth: *client
variants:
  several: {{containers: separate, fpga: {{in_flight: 4}}}}
"""
#: The server's process dies while two clients in processes of their own have open requests.
KILLED = """schema: ligament/graph/1
name: case_killed
packages: [{nodes}]
nodes:
  swapped: {{type: case/swapped, on_failure: continue}}
  blade: {{type: case/blade, parameters: {{file: {file}, count: 2}}, on_failure: continue}}
  first: {{type: case/survivor, parameters: {{file: {file}, number: 0, returns: false}}}}
  second: {{type: case/survivor, parameters: {{file: {file}, number: 1, returns: false}}}}
variants:
  dead: {{containers: {{chip: [swapped, blade], a: [first], b: [second]}}, fpga: {{in_flight: 4}}}}
"""
#: A core that hangs, and a client that asks for more than the service's ring holds.
SLOW = """schema: ligament/graph/1
name: case_slow
packages: [{nodes}, {example}]
nodes:
  swapped: {{type: case/swapped, parameters: {{fault: silent}}, on_failure: continue}}
  asker: {{type: example/asker, parameters: {{requests: 20, ahead: 20, limit_ms: 10000}}}}
variants:
  slow: {{containers: separate}}
"""
#: The parameter services are there for ROS 2's tools, so there is an edge; nobody outside is met.
TUNED = """schema: ligament/graph/1
name: case_tuned
packages: [{nodes}, {example}]
edge: {{discovery_range: "off"}}
nodes:
  adder: {{type: example/adder}}
  tuner: {{type: case/tuner, parameters: {{file: {file}}}}}
variants:
  software: {{devices: {{adder: cpu0}}}}
  hardware: {{devices: {{adder: fpga0}}}}
default_variant: hardware
"""


def ligament(*words: str | Path, code: int = 0) -> str:
    result = subprocess.run(
        [*LIGAMENT, *map(str, words)], capture_output=True, text=True, check=False, env=os.environ
    )
    assert result.returncode == code, result.stdout + result.stderr
    return result.stdout


def run(graph: Path, variant: str, out: Path, *more: str, code: int = 0) -> Path:
    """The folder of a run in processes of their own."""
    words = ["--variant", variant, "--platform", "fpga_sim", "--out", out]
    domain = f"service_{uuid.uuid4().hex[:12]}"
    ligament("run", graph, *words, "--domain", domain, *more, code=code)
    (name,) = (
        json.loads((path).read_text())["graph"] for path in out.glob(f"*/{variant}/build.json")
    )
    return max((out / name / variant / "runs").iterdir())


def written(folder: Path, text: str) -> Path:
    graph = folder / "graph.yaml"
    graph.write_text(
        text.format(nodes=HERE / "nodes", example=EXAMPLE / "nodes", file=folder / "told.txt")
    )
    return graph


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of several tests: what one of them builds of a graph serves the others."""
    return tmp_path_factory.mktemp("shared")


def of_graph(shared: Path, text: str) -> tuple[Path, Path, Path]:
    """A graph's file in a folder of its own below, the folder of its builds, and `told.txt`.

    Nothing is in `told.txt`: what an earlier run wrote is gone.
    """
    folder = shared / text.split()[3]
    folder.mkdir(exist_ok=True)
    (folder / "told.txt").unlink(missing_ok=True)
    return written(folder, text), folder / "build", folder / "told.txt"


def answers_of(folder: Path, client: str = "asker") -> list[str]:
    return (folder / "outputs" / f"{client}.txt").read_text().splitlines()


def test_a_core_answers_as_software_does(tmp_path: Path) -> None:
    graph = EXAMPLE / "graph.yaml"
    expected = [f"{n} + {1000 * n * n} = {n + 1000 * n * n + 7}" for n in range(8)]
    for variant in ("software", "hardware", "pipelined"):
        assert answers_of(run(graph, variant, tmp_path)) == expected, variant


@pytest.mark.parametrize("variant", ["one", "several"])
def test_each_response_goes_to_its_request_in_whatever_order_they_come(
    shared: Path, variant: str
) -> None:
    graph, build, told = of_graph(shared, GRAPH)
    folder = run(graph, variant, build)
    assert answers_of(folder) == [f"{n} + {1000 * n * n} = {n + 1000 * n * n}" for n in range(8)]
    # A core with topics counts what it hands on, and tells it when it is asked.
    assert told.read_text().split() == ["1001", "2002", "3003"]


def test_a_core_that_hangs_leaves_the_others_of_its_fpga_what_they_keep(shared: Path) -> None:
    graph, build, told = of_graph(shared, GRAPH)
    folder = run(graph, "silent", build, code=1)
    assert all(line.endswith("= nothing") for line in answers_of(folder, "asker"))
    record = json.loads((folder / "run.json").read_text())
    assert {error["node"] for error in record["errors"]} == {"/chip/swapped"}
    # The other one counts on through the resets of the first: its core has not been reset.
    assert told.read_text().split() == ["1001", "2002", "3003"]


def test_many_clients_get_their_own_answers_though_one_dies(tmp_path: Path) -> None:
    clients = ("first", "second", "third", "fourth")
    until = [word for client in clients for word in ("--until", client)]
    folder = run(written(tmp_path, CROWD), "several", tmp_path / "build", *until)
    expected = [f"{n} + {1000 * n * n} = {n + 1000 * n * n}" for n in range(200)]
    for client in clients:
        assert answers_of(folder, client) == expected, client
    processes = json.loads((folder / "run.json").read_text())["processes"]
    ends = {process["container"]: process["exit"] for process in processes}
    assert ends["quitter"] == "killed by SIGKILL"


@pytest.mark.parametrize("returns", [False, True])
def test_a_server_that_is_killed_leaves_its_clients_with_what_it_answered(
    tmp_path: Path, returns: bool
) -> None:
    text = KILLED
    if returns:
        text = text.replace("on_failure: continue", "on_failure: restart")
        text = text.replace("returns: false", "returns: true")
    words = ["--until", "first", "--until", "second"]
    folder = run(written(tmp_path, text), "dead", tmp_path / "build", *words)
    for client in ("first", "second"):
        right, wrong, unanswered = map(int, answers_of(folder, client)[0].split())
        # What is open then, or asked of nobody, is not answered, and nobody hangs because of it.
        assert wrong == 0 and right >= (40 if returns else 20), client
        assert returns or unanswered >= 4, client
    processes = json.loads((folder / "run.json").read_text())["processes"]
    ends = [process["exit"] for process in processes if process["container"] == "chip"]
    assert ends[0] == "killed by SIGKILL"


@pytest.mark.parametrize("fault", list(FAULTS))
def test_a_core_that_does_not_answer_is_named_and_its_client_goes_on(
    shared: Path, fault: str
) -> None:
    graph, build, _ = of_graph(shared, FAULTY)
    folder = run(graph, fault, build, code=1)
    assert answers_of(folder) == ["0 + 0 = nothing", "1 + 1000 = nothing"]
    record = (folder / "run.json").read_text()
    assert FAULTS[fault] in record
    assert "/swapped" in record


def test_a_slow_simulation_is_not_taken_for_a_server_that_stands_still(tmp_path: Path) -> None:
    folder = run(written(tmp_path, SLOW), "slow", tmp_path / "build", code=1)
    assert answers_of(folder)[0].endswith("= nothing") and len(answers_of(folder)) == 20
    record = json.loads((folder / "run.json").read_text())
    # A million cycles per request until the core is given up: longer than any ordinary server is
    # waited for. The server got all requests meanwhile, though their client's ring holds half.
    assert {error["node"] for error in record["errors"]} == {"/swapped"}
    counts = {loss["what"]: loss["count"] for loss in record["losses"]}
    assert counts == {"timeouts": 20, "refused": 3, "dropped": 20}


@pytest.mark.parametrize("variant", ["software", "hardware"])
def test_a_register_follows_its_parameter_while_the_node_runs(shared: Path, variant: str) -> None:
    graph, build, told = of_graph(shared, TUNED)
    run(graph, variant, build)
    assert told.read_text().split() == ["42", "set", "142", "set", "39", "refused", "39"]
