# SPDX-License-Identifier: Apache-2.0
"""Nodes in Python in graphs: rclpy's own classes, which know nothing of a graph."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest
from dds_domain import dds_domain
from python_graph_runs import GRAPH, WATCHDOG_S, PythonRuns
from ros2_wheels import DISTROS
from run_chat import LIGAMENT
from test_rmw import Program

from ligament.graph.json_source import parse_json
from ligament.graph.schema import validate
from ligament.report.options import ReportOptions
from ligament.report.stage import make_report
from ligament.trace.errors import TraceError
from ligament.trace.session import require_lttng

REPOSITORY = Path(__file__).parents[3]
NUMBERS = [float(number) for number in range(20)]


@pytest.fixture
def runs(tmp_path: Path) -> PythonRuns:
    return PythonRuns(tmp_path, "jazzy")


@pytest.mark.parametrize("distro", DISTROS)
def test_name_remaps_parameters_and_qos_come_from_the_graph(tmp_path: Path, distro: str) -> None:
    # Late, so that it gets all that came before only as transient_local, which the graph asks for.
    outcome = PythonRuns(tmp_path, distro).run("pair", "--set", "collect.late=1.5")
    assert outcome.process.returncode == 0, outcome.process.stderr
    assert "finished (the work is done)" in outcome.process.stdout
    assert outcome.collected == {"numbers": NUMBERS, "answer": "2.0"}
    assert "/arm/first [1, 2]" in outcome.log("pair")
    assert "/right [5]" in outcome.log("pair")
    assert "hello from beside" in outcome.log("source")
    assert {p["exit"] for p in outcome.record["processes"]} == {"exit 0"}
    assert len(outcome.record["processes"]) == 3


class Parts(Program):
    """A program that uses parts of the container."""

    script = Path(__file__).with_name("container_parts.py")
    python_path = str(REPOSITORY / "tool")


@pytest.mark.parametrize("distro", DISTROS)
def test_ends_parameters_and_the_drain_are_as_the_graph_says(distro: str) -> None:
    with dds_domain() as domain_id:
        told = Parts(distro, domain_id, (), ours=True).result()
    assert told == {
        # A publisher keeps what others of its topic do, unless late comers would get it all.
        "depths": [30, 5], "deadline_ns": 20_000_000,
        "names": ["/arm/first", "/beside"],  # the second is the class's own affair
        "ends": [30, 5, 5], "range": [1, 7],
        "ticks": 0,  # what has come is handled, and nothing new begins
    }  # fmt: skip


#: Prints what comes on /arrived, to the last number, and which nodes there are.
LISTENER = """
import rclpy, rclpy.qos
from std_msgs.msg import Float64
rclpy.init()
node = rclpy.create_node("listener")
found = []
qos = rclpy.qos.QoSProfile(depth=30, durability=rclpy.qos.DurabilityPolicy.TRANSIENT_LOCAL)
node.create_subscription(Float64, "/arrived", lambda number: found.append(number.data), qos)
while len(found) < 20:
    rclpy.spin_once(node)
print(found, sorted(node.get_node_names_and_namespaces()))
"""


def test_with_ros_other_nodes_of_the_domain_take_part(runs: PythonRuns) -> None:
    with dds_domain() as domain_id:
        listener = runs.beside(LISTENER, domain_id)
        words = ["--ros", "--domain-id", str(domain_id), "--duration", "60", "--until", "right"]
        running = runs.start("pair", *words)
        out, errors = listener.communicate(timeout=WATCHDOG_S)
        running.send_signal(signal.SIGINT)
        running.communicate(timeout=WATCHDOG_S)
    assert listener.returncode == 0, errors
    assert str(NUMBERS) in out
    assert "('first', '/arm')" in out and "('right', '/')" in out


#: Sets parameters of /right as its node.yaml forbids, and prints what it is told.
SETTER = """
import json, rclpy
from rcl_interfaces.srv import DescribeParameters
from rclpy.parameter import Parameter
from rclpy.parameter_client import AsyncParameterClient
rclpy.init()
node = rclpy.create_node("setter")
client = AsyncParameterClient(node, "/right")
client.wait_for_services()
def ended(future):
    rclpy.spin_until_future_complete(node, future)
    return future.result()
def refused(**values):
    answer = ended(client.set_parameters([Parameter(n, value=v) for n, v in values.items()]))
    return [result.reason for result in answer.results]
told = refused(factor=100.5, fault="none of them", offsets=[1, 10], use_sim_time=False)
told += refused(factor=0.25)
(factor, fault) = ended(client.describe_parameters(["factor", "fault"])).descriptors
(limits,) = factor.floating_point_range
told += [[limits.from_value, limits.to_value], fault.additional_constraints]
print(json.dumps(told))
"""


@pytest.mark.parametrize("distro", DISTROS)
def test_rules_of_the_manifest_hold_while_the_graph_runs(tmp_path: Path, distro: str) -> None:
    runs = PythonRuns(tmp_path, distro)
    with dds_domain() as domain_id:
        words = ["--ros", "--domain-id", str(domain_id), "--set", "collect.count=1000"]
        running = runs.start("pair", *words)
        setter = runs.beside(SETTER, domain_id)
        try:
            out, errors = setter.communicate(timeout=WATCHDOG_S)
        finally:
            setter.kill()
            running.send_signal(signal.SIGINT)
            running.communicate(timeout=WATCHDOG_S)
    assert setter.returncode == 0, errors
    factor, fault, offsets, *others = json.loads(out)
    assert all(word in factor for word in ("factor", "100.5", "0", "100"))
    assert fault.startswith("parameter 'fault' is 'none of them', expected one of 'none', 'const")
    assert offsets == "parameter 'offsets' is [1, 10], expected -9 to 9"
    choices = "'none', 'constructor', 'callback', 'leave', 'exit', 'undeclared'"
    assert others == ["", "", [0.0, 100.0], f"one of {choices}"]


@pytest.mark.parametrize(("variant", "processes"), [("separate", 4), ("one", 1)])
def test_processes_are_as_the_mapping_says(runs: PythonRuns, variant: str, processes: int) -> None:
    outcome = runs.run(variant)
    assert outcome.collected["numbers"] == NUMBERS
    assert len(outcome.record["processes"]) == processes
    done = {line["node"] for line in outcome.lines("done")}
    assert "/collect" in done


def test_status_lines_are_as_declared(runs: PythonRuns) -> None:
    outcome = runs.run("pair")
    for line in (outcome.folder / "status.jsonl").read_text().splitlines():
        told = {k: v for k, v in json.loads(line).items() if k != "container"}
        assert validate(parse_json(json.dumps(told), "line"), "status") == []
    node = [n for e in outcome.lines("status") for n in e["nodes"] if n["id"] == "/arm/first"][-1]
    assert node["callbacks"] >= len(NUMBERS)
    assert node["busy_ns"] > 0


def test_the_command_line_sets_parameters_of_this_run(runs: PythonRuns) -> None:
    outcome = runs.run("separate", "--set", "arm/first.factor=6")
    assert outcome.process.returncode == 0, outcome.process.stderr
    assert outcome.collected == {"numbers": [3 * n for n in NUMBERS], "answer": "6.0"}


def test_an_exception_in_a_callback_names_the_node_and_stops(runs: PythonRuns) -> None:
    outcome = runs.run("pair", "--set", "right.fault=callback")
    assert outcome.process.returncode == 1
    said = outcome.process.stderr
    assert "/right: its callback raised ZeroDivisionError: six is too much" in said
    assert "scale.py:" in said
    assert "container pair" in said and "in mid-run: exit 1" in said
    assert "Traceback" in outcome.log("pair")
    assert [e["node"] for e in outcome.record["errors"]] == ["/right"]


def test_a_node_that_leaves_is_done_and_the_others_go_on(runs: PythonRuns) -> None:
    outcome = runs.run(
        "pair", "--set", "right.fault=leave", "--until", "right", "--until", "source"
    )
    assert outcome.process.returncode == 0, outcome.process.stderr
    assert {line["node"] for line in outcome.lines("done")} == {"/right", "/source"}
    taken = [n for e in outcome.lines("status") for n in e["nodes"] if n["id"] == "/arm/first"][-1]
    assert taken["callbacks"] >= len(NUMBERS)


@pytest.mark.parametrize(
    ("fault", "code", "text"),
    [
        ("exit", 1, "/right: its callback raised SystemExit: 5"),
        ("constructor", 1, "/right: its constructor raised ValueError: no such scale"),
        ("undeclared", 2, "/right: the node declares no parameter 'offsets'"),
    ],
)
def test_other_ways_to_fail_are_told(runs: PythonRuns, fault: str, code: int, text: str) -> None:
    words = ["--set", f"right.fault={fault}"]
    outcome = runs.run("separate", *words)
    assert outcome.process.returncode == code
    assert text in outcome.process.stderr


def test_a_missing_ros_is_told_before_anything_is_built(tmp_path: Path) -> None:
    graph = REPOSITORY / "examples" / "threshold" / "graph.yaml"
    words = [*LIGAMENT, "run", str(graph), "--variant", "python", "--out", str(tmp_path / "out")]
    environment = {**os.environ, "AMENT_PREFIX_PATH": str(tmp_path)}
    ran = subprocess.run(words, capture_output=True, text=True, check=False, env=environment)
    assert ran.returncode == 2
    assert "nodes in Python need rclpy" in ran.stderr and str(tmp_path) in ran.stderr
    assert not list((tmp_path / "out").glob("threshold/*/build.json"))


def test_what_is_stopped_ends_in_order(runs: PythonRuns) -> None:
    outcome = runs.run("separate", "--set", "source.period=60.0", "--duration", "0.5")
    assert outcome.process.returncode == 0, outcome.process.stderr
    assert {p["exit"] for p in outcome.record["processes"]} == {"exit 0"}
    assert len(outcome.lines("stopped")) == 4


def test_a_class_that_cannot_be_imported_is_told(runs: PythonRuns) -> None:
    built = runs.run("one").folder.parents[1]
    file = built.parent / "lib" / "python" / "python_test-scale" / "scale.py"
    file.write_text("import no_such_package\n")
    outcome = runs.run("one", graph=built / "build.json")
    assert outcome.process.returncode == 2
    said = outcome.process.stderr
    assert "/right: " in said and "/arm/first: " in said
    assert "No module named 'no_such_package'" in said and "the Python of ROS 2" in said


def test_only_what_changed_is_copied_again(runs: PythonRuns) -> None:
    built = runs.run("one").folder.parents[1]
    copy = built.parent / "lib" / "python" / "python_test-source" / "counting.py"
    source = GRAPH.parent / "nodes" / "source" / "counting.py"
    assert copy.read_bytes() == source.read_bytes()
    before = copy.stat().st_mtime_ns
    runs.run("one")
    assert copy.stat().st_mtime_ns == before
    build = json.loads((built / "build.json").read_text())
    assert build["libraries"]["python_test/source@python"]["path"].endswith("source.py")
    assert build["containers"]["main_python"]["language"] == "python"


def test_the_report_follows_messages_through_nodes_in_python(runs: PythonRuns) -> None:
    try:
        require_lttng()
    except TraceError as error:
        pytest.skip(error.text)
    outcome = runs.run("pair", "--trace")
    assert outcome.process.returncode == 0, outcome.process.stderr
    report = make_report([outcome.folder], ReportOptions(warm_up=0))
    variant = report["variants"][0]
    assert [hop["to"] for hop in variant["hops"]] == ["/arm/first", "/right", "/collect"]
    assert variant["frames"] == len(NUMBERS)
    told = {(c["node"], c["kind"]) for c in variant["callbacks"]}
    assert {("/source", "timer"), ("/right", "subscription")} <= told


def test_python_and_cpp_give_the_same_images(runs: PythonRuns) -> None:
    """Of the threshold example: a node in C++, and the same on NumPy, where the images lie."""
    graph = REPOSITORY / "examples" / "threshold" / "graph.yaml"
    outcomes = [runs.run(v, "--trace", graph=graph) for v in ("software", "python")]
    for outcome in outcomes:
        assert outcome.process.returncode == 0, outcome.process.stderr
    hashes = [(o.folder / "outputs" / "sink.jsonl").read_text() for o in outcomes]
    assert hashes[0] == hashes[1] and hashes[0].count('"hash"') == 6
    report = make_report([o.folder for o in outcomes], ReportOptions(warm_up=0))
    software, python = report["variants"]
    assert python["equal"] is True
    assert [hop["to"] for hop in python["hops"]] == [hop["to"] for hop in software["hops"]]
    copies = [s["copies"] for e in outcomes[1].lines("status") for n in e["nodes"]
              for s in n["subscriptions"] if n["id"] == "/threshold"]  # fmt: skip
    assert set(copies) == {0}


def test_a_program_of_its_own_is_a_node_unchanged(runs: PythonRuns) -> None:
    """The colour tracker of examples/ros2, which knows of no graph."""
    graph = REPOSITORY / "examples" / "ros2" / "tracking.yaml"
    outcome = runs.run("default", "--duration", "3", graph=graph)
    assert outcome.process.returncode == 0, outcome.process.stderr
    nodes = [n for e in outcome.lines("status") for n in e["nodes"] if n["id"] == "/track_colour"]
    points = [p["published"] for p in nodes[-1]["publishers"] if p["topic"] == "/point"]
    taken = [s["taken"] for s in nodes[-1]["subscriptions"]]
    assert points == taken and points[0] > 0


def test_callbacks_of_several_groups_run_at_once_where_there_are_threads(runs: PythonRuns) -> None:
    graph = GRAPH.with_name("meeting.yaml")
    outcome = runs.run("threads", "--until", "meet", graph=graph)
    assert outcome.process.returncode == 0, outcome.process.stderr
    assert "/meet" in {line["node"] for line in outcome.lines("done")}
    outcome = runs.run("no_threads", "--until", "meet", graph=graph)
    assert outcome.process.returncode == 1
    assert "/meet: its callback raised threading.BrokenBarrierError" in outcome.process.stderr


def test_modules_of_one_name_in_one_process_are_refused(runs: PythonRuns) -> None:
    outcome = runs.run("one", graph=GRAPH.with_name("meeting.yaml"))
    assert outcome.process.returncode == 2
    assert "/twin: " in outcome.process.stderr
    assert "are modules of one name in one process" in outcome.process.stderr


def test_a_lifecycle_node_of_rclpy_is_brought_up(runs: PythonRuns) -> None:
    outcome = runs.run("default", "--duration", "60", graph=GRAPH.with_name("managed.yaml"))
    assert outcome.process.returncode == 0, outcome.process.stderr
    assert "finished (the work is done)" in outcome.process.stdout
    assert "configured /arm/managed" in outcome.log("arm-managed")
