# SPDX-License-Identifier: Apache-2.0
"""The live view: what is made of status lines, also of bad ones, and which run is meant."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from ligament import resources
from ligament.cli.main import main
from ligament.errors import InputError
from ligament.top import tail as tails
from ligament.top.figures import Top
from ligament.top.find import find_run, read_run
from ligament.top.tail import StatusTail

SECOND = 1_000_000_000
RUN = {"schema": "ligament/run/1", "graph": "g", "variant": "v", "run_id": "r", "state": "running"}


def publisher(published: int, topic: str = "/t", **more: int) -> dict[str, Any]:
    return {"topic": topic, "published": published, "bytes": published * 100, **more}


def subscription(taken: int, topic: str = "/t", **more: int) -> dict[str, Any]:
    return {"topic": topic, "taken": taken, "age_ns_p50": 900, "age_ns_p99": 5000, **more}


def status(container: str, t_s: float, *, cpu_ns: int = 0, **ends: Any) -> dict[str, Any]:
    node = {"id": f"/{container}", "cpu_ns": cpu_ns, "callback_running_ns": ends.pop("running", 0),
            "publishers": ends.get("publishers", []),
            "subscriptions": ends.get("subscriptions", [])}  # fmt: skip
    return {"event": "status", "container": container, "t_ns": int(t_s * SECOND),
            "peak_rss_bytes": 4096, "nodes": [node]}  # fmt: skip


def snapshot(*events: dict[str, Any], now_s: float = 10.5) -> dict[str, Any]:
    top = Top()
    top.take(events)
    made = top.snapshot(int(now_s * SECOND), RUN, 0)
    schema = json.loads((resources.spec_dir() / "run" / "top.schema.json").read_text())
    jsonschema.validate(made, schema)
    return made


def test_rates_lie_between_the_last_two_lines() -> None:
    made = snapshot(
        status("a", 8, cpu_ns=0, publishers=[publisher(5)]),
        status("a", 9, cpu_ns=SECOND // 2, publishers=[publisher(100)]),
        status("a", 10, cpu_ns=SECOND, publishers=[publisher(130, loans_failed=4)]),
        status("b", 9.9, subscriptions=[subscription(60, lost=1)]),
        status("b", 10.4, subscriptions=[subscription(85, lost=3, copies=2)]),
    )
    (topic,) = made["topics"]
    assert (topic["published"], topic["published_hz"], topic["bytes_hz"]) == (130, 30.0, 3000.0)
    assert (topic["taken"], topic["taken_hz"], topic["copies_hz"]) == (85, 50.0, 4.0)
    assert (topic["dropped"], topic["dropped_hz"]) == (4 + 3, 4.0 + 4.0)
    assert (topic["latency_p50_ns"], topic["latency_p99_ns"]) == (900, 5000)
    assert (topic["publishers"], topic["subscriptions"], topic["pool"]) == (1, 1, None)
    assert made["containers"][0]["cpu_percent"] == 50.0
    assert made["containers"][0]["peak_rss_bytes"] == 4096


def test_one_line_gives_counts_and_no_rates() -> None:
    made = snapshot(status("a", 10, publishers=[publisher(7)]))
    assert (made["topics"][0]["published"], made["topics"][0]["published_hz"]) == (7, None)
    assert made["containers"][0]["cpu_percent"] is None


def test_a_container_that_starts_again_has_no_negative_rate() -> None:
    made = snapshot(
        status("a", 8, publishers=[publisher(100)]),
        {"event": "ready", "container": "a", "pid": 1},
        status("a", 10, publishers=[publisher(3)]),
    )
    assert (made["topics"][0]["published"], made["topics"][0]["published_hz"]) == (3, None)


def test_the_slowest_subscription_stands_for_the_topic() -> None:
    made = snapshot(
        status("a", 10, subscriptions=[subscription(1), subscription(1, "/u")]),
        status("b", 10, subscriptions=[subscription(1) | {"age_ns_p50": 7000}]),
    )
    assert [t["latency_p50_ns"] for t in made["topics"]] == [7000, 900]


def test_the_pool_s_fill_is_that_of_all_publishers() -> None:
    one = publisher(1, blocks=8, blocks_free=5, memory_bytes=800)
    other = publisher(1, blocks=4, blocks_free=9, memory_bytes=400)
    made = snapshot(status("a", 10, publishers=[one]), status("b", 10, publishers=[other]))
    assert made["topics"][0]["pool"] == {"blocks": 12, "blocks_used": 3, "memory_bytes": 1200}


def states(*events: dict[str, Any], now_s: float = 10.5) -> list[str]:
    return [c["state"] for c in snapshot(*events, now_s=now_s)["containers"]]


def test_states_of_containers() -> None:
    assert states({"event": "ready", "container": "a", "pid": 1}) == ["running"]
    assert states(status("a", 10)) == ["running"]
    assert states(status("a", 10), now_s=14) == ["silent"]
    assert states(status("a", 10, running=6 * SECOND)) == ["stuck"]
    assert states(status("a", 10), {"event": "stopped", "container": "a"}) == ["stopped"]


def test_what_the_edge_carries() -> None:
    topic = {"topic": "/t", "remote_readers": 1, "sent": 10, "received": 0, "refused": 1}
    unmet = {"topic": "/u", "remote_readers": 0, "sent": 0}
    events = [
        {"event": "edge", "container": "edge", "t_ns": t * SECOND,
         "topics": [topic | {"sent": sent}, unmet]}
        for t, sent in ((9, 10), (10, 30))
    ]  # fmt: skip
    (row,) = snapshot(*events)["edge"]
    assert (row["topic"], row["sent"], row["sent_hz"], row["dropped"]) == ("/t", 30, 20.0, 1)


def test_errors_and_done_are_kept_and_bounded() -> None:
    errors = [{"event": "error", "container": "a", "node": "/a", "text": f"e{i}"} for i in range(9)]
    made = snapshot(*errors, {"event": "done", "container": "a", "node": "/a"})
    assert made["errors"] == [f"/a: e{i}" for i in range(4, 9)]
    assert made["done"] == ["/a"]


@pytest.mark.parametrize(
    "bad",
    [
        {"nodes": "none"}, {"nodes": [1, {"publishers": 3}]}, {"t_ns": "now"}, {"t_ns": -5},
        {"nodes": [{"id": 3, "publishers": [{"topic": 7}, {"topic": "/t", "published": "many"}]}]},
        {"nodes": [{"id": "/a", "subscriptions": [{"topic": "/t", "taken": -4, "lost": True}]}]},
        {"peak_rss_bytes": None},
    ],
)  # fmt: skip
def test_lines_that_lie_count_as_none(bad: dict[str, Any]) -> None:
    made = snapshot(status("a", 9), status("a", 10) | bad)
    assert all(topic["published"] == 0 and topic["taken"] == 0 for topic in made["topics"])


def test_the_tail_gives_each_line_once_and_waits_for_its_end(tmp_path: Path) -> None:
    path = tmp_path / "status.jsonl"
    tail = StatusTail(path)
    assert tail.read() == []
    one, two = (json.dumps(status(name, 1)) for name in "ab")
    path.write_text(one + "\n" + two[:10])
    assert [event["container"] for event in tail.read()] == ["a"]
    assert tail.read() == []
    with path.open("a") as stream:
        stream.write(two[10:] + "\n")
    assert [event["container"] for event in tail.read()] == ["b"]


def test_the_tail_counts_what_is_no_status_line(tmp_path: Path) -> None:
    path = tmp_path / "status.jsonl"
    path.write_bytes(b'{"event": 1, "container": "a"}\n[]\nrubbish\n\xff\xfe\n\n'
                     + json.dumps(status("a", 1)).encode() + b"\n")  # fmt: skip
    tail = StatusTail(path)
    assert len(tail.read()) == 1
    assert tail.unreadable == 4


def test_of_a_long_file_the_end_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "status.jsonl"
    lines = [json.dumps(status("a", t)) + "\n" for t in range(50)]
    path.write_text("".join(lines))
    monkeypatch.setattr(tails, "FIRST_READ", len("".join(lines[-3:])) + 10)
    tail = StatusTail(path)
    assert [event["t_ns"] // SECOND for event in tail.read()] == [47, 48, 49]
    assert tail.unreadable == 0
    path.write_text(lines[0])  # another run writes it now
    assert len(tail.read()) == 1


def test_a_line_without_end_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tails, "LONGEST_LINE", 100)
    path = tmp_path / "status.jsonl"
    path.write_text("x" * 200)
    tail = StatusTail(path)
    assert tail.read() == [] and tail.unreadable == 1


def make_run(folder: Path, **changes: str) -> Path:
    folder.mkdir(parents=True)
    (folder / "run.json").write_text(json.dumps(RUN | changes))
    lines = [status("a", t, publishers=[publisher(t * 10)]) for t in (1, 2)]
    (folder / "status.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder


def test_the_running_one_of_many_is_found(tmp_path: Path) -> None:
    make_run(tmp_path / "g" / "v" / "runs" / "1", state="finished")
    running = make_run(tmp_path / "g" / "w" / "runs" / "2")
    for target in (tmp_path, tmp_path / "g", tmp_path / "g" / "w", running, running / "run.json"):
        assert find_run(target) == running


def test_of_two_running_ones_the_one_that_wrote_last_is_found(tmp_path: Path) -> None:
    for name, written in (("1", 1000), ("2", 3000), ("3", 2000)):
        run = make_run(tmp_path / "g" / "v" / "runs" / name)
        os.utime(run / "status.jsonl", (written, written))
    assert find_run(tmp_path) == tmp_path / "g" / "v" / "runs" / "2"
    (tmp_path / "g" / "v" / "runs" / "2" / "status.jsonl").unlink()
    assert find_run(tmp_path) == tmp_path / "g" / "v" / "runs" / "3"


@pytest.mark.parametrize("text", ["", "[]", '"ligament/run/1"', '{"schema": "ligament/run/2"}'])
def test_what_is_no_record_of_a_run_is_an_empty_one(tmp_path: Path, text: str) -> None:
    (tmp_path / "run.json").write_text(text)
    assert read_run(tmp_path) == {}
    assert read_run(tmp_path / "nowhere") == {}


def test_one_message_is_counted(tmp_path: Path) -> None:
    made = snapshot(status("a", 10, publishers=[publisher(1)], subscriptions=[subscription(1)]))
    assert (made["topics"][0]["published"], made["topics"][0]["taken"]) == (1, 1)


def test_where_nothing_runs_it_says_so(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no run"):
        find_run(tmp_path)
    make_run(tmp_path / "g" / "v" / "runs" / "1", state="finished")
    with pytest.raises(InputError, match="1 runs, and none of them is running"):
        find_run(tmp_path)


def test_a_name_that_nothing_has_is_told_with_the_running_ones(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["top", "nosuch", "--out", str(tmp_path), "--once"]) == 2
    said = capsys.readouterr().err
    assert "there is no graph or run 'nosuch'" in said and "nothing runs" in said
    make_run(tmp_path / "g" / "v" / "runs" / "1", graph="g")
    make_run(tmp_path / "h" / "v" / "runs" / "1", state="finished", graph="h")
    assert main(["top", "nosuch", "--out", str(tmp_path), "--once"]) == 2
    assert f"below {tmp_path} runs g" in " ".join(capsys.readouterr().err.split())


def test_a_graph_is_found_by_its_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_run(tmp_path / "g" / "v" / "runs" / "1", graph="g")
    assert main(["top", "g", "--out", str(tmp_path), "--once"]) == 0
    assert "/t" in capsys.readouterr().out


def test_the_verb_once_and_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = make_run(tmp_path / "g" / "v" / "runs" / "1", state="finished")
    assert main(["top", str(run), "--once"]) == 0
    printed = capsys.readouterr().out
    assert "/t" in printed and "10.0 Hz" in printed and "finished" in printed
    assert main(["top", str(run), "--once", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["topics"][0]["published"] == 20
    assert main(["top", str(run), "--json"]) == 0, "a run that has ended is looked at once"
    assert len(capsys.readouterr().out.splitlines()) == 1
    assert main(["top", str(tmp_path / "nowhere")]) == 2


def test_what_the_edge_carries_stands_under_its_headings(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = make_run(tmp_path / "r", state="finished")
    counts = {"topic": "/t", "remote_writers": 1, "refused": 4}
    lines = [
        {"event": "edge", "container": "edge", "t_ns": t * SECOND,
         "topics": [counts | {"sent": 20 * t, "received": 30 * t}]}
        for t in (1, 2)
    ]  # fmt: skip
    (run / "status.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert main(["top", str(run), "--once"]) == 0
    headings, row = (line.split() for line in capsys.readouterr().out.splitlines()[-2:])
    assert headings == ["edge", "sent", "rate", "received", "rate", "dropped"]
    assert row == ["/t", "40", "20.0", "Hz", "60", "30.0", "Hz", "4"]


def test_how_cores_live_is_told_once_per_core(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    core = {"device": "mcu0", "state": "crashed", "starts": 3, "ends": 3,
            "last_end": "the core has crashed: abort()"}  # fmt: skip
    line = status("a", 9)
    line["nodes"] = [{"id": "/x", "core": core}, {"id": "/y", "core": core}, {"id": "/z"}]
    (row,) = snapshot(line)["cores"]
    assert row == {"container": "a", **core}
    assert snapshot(status("a", 9))["cores"] == []
    run = make_run(tmp_path / "r", state="finished")
    (run / "status.jsonl").write_text(json.dumps(line) + "\n")
    assert main(["top", str(run), "--once"]) == 0
    headings, shown = (line.split() for line in capsys.readouterr().out.splitlines()[-2:])
    assert headings == ["core", "starts", "ends", "state", "last", "end"]
    assert shown[:4] == ["mcu0", "3", "3", "crashed"] and shown[-1] == "abort()"


def test_names_are_never_markup(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = make_run(tmp_path / "r", state="finished")
    line = status("[red]c", 3, publishers=[publisher(1, "/[bold]x[/nothing]")])
    (run / "status.jsonl").write_text(json.dumps(line) + "\n")
    assert main(["top", str(run), "--once"]) == 0
    printed = capsys.readouterr().out
    assert "/[bold]x[/nothing]" in printed and "[red]c" in printed
