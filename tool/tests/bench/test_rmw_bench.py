# SPDX-License-Identifier: Apache-2.0
"""`ligament bench rmw`: what it asks, the rows it makes, its verdicts, and a small real run."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest

from ligament import resources
from ligament.bench import measuring, rmw
from ligament.bench.framework import SCHEMA
from ligament.bench.goals import MISSED, REACHED, lines_of
from ligament.bench.measuring import OURS, make_row
from ligament.bench.rmw import contestants, graph
from ligament.bench.rmw.cells import COPIES, MEGABYTE, ONE_READER, ONE_WAY, ROUND_TRIP, Cell, cells
from ligament.bench.rmw.contestants import PROFILE, SHIPPED, TUNED, Ros, domain_of, prepare
from ligament.bench.rmw.runs import Figures, figures_of, run_once
from ligament.errors import FailureError, InputError

_TOOL = str(Path(measuring.__file__).parents[2])
IMAGE = Cell(ONE_WAY, MEGABYTE, 20_000, 40)
EIGHT = Cell(ONE_WAY, MEGABYTE, 20_000, 40, subscribers=8, contestants=(OURS, SHIPPED))
SMALL = Cell(ONE_WAY, 64, 2000, 20, contestants=(OURS, SHIPPED))
CALL = Cell(ROUND_TRIP, 64, 2000, 20, contestants=(OURS, SHIPPED))


def said(role: str, rmw_name: str = "rmw_ligament_cpp", **more: Any) -> dict[str, Any]:
    return {"role": role, "rmw": rmw_name, **more}


def runs_of(cell: Cell, **latency_us: float) -> dict[str, list[Figures]]:
    """Six passes of everybody: each latency, a publish call that takes half of it."""
    names = {"ours": OURS, "shipped": SHIPPED, "tuned": TUNED, "copies": COPIES}
    return {
        names[name]: [
            Figures([int(us * 1000) + k], [int(us * 500)], [int(us * 400)]) for k in range(6)
        ]
        for name, us in latency_us.items()
    }


def result_of(*runs: tuple[Cell, dict[str, list[Figures]]]) -> dict[str, Any]:
    rows = [row for cell, of in runs for row in rmw.rows_of_cell(cell, of)]
    comparisons = [one for cell, of in runs for one in rmw.comparisons_of(cell, of)]
    comparisons += rmw.eight_to_one(dict(runs))
    context: dict[str, Any] = {"machine": {}, "commit": None, "command": [], "versions": {}}
    return {"schema": SCHEMA, "context": context, "rows": rows, "comparisons": comparisons}


def verdicts(result: dict[str, Any]) -> dict[str, str]:
    return {line.what: line.verdict for line in lines_of(rmw.FIGURES, result)}


def test_sizes_calls_and_eight_readers_are_asked() -> None:
    asked = cells(quick=False)
    assert {c.bytes for c in asked if c.has_floor} == {MEGABYTE, 10 * MEGABYTE}
    assert {c.subscribers for c in asked} == {1, 8}
    assert {c.metric for c in cells(quick=True)} == {ONE_WAY, ROUND_TRIP}
    assert all(c.warmup > c.depth for c in asked), "the first messages fill the history"
    assert all(COPIES in c.everybody for c in asked if c.has_floor)
    assert [s.processes for s in rmw.sizes_of(False, rmw.Options())] == [20, 100]
    with pytest.raises(InputError, match="--processes"):
        rmw.sizes_of(False, rmw.Options(processes="20,many"))


def test_what_the_ends_say_is_read() -> None:
    told = [
        said("subscribe", lost=1, latency_ns=[30, 31]),
        said("subscribe", lost=2, latency_ns=[32]),
        said("publish", publish_ns=[9, 10], publish_cpu_ns=[7, 8]),
    ]
    assert figures_of(told, OURS) == Figures([30, 31, 32], [9, 10], [7, 8], 3)


def test_a_run_on_another_middleware_or_without_messages_fails() -> None:
    told = [said("subscribe", "rmw_fastrtps_cpp", lost=0, latency_ns=[30])]
    assert figures_of(told, TUNED).latency_ns == [30]
    with pytest.raises(FailureError, match="ligament ran on rmw_fastrtps_cpp"):
        figures_of(told, OURS)
    for told in ([said("subscribe", lost=40, latency_ns=[])], [said("publish", publish_ns=[1])]):
        with pytest.raises(FailureError, match="nothing was heard"):
            figures_of(told, OURS)


def test_a_peer_that_fails_is_run_once_more_and_told(monkeypatch: pytest.MonkeyPatch) -> None:
    ros = Ros("jazzy", Path("/ros"), Path("/ros/ours.so"), Path("/program"), "/python.so")
    runs: list[str] = []

    def fail_first(_: Ros, name: str, __: Cell) -> Figures:
        runs.append(name)
        if len(runs) == 1:
            raise FailureError("publish has not ended", command=["env"])
        return Figures([1])

    monkeypatch.setattr(rmw, "run_once", fail_first)
    notes: list[str] = []
    assert rmw._run(ros, TUNED, IMAGE, notes).latency_ns == [1]
    assert notes == [f"{TUNED}, {IMAGE.title}: run once more, because publish has not ended"]
    runs.clear()
    with pytest.raises(FailureError):
        rmw._run(ros, OURS, IMAGE, notes)
    assert (runs, len(notes)) == ([OURS], 1)


def test_rows_and_comparisons_are_of_the_benches_form() -> None:
    of = runs_of(IMAGE, ours=260, shipped=11_000, tuned=650, copies=310)
    result = result_of((IMAGE, of))
    schema = json.loads((resources.spec_dir() / "report" / "bench.schema.json").read_text())
    jsonschema.validate(json.loads(json.dumps(result)), schema)
    assert {c["peer"] for c in result["comparisons"]} == {SHIPPED, TUNED, COPIES}
    assert all(c["passes"] == 6 for c in result["comparisons"])
    [ours] = [r for r in result["rows"] if (r["metric"], r["peer"]) == (ONE_WAY, OURS)]
    assert (ours["n"], ours["lost"], ours["p50"]) == (6, 0, 260_002)


@pytest.mark.parametrize(
    ("ours", "reached"),
    [(260.0, (True, True, True)), (330.0, (True, True, False)), (400.0, (False, True, False)),
     (2300.0, (False, False, False))],
)  # fmt: skip
def test_an_image_is_judged_by_copies_and_by_both_settings(
    ours: float, reached: tuple[bool, ...]
) -> None:
    of = runs_of(IMAGE, ours=ours, shipped=11_000, tuned=650, copies=310)
    found = verdicts(result_of((IMAGE, of)))
    goals = (
        "image of 1 MB",
        "image of 1 MB, to Fast DDS as it ships",
        "image of 1 MB, to Fast DDS tuned",
    )
    assert [found[goal] for goal in goals] == [REACHED if one else MISSED for one in reached]
    assert found["image of 1 MB, 99th percentile"] == ""


@pytest.mark.parametrize(("ours", "verdict"), [(50.0, REACHED), (61.0, MISSED)])
def test_small_messages_and_calls_are_judged_by_the_peer(ours: float, verdict: str) -> None:
    string = verdicts(result_of((SMALL, runs_of(SMALL, ours=ours, shipped=100))))
    assert string["string of 64 B"] == verdict
    call = verdicts(result_of((CALL, runs_of(CALL, ours=ours - 10, shipped=100))))
    assert call["service call, 64 B each way"] == verdict


@pytest.mark.parametrize(("eight", "verdict"), [(500.0, REACHED), (2100.0, MISSED)])
def test_the_publisher_of_eight_pays_once(eight: float, verdict: str) -> None:
    one = runs_of(IMAGE, ours=260, shipped=11_000, tuned=650, copies=310)
    many = runs_of(EIGHT, ours=eight, shipped=11_000)
    result = result_of((IMAGE, one), (EIGHT, many))
    [ratio] = [c for c in result["comparisons"] if c["peer"] == ONE_READER]
    assert ratio["median"] == pytest.approx(eight / 260, rel=0.01)
    found = verdicts(result)
    goal = "CPU time of a publish call, 1 MB, 8 subscribers, to one"
    assert (found[goal], found["image of 1 MB"]) == (verdict, REACHED)


def graph_rows(start_s: float, idle: float, pss_mb: float, seen_ms: float) -> list[dict[str, Any]]:
    params = graph.Size(100, 3, 5.0).params()
    figures = {"start_up": ("s", start_s), "idle_cpu": ("%", idle),
               "memory_per_process": ("B", pss_mb * 1e6),
               "memory_without_endpoints": ("B", 4e6)}  # fmt: skip
    rows = [make_row("rmw", params, name, unit, value) for name, (unit, value) in figures.items()]
    return [*rows, make_row("rmw", {"nodes": 2}, "node_seen", "ns", seen_ms * 1e6)]


@pytest.mark.parametrize(
    ("figures", "verdict"),
    [((2.9, 0.49, 9.9, 19.0), REACHED), ((3.1, 0.51, 10.1, 21.0), MISSED)],
)
def test_the_graph_is_judged(figures: tuple[float, ...], verdict: str) -> None:
    found = verdicts({"rows": graph_rows(*figures)})
    assert len(found) == 4
    assert set(found.values()) == {verdict}


def test_delays_are_of_nodes_that_were_seen() -> None:
    made = [said("appear", name=f"n{k}", at_ns=1000 * k) for k in range(3)]
    seen = [said("watch", name="n2", at_ns=2500), said("watch", name="n0", at_ns=40)]
    assert graph.delays_of(made, seen, OURS) == [40, 500]
    with pytest.raises(FailureError, match="no node was seen"):
        graph.delays_of(made, [], OURS)
    with pytest.raises(FailureError, match="ran on"):
        graph.delays_of(made, seen, SHIPPED)


def test_a_start_lasts_until_the_last() -> None:
    told = [{"created_ns": 3e9, "matched_ns": 5e9}, {"created_ns": 4e9, "matched_ns": 4.5e9}]
    assert graph.start_of(told, 1_000_000_000, 0.5) == graph.Start(4.0, 3.0, 0.5)


def test_the_edge_of_a_domain_is_found(tmp_path: Path) -> None:
    edge = (
        "/prefix/lib/ligament/ligament-edge --attend --graph ros.{0} --run-id ros --domain-id {0}"
    )
    commands = {
        1: edge.format(40),
        2: edge.format(4),
        3: "grep ligament-edge --domain-id 40",
        4: "",
    }
    for pid, command in commands.items():
        (tmp_path / str(pid)).mkdir()
        text = command.replace(" ", "\0") + "\0"
        (tmp_path / str(pid) / "cmdline").write_text(text)
    assert graph.edges_of(40, tmp_path) == [1]


def test_contestants_share_the_program_and_no_domain() -> None:
    ros = Ros("jazzy", Path("/ros"), Path("/ros/ours.so"), Path("/program"), "/python.so")
    words = {name: set(ros.command(name)) for name in (OURS, SHIPPED, TUNED)}
    assert words[OURS] - words[SHIPPED] == {
        "LD_PRELOAD=/ros/ours.so:/python.so", f"ROS_DOMAIN_ID={domain_of(OURS)}"
    }  # fmt: skip
    assert {word.partition("=")[0] for word in words[TUNED] - words[SHIPPED]} == {
        "FASTRTPS_DEFAULT_PROFILES_FILE", "FASTDDS_DEFAULT_PROFILES_FILE", "ROS_DOMAIN_ID"
    }  # fmt: skip
    domains = [domain_of(n, apart) for n in (OURS, SHIPPED, TUNED) for apart in (False, True)]
    assert len(set(domains)) == 6
    assert max(domains) <= 101, "the ports of greater ones are the kernel's to give"
    code = "from ligament.bench.rmw import contestants as c; print(c.domain_of(c.OURS))"
    told = measuring.output_of([sys.executable, "-c", code], environment={"PYTHONPATH": _TOOL})
    assert int(told) not in domains, "another run at the same time has others"


def test_the_tuned_profile_holds_several_of_the_largest_images() -> None:
    space = "{http://www.eprosima.com}"
    root = ElementTree.parse(PROFILE).getroot()
    values = {e.tag.removeprefix(space): e.text for e in root.iter() if e.text and e.text.strip()}
    largest = max(cell.bytes for cell in cells(quick=False))
    assert int(values["segment_size"] or 0) >= 10 * largest
    assert int(values["maxMessageSize"] or 0) > largest
    assert values["useBuiltinTransports"] == "false"


def test_what_is_missing_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FailureError, match="jazzy or kilted, not 'humble'"):
        prepare("humble")
    monkeypatch.setattr(contestants, "REPOSITORY", tmp_path)
    with pytest.raises(FailureError, match="there is no ROS 2 jazzy"):
        prepare("jazzy")
    library = tmp_path / "build" / "ros" / "jazzy" / "lib" / "librcl.so"
    library.parent.mkdir(parents=True)
    library.touch()
    with pytest.raises(FailureError, match=r"our middleware .*librmw_ligament_cpp\.so is missing"):
        prepare("jazzy")


@pytest.fixture(scope="module")
def ros() -> Ros:
    """Found and built before anything is measured."""
    try:
        return prepare("jazzy")
    except FailureError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("contestant", [OURS, SHIPPED])
def test_messages_and_calls_of_both_are_measured(ros: Ros, contestant: str) -> None:
    one_way = run_once(ros, contestant, SMALL)
    assert (len(one_way.latency_ns), one_way.lost) == (20, 0)
    assert len(one_way.publish_ns) == len(one_way.publish_cpu_ns) == 20
    assert min(one_way.latency_ns) > 0
    assert len(run_once(ros, contestant, CALL).latency_ns) == 20


def test_images_come_whole_and_the_floor_is_above_the_hand_over(ros: Ros) -> None:
    image = Cell(ONE_WAY, MEGABYTE, 5000, 5, subscribers=2, contestants=(OURS,))
    figures = run_once(ros, OURS, image)
    assert (len(figures.latency_ns), figures.lost) == (10, 0)
    copied = run_once(ros, COPIES, image)
    assert len(copied.latency_ns) == 5
    assert min(copied.latency_ns) > 60_000


def test_a_library_that_is_not_ours_is_noticed(ros: Ros) -> None:
    other = Ros(ros.distro, ros.prefix, Path(ros.python), ros.program, ros.python)
    with pytest.raises(FailureError, match="ligament ran on rmw_fastrtps_cpp"):
        run_once(other, OURS, SMALL)


def test_a_small_graph_is_measured(ros: Ros) -> None:
    assert graph.seen_after_ns(ros, OURS, 1)[0] > 0
    rows = {r["metric"]: r for r in graph.many_processes(ros, OURS, graph.Size(3, 1, 0.3))}
    assert rows["memory_per_process"]["n"] == 3
    assert 0 < rows["all_created"]["p50"] <= rows["start_up"]["p50"]
    assert graph.edges_of(os.getpid() + 10**6) == []
