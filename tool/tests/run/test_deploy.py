# SPDX-License-Identifier: Apache-2.0
"""`ligament deploy` to three hosts: network namespaces with sshd, one behind a bad cable."""

from __future__ import annotations

import fcntl
import hashlib
import json
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jsonschema
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from run_chat import LIGAMENT
from ssh_hosts import SshHosts, await_that, no_ssh_hosts, running

from ligament.graph.schema import _validator
from ligament.report.options import ReportOptions
from ligament.report.stage import make_report
from ligament.trace.clock_fit import Ints
from ligament.trace.hosts import _samples, merge_hosts, place_clocks

HERE = Path(__file__).parent
MISSING = no_ssh_hosts()
pytestmark = pytest.mark.skipif(bool(MISSING), reason=MISSING)
GRAPH = f"""
schema: ligament/graph/1
name: run_test_deploy
packages: [{HERE / "nodes"}]
hosts: {{a: {{}}, b: {{}}, c: {{}}}}
nodes:
  talker: {{type: run_test/talker, parameters: {{period_ms: 5}}, remap: {{chatter: /said}}, host: a}}
  echo: {{type: run_test/echo, remap: {{in: /said, out: /echoed}}, host: b}}
  listener: {{type: run_test/listener, remap: {{chatter: /echoed}}, parameters: {{messages: 300}}, host: c}}
topics: {{/said: {{qos: {{depth: 1000}}}}, /echoed: {{qos: {{depth: 1000}}}}}}
"""  # noqa: E501
SPEC = Path(__file__).resolve().parents[3] / "spec" / "report"
LASTING = ("--set", "listener.messages=0")


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """build.json of the graph above."""
    root = tmp_path_factory.getbasetemp()
    with (root / "deploy.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        graph = root / "deploy.yaml"
        graph.write_text(GRAPH)
        found = root / "deploy" / "run_test_deploy" / "default" / "build.json"
        if not found.exists():
            subprocess.run([*LIGAMENT, "build", str(graph), "-o", str(root / "deploy")], check=True)
    return found


@pytest.fixture(scope="module")
def hosts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SshHosts]:
    """Three hosts; c is far away."""
    hidden = tmp_path_factory.getbasetemp() / "deploy"  # what is not copied is not there
    folder = tmp_path_factory.mktemp("hosts")
    with SshHosts(folder, ["a", "b", "c"], bad=["c"], hidden=hidden) as three:
        for words in ("delay 2", "loss 0.01"):
            three.cable("c", words)
        yield three


def deployed(hosts: SshHosts, build: Path, *words: str) -> tuple[dict[str, Any], str]:
    """Deploy to the end; run.json and what was said."""
    result = hosts.run("deploy", build, "--hosts", hosts.hosts_file(), "--json", *words)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout), result.stderr


def folder_of(build: Path, data: dict[str, Any]) -> Path:
    found: Path = build.parent / "runs" / data["run_id"]
    return found


@pytest.fixture(scope="module")
def traced(hosts: SshHosts, build: Path) -> tuple[Path, dict[str, Any]]:
    """The folder of a traced run, and run.json."""
    data, _ = deployed(hosts, build, "--trace")
    return folder_of(build, data), data


def test_three_hosts_are_one_run(
    hosts: SshHosts, build: Path, traced: tuple[Path, dict[str, Any]]
) -> None:
    folder, data = traced
    assert not list(_validator("run").iter_errors(data))
    assert (data["state"], data["reason"]) == ("finished", "the work is done")
    assert [host["id"] for host in data["hosts"]] == ["a", "b", "c"]
    assert {n: node["host"] for n, node in data["nodes"].items()} == {
        "/talker": "a", "/echo": "b", "/listener": "c",
    }  # fmt: skip
    names = {p["container"] for p in data["processes"]}
    assert names == {"talker", "echo", "listener", "edge@a", "edge@b", "edge@c"}
    assert all((folder / process["log"]).is_file() for process in data["processes"])
    # Nothing is left of the run on the hosts, but the files, for the next time.
    for name in "abc":
        there = hosts.folder / f"on {name}"
        assert len(list(there.glob("trees/*/default/build.json"))) == 1
        assert not list(there.glob("trees/*/default/runs/*"))


def test_what_did_not_change_is_not_sent_again(
    hosts: SshHosts, build: Path, traced: tuple[Path, dict[str, Any]]
) -> None:
    words = ["deploy", build, "--hosts", hosts.hosts_file(), "--duration", "0.1"]
    again = hosts.run(*words)
    assert [again.stderr.count(f"{name}: nothing to copy") for name in "abc"] == [1, 1, 1]
    config = build.parent / "gen" / "containers" / "listener.json"
    before = config.read_text()
    try:
        config.write_text(before.replace('"log_level": "info"', '"log_level": "warn"'))
        changed = hosts.run(*words)
    finally:
        config.write_text(before)
    assert "a: nothing to copy" in changed.stderr
    assert "c: 1 file copied" in changed.stderr
    # What is gone there is made again, and sent where it is not there at all.
    (lost,) = hosts.folder.glob("on b/trees/*/graph.json")
    digest = hashlib.sha256(lost.read_bytes()).hexdigest()
    lost.unlink()
    (hosts.folder / "on b" / "blobs" / digest).unlink()
    last = hosts.run(*words)
    assert last.returncode == 0, last.stderr
    assert "b: 1 file copied" in last.stderr
    assert lost.is_file()


def test_one_report_follows_messages_over_three_hosts(traced: tuple[Path, dict[str, Any]]) -> None:
    report = make_report([traced[0]], ReportOptions())
    jsonschema.validate(report, json.loads((SPEC / "report.schema.json").read_text()))
    (variant,) = report["variants"]
    assert variant["chain"]["nodes"] == ["/talker", "/echo", "/listener"]
    assert variant["frames"] > 200
    assert [clock["host"] for clock in variant["host_clocks"]] == ["a", "b", "c"]
    first, second = variant["hops"]
    assert first["clock_bound_ns"] > 0
    # c is 2 ms away: the clocks can tell that, and it is seen.
    assert second["total_ns"]["p50"] + second["clock_bound_ns"] > 2_000_000


def test_all_hosts_have_one_clock_here_and_the_bound_holds(
    traced: tuple[Path, dict[str, Any]],
) -> None:
    merge_hosts(*traced)
    table = pq.read_table(traced[0] / "events.parquet")
    times = table["time_ns"].to_numpy()
    assert np.all(np.diff(times) >= 0)
    off = np.abs(times - table["ticks"].to_numpy().astype(np.int64))
    bounds = table["bound_ns"].to_numpy()
    assert np.all(off <= bounds)
    hosts = np.array(table["host"].to_pylist())
    assert set(hosts) == {"a", "b", "c"}
    assert np.all(bounds[hosts == "a"] == 0)
    assert np.all(bounds[hosts != "a"] > 0)


def skewed(table: Path, drift: float, ahead_ns: int) -> pa.Table:
    """A host's table as if its clock had been ahead, and too fast."""
    rows = pq.read_table(table)
    first = rows["time_ns"][0].as_py()
    for name in ("time_ns", "begin_ns"):
        values = np.nan_to_num(rows[name].to_numpy()).astype(np.int64)
        read = skewed_times(values, first, drift, ahead_ns)
        shown = pa.array(np.where(values > 0, read, values), mask=rows[name].is_null().to_numpy())
        rows = rows.set_column(rows.schema.get_field_index(name), name, shown)
    return rows


def skewed_times(real: Ints, first: int, drift: float, ahead_ns: int) -> Ints:
    return real + ahead_ns + np.rint((real - first) * drift).astype(np.int64)


@pytest.mark.parametrize("drift", [0.0, 2e-4])
def test_clock_that_is_apart_is_found(
    traced: tuple[Path, dict[str, Any]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    drift: float,
) -> None:
    """The clock of b is an hour ahead, and 200 ppm too fast."""
    merge_hosts(*traced)
    ahead = 3_600_000_000_000
    folder = tmp_path / "run"
    shutil.copytree(traced[0], folder)
    own = folder / "hosts" / "b" / "events.parquet"
    true = pq.read_table(own)
    first = true["time_ns"][0].as_py()
    pq.write_table(skewed(own, drift, ahead), own.with_name("skewed"))
    own.with_name("skewed").replace(own)
    run = json.loads(json.dumps(traced[1]))
    for clock in run["clocks"]:
        for sample in clock.get("samples", ()) if clock["id"] == "monotonic@b" else ():
            at = np.array([sample["at_ns"]])
            sample["offset_ns"] += int(skewed_times(at, first, drift, ahead)[0]) - sample["at_ns"]
    monkeypatch.setattr("ligament.trace.hosts.convert", lambda *_, **__: SimpleNamespace(error=""))
    merge_hosts(folder, run)
    merged = pq.read_table(folder / "events.parquet")
    mine = merged.filter(pc.equal(merged["host"].cast(pa.string()), "b"))
    bounds = mine["bound_ns"].to_numpy()
    for name in ("time_ns", "begin_ns"):
        wrong = np.abs(np.nan_to_num(mine[name].to_numpy() - true[name].to_numpy()))
        assert np.all(wrong <= bounds)
    # By messages alone, which go one way, nothing is known from above.
    tables = {name: folder / "hosts" / name / "events.parquet" for name in "abc"}
    samples = _samples(run)
    del samples["b"]
    assert place_clocks(tables, samples, "a")["b"].mapping is None


def test_reference_without_a_recording_is_still_the_reference(
    traced: tuple[Path, dict[str, Any]], tmp_path: Path
) -> None:
    """Samples are against a's clock: b, an hour ahead of it, is put on it and not taken for it."""
    merge_hosts(*traced)
    folder = tmp_path / "run"
    shutil.copytree(traced[0], folder)
    shutil.rmtree(folder / "hosts" / "a" / "trace")
    # And one host whose recording is empty does not take the others'.
    for path in (folder / "hosts" / "c" / "trace").rglob("*"):
        path.unlink() if path.is_file() else None
    run = json.loads(json.dumps(traced[1]))
    ahead = 3_600_000_000_000
    for clock in run["clocks"]:
        for sample in clock.get("samples", ()) if clock["id"] == "monotonic@b" else ():
            sample["offset_ns"] += ahead
    said = merge_hosts(folder, run).error
    assert "there is no recording of a" in said
    assert "c: " in said
    merged = pq.read_table(folder / "events.parquet")
    assert set(merged["host"].to_pylist()) == {"b"}
    assert set(merged["clock_id"].to_pylist()) == {"monotonic@b"}
    wrong = merged["time_ns"].to_numpy() - merged["ticks"].to_numpy().astype(np.int64) + ahead
    assert np.all(np.abs(wrong) <= merged["bound_ns"].to_numpy())


def test_failed_part_ends_all(hosts: SshHosts, build: Path) -> None:
    words = ["--set", "talker.fault=crash", "--set", "talker.fault_at=20", *LASTING]
    result = hosts.run("deploy", build, "--hosts", hosts.hosts_file(), *words)
    assert result.returncode == 1
    assert "a: its part of the graph failed (exit code 1)" in result.stderr
    assert "a: error: container talker (pid" in result.stderr


def started(
    hosts: SshHosts, build: Path, *words: str, lease_s: float = 30
) -> subprocess.Popen[str]:
    """A deploy whose nodes run on all hosts."""
    file = hosts.hosts_file(lease_s=lease_s)
    process = hosts.start("deploy", build, "--hosts", file, *LASTING, *words)
    await_that(lambda: all(running(hosts, name) for name in "abc"))
    time.sleep(0.5)
    return process


def test_interrupt_stops_all_hosts_in_order(hosts: SshHosts, build: Path) -> None:
    process = started(hosts, build, "--quiet")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert "interrupted (stopped by a signal)" in out
    assert [running(hosts, name) for name in "abc"] == [[], [], []]


def test_hosts_stop_when_the_deployer_is_killed(hosts: SshHosts, build: Path) -> None:
    process = started(hosts, build, lease_s=1)
    process.kill()
    process.communicate()
    await_that(lambda: not any(running(hosts, name) for name in "abc"))


@pytest.mark.parametrize("words", [(), ("--keep-going",)])
def test_host_behind_a_cut_cable_is_told_and_stops_by_itself(
    hosts: SshHosts, build: Path, words: tuple[str, ...]
) -> None:
    process = started(hosts, build, "--trace", "--duration", "5", *words, lease_s=1)
    hosts.cable("c", "cut")
    try:
        _, err = process.communicate(timeout=60)
        await_that(lambda: not running(hosts, "c"))
    finally:
        hosts.cable("c", "heal")
    assert process.returncode == 1
    assert "c: it does not answer any more" in err
    assert ("the other hosts go on" in err) == bool(words)
    folder = max((build.parent / "runs").iterdir())
    data = json.loads((folder / "run.json").read_text())
    assert not list(_validator("run").iter_errors(data))
    assert data["state"] == "failed"
    assert data["errors"][0]["text"].startswith("c: it does not answer")
    assert set(data["nodes"]) == {"/talker", "/echo"}
    # And there is a report, of what is there.
    (variant,) = make_report([folder], ReportOptions())["variants"]
    assert any("there is no recording of c" in sentence for sentence in variant["missing"])


MISTAKES = [
    {
        "a": ({"port": "2222"}, "a: it cannot be reached at 10.78.0.2", "is it on"),
        "b": ({"key": "other_key"}, "b: it accepts none of your keys", "ssh-copy-id"),
        "c": (
            {"ssh_options": "['UserKnownHostsFile=/dev/null']"},
            "c: its host key is not known here", "compare the fingerprint",
        ),
    },
    {
        "a": ({"ligament": "no/such"}, "a: there is no Ligament of this version", "`lig"),
        "b": ({"folder": "/proc/no"}, "b: the folder /proc/no cannot be used", "`folder` in"),
        "c": ({"address": "no-such-host.invalid"}, "c: its address no-such-host", "`address` in"),
    },
]  # fmt: skip


@pytest.mark.parametrize("mistakes", MISTAKES)
def test_hosts_that_cannot_be_used_are_told_together_and_nothing_is_changed(
    hosts: SshHosts, build: Path, tmp_path: Path, mistakes: dict[str, Any]
) -> None:
    lines = ["schema: ligament/hosts/1", "hosts:"]
    for name in "abc":
        fresh = {"folder": f"'{tmp_path}/{name}'"}
        lines += hosts.host_entry(name, **(fresh | mistakes[name][0]))
    file = hosts.folder / "wrong.yaml"
    file.write_text("\n".join(lines) + "\n")
    result = hosts.run("deploy", build, "--hosts", file)
    assert result.returncode == 1
    for _, text, hint in mistakes.values():
        assert text in result.stderr
        assert hint in result.stderr
    assert not list(tmp_path.glob("*/trees/*"))
    assert not list(tmp_path.glob("*/blobs/*"))


def test_hosts_may_be_one_computer(hosts: SshHosts, build: Path, tmp_path: Path) -> None:
    lines = ["schema: ligament/hosts/1", "hosts:"]
    for name in "abc":
        own = {"folder": f"'{tmp_path}/{name}'", "domain": f"deploy-{name}"}
        lines += hosts.host_entry(name, address=hosts.address["a"], **own)
    file = hosts.folder / "one.yaml"
    file.write_text("\n".join(lines) + "\n")
    result = hosts.run("deploy", build, "--hosts", file, "--quiet", "--until", "listener")
    assert result.returncode == 0, result.stderr
    assert "finished (the work is done)" in result.stdout


def test_two_deploys_of_one_graph_are_refused(hosts: SshHosts, build: Path) -> None:
    process = started(hosts, build)
    second = hosts.run("deploy", build, "--hosts", hosts.hosts_file(), *LASTING)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert second.returncode == 1
    assert "this part of the graph runs already" in second.stderr
    assert process.returncode == 0
