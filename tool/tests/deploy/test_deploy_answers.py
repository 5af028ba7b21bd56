# SPDX-License-Identifier: Apache-2.0
"""What a host answers, refuses or sends that makes no sense costs that host's part, not the run."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ligament.deploy.connection import Connection, said_of
from ligament.deploy.deploy import Deploy
from ligament.deploy.gather import gather
from ligament.deploy.hosts import Host, Hosts
from ligament.deploy.parts import Beside, Part, _executables_not_carried, _nodes_not_carried, _part
from ligament.deploy.state import DeployOptions, HostState, Outcome
from ligament.deploy.wire import WireError
from ligament.errors import FailureError
from ligament.run.context import describe_context
from ligament.run.outcome import Observer, Verdict


class Said(Observer):
    """Keeps the notes."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    def note(self, text: str) -> None:
        self.notes.append(text)


class Refusing:
    """A connection to a host that refuses one request."""

    def __init__(self, refused: str) -> None:
        self.refused = refused
        self.asked: list[str] = []
        self.lost: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    async def ask(self, message: Mapping[str, Any]) -> dict[str, Any]:
        self.asked.append(message["do"])
        await asyncio.sleep(0)
        if message["do"] == self.refused:
            raise FailureError("a: Permission denied")
        return {}

    async def fetch(self, _run: str, _folder: Path) -> None:
        await self.ask({"do": "fetch"})


def deploy(*names: str, observer: Observer | None = None) -> Deploy:
    parts = {name: Part(name, "v", (), {}) for name in names}
    hosts = Hosts({name: Host(name, name) for name in names})
    return Deploy(parts, hosts, "g/v", set(), DeployOptions(), observer or Said())


@pytest.mark.parametrize("refused", ["fetch", "forget"])
def test_refused_fetch_costs_that_hosts_files_and_refused_forget_nothing(refused: str) -> None:
    async def fetched() -> tuple[HostState, Said]:
        said = Said()
        one = deploy("a", observer=said)
        one._connections["a"] = Refusing(refused)  # type: ignore[assignment]
        state = one._states["a"]
        state.run = "1"
        await one._fetch(state, Path("none"))
        return state, said

    state, said = asyncio.run(fetched())
    if refused == "fetch":
        assert state.lost == "no files came: Permission denied"
    else:
        assert not state.lost
        assert said.notes == ["a: Permission denied; the files of its run stay there, too"]


def test_host_that_hangs_holds_up_no_other_ones_stop() -> None:
    async def stopped() -> list[str]:
        one = deploy("a", "b")
        hanging, other = Refusing(""), Refusing("stop")
        one._connections |= {"a": hanging, "b": other}  # type: ignore[dict-item]
        hanging.ask = lambda _: asyncio.get_running_loop().create_future()  # type: ignore[method-assign,assignment,return-value]
        asking = asyncio.create_task(one._stopper.ask())
        for _ in range(10):
            await asyncio.sleep(0)
        asking.cancel()
        return other.asked

    assert asyncio.run(stopped()) == ["stop"]


def test_signal_ends_the_fetching() -> None:
    async def lost() -> list[bool]:
        one = deploy("a")
        connection = Connection(one._states["a"].host, 5.0, lambda _: None)
        one._connections["a"] = connection
        one._stopper.on_signal()
        before = connection.lost.done()
        one._stopper.is_fetching = True
        one._stopper.on_signal()
        return [before, connection.lost.done()]

    assert asyncio.run(lost()) == [False, True]


def test_second_signal_gives_up_who_is_silent_and_nobody_else() -> None:
    async def lost() -> list[bool]:
        one = deploy("a", "b")
        for name, silent_s in (("a", 2.0), ("b", 0.0)):
            connection = Connection(one._states[name].host, 600.0, lambda _: None)
            connection._heard -= silent_s
            one._connections[name] = connection
        one._stopper.on_signal()
        found = [connection.lost.done() for connection in one._connections.values()]
        one._stopper.on_signal()
        return found + [connection.lost.done() for connection in one._connections.values()]

    assert asyncio.run(lost()) == [False, False, True, False]


class Stubborn(Refusing):
    """A host whose part does not stop when it is asked."""

    def lose(self, why: str) -> None:
        if not self.lost.done():
            self.lost.set_result(why)

    def silent_s(self) -> float:
        return 0.0


def stopped(
    monkeypatch: pytest.MonkeyPatch, before: int, *signals_s: float
) -> tuple[int, list[str]]:
    """Stop such a part after `before` signals, with others meanwhile: how often it was asked."""
    for name, value in (("_STOP_S", 1.0), ("_TELL_S", 0.1), ("_KILL_S", 0.1)):
        monkeypatch.setattr(f"ligament.deploy.stopping.{name}", value)

    async def run() -> tuple[int, list[str]]:
        said = Said()
        one = deploy("a", observer=said)
        part = Stubborn("")
        one._connections["a"] = part  # type: ignore[assignment]
        for _ in range(before):
            one._stopper.on_signal()
        for after_s in signals_s:
            asyncio.get_running_loop().call_later(after_s, one._stopper.on_signal)
        await one._stopper.stop()
        return part.asked.count("stop"), [*said.notes, one._states["a"].lost]

    return asyncio.run(run())


def test_first_signal_after_another_reason_is_no_second_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked, (first, why, lost) = stopped(monkeypatch, 0, 0.05)
    assert asked == 1
    assert "stops already" in first
    assert why.startswith("a: stopping takes long, at most 1 s")
    assert lost == "its part did not stop within 1 s"


@pytest.mark.parametrize(("before", "signals_s"), [(1, [0.05]), (0, [0.02, 0.05]), (2, [])])
def test_second_signal_kills_whatever_came_first(
    monkeypatch: pytest.MonkeyPatch, before: int, signals_s: list[float]
) -> None:
    asked, said = stopped(monkeypatch, before, *signals_s)
    assert asked == 2
    assert "asked again to stop: killing what is still running" in said
    assert said[-1] == "its part did not stop within 0.1 s"


@pytest.mark.parametrize(
    "line",
    [
        {"event": "status", "line": {"event": "status", "nodes": [1]}},
        {"event": "status", "line": {"event": "done", "node": []}},
        {"to": "x"},
    ],
)
def test_line_that_makes_no_sense_is_told_at_once(line: dict[str, Any]) -> None:
    async def why() -> str:
        one = deploy("a")
        state = one._states["a"]
        connection = Connection(state.host, 5.0, lambda message: one._on_event(state, message))
        stream = asyncio.StreamReader()
        stream.feed_data(json.dumps(line).encode() + b"\n")
        stream.feed_eof()
        connection._process = SimpleNamespace(stdout=stream, kill=lambda: None)  # type: ignore[assignment]
        await connection._read()
        return connection.lost.result()

    assert asyncio.run(why()).startswith("what it says makes no sense")


def test_answer_that_makes_no_sense_is_told_with_its_host() -> None:
    async def wrong() -> None:
        raise WireError("'files' is None and no size")

    with pytest.raises(FailureError, match="a: what it says makes no sense"):
        asyncio.run(said_of(Host("a", "a"), wrong()))


def test_record_that_is_none_is_left_out_and_the_reference_comes_first(tmp_path: Path) -> None:
    build = {"graph": "g", "variant": "v", "source": str(tmp_path / "graph.yaml"), "versions": {}}
    context = {**describe_context(tmp_path, {}), "container_cores": None}
    clock = {"id": "monotonic", "kind": "CLOCK_MONOTONIC", "reference": True}
    right = {"schema": "ligament/run/1", "graph": "g", "variant": "v", "run_id": "1",
             "state": "finished", "hosts": [{"id": "b", "name": "desk"}], "nodes": {},
             "processes": [], "clocks": [clock], "context": context}  # fmt: skip
    for host, record in (("a", {"schema": "ligament/run/1"}), ("b", right)):
        (tmp_path / "hosts" / host).mkdir(parents=True)
        (tmp_path / "hosts" / host / "run.json").write_text(json.dumps(record))
    states = {h: HostState(Host(h, h), Part(h, "v", (), {})) for h in "ab"}
    outcome = Outcome(Verdict("finished", "done"), states, {"a": [], "b": []})
    data = gather(tmp_path, build, outcome)
    assert [error["text"] for error in data["errors"]] == [
        "a: its run.json is none of this version"
    ]
    assert [host["id"] for host in data["hosts"]] == ["b", "a"]
    assert [clock["id"] for clock in data["clocks"]] == ["monotonic", "monotonic@a"]


def test_part_names_no_path_of_this_computer(tmp_path: Path) -> None:
    build = {"variant": "v", "libraries": {}, "target": {"prefix": str(tmp_path)}, "check": None}
    share = SimpleNamespace(host="a", nodes=(), containers={})
    part = _part(tmp_path / "v" / "build.json", build, share, Beside(), "")  # type: ignore[arg-type]
    carried = part.sources["v/build.json"]
    assert isinstance(carried, bytes)
    assert json.loads(carried) == {"variant": "v", "libraries": {}, "check": None}


def test_node_in_a_slot_is_refused() -> None:
    nodes = {"in": SimpleNamespace(device="fpga"), "out": SimpleNamespace(device="cpu")}
    mapping: Any = SimpleNamespace(nodes=nodes, hardware={"fpga": {"slots": {"one": {}}}})
    (problem,) = _nodes_not_carried(mapping)
    assert "the node 'in' is in a slot" in str(problem)


def test_executables_that_deploy_cannot_start_are_refused() -> None:
    some = {
        "file": SimpleNamespace(is_file=True, host="a"),
        "anywhere": SimpleNamespace(is_file=False, host=None),
        "right": SimpleNamespace(is_file=False, host="b"),
    }
    mapping: Any = SimpleNamespace(executables=some, hosts=("a", "b"))
    found = [str(problem) for problem in _executables_not_carried(mapping)]
    assert ["'file' is a file" in found[0], "'anywhere' is on no host" in found[1]] == [True, True]
    assert len(found) == 2
    mapping.hosts = ("a",)
    assert len(_executables_not_carried(mapping)) == 1
