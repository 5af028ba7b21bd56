# SPDX-License-Identifier: Apache-2.0
"""The transport benchmark: the real program at small sizes, and programs that misbehave."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest

from ligament import resources
from ligament.bench import measuring
from ligament.bench.transport import Options, cells, measure, passes, peers
from ligament.cli.main import main
from ligament.errors import FailureError

pytestmark = pytest.mark.timeout(300)


@pytest.fixture
def program() -> Path:
    try:
        return measuring.program(peers.PROGRAM)
    except FailureError as error:
        pytest.skip(str(error))


def fake_peer(tmp_path: Path, body: str, name: str = "iceoryx2") -> Path:
    path = tmp_path / name
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return tmp_path


def small(**given: object) -> Options:
    """Few messages in the one cell that the options name."""
    chosen = {"passes": 2, "messages": 20, "peers": "none", "bytes": "64", "wait": "sleep"}
    return Options(**{**chosen, **given})  # type: ignore[arg-type]


def wait_until(true: Callable[[], bool], what: str, limit_s: float = 60) -> None:
    deadline = time.monotonic() + limit_s
    while not true():
        assert time.monotonic() < deadline, what
        time.sleep(0.02)


def processes_with(word: str) -> list[str]:
    found = []
    for entry in Path("/proc").iterdir():
        try:
            line = (entry / "cmdline").read_bytes() if entry.name.isdecimal() else b""
            # A zombie has no command line: it is gone but for its parent's look.
            if word.encode() in line and int(entry.name) != os.getpid():
                found.append(line.replace(b"\0", b" ").decode())
        except OSError:
            continue
    return found


# --- the program itself -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ([], "say what to do"),
        (["dance"], "dance"),
        (["publish", "--bytes", "8"], "--bytes"),
        (["publish", "--messages", "0"], "--messages"),
        (["publish", "--topic", "../x"], "--topic"),
        (["publish", "--wait", "nap"], "--wait"),
        (["publish", "--pacing-us", "-1"], "--pacing-us"),
        (["publish", "--tipoc", "x"], "--tipoc"),
        (["ping", "--wait", "none"], "poll or sleep"),
        (["subscribe", "--readers", "2"], "--wait none"),
        (["subscribe", "--floor", "futex"], "leave the role away"),
        (["ping", "--floor", "memcpy"], "there and back"),
        (["--floor", "line", "--wait", "sleep"], "line and lines poll"),
        (["--floor", "futex", "--subscribers", "2"], "only the floor broadcast"),
    ],
)
def test_a_mistake_in_the_options_exits_2(program: Path, words: list[str], text: str) -> None:
    result = subprocess.run([program, *words], capture_output=True, text=True, timeout=30)
    assert result.returncode == 2
    assert text in result.stderr


def test_help_exits_0(program: Path) -> None:
    result = subprocess.run([program, "--help"], capture_output=True, text=True, timeout=30)
    assert result.returncode == 0 and "--floor" in result.stdout


def test_a_subscriber_ends_on_sigterm_with_what_it_has(program: Path) -> None:
    for wait in ("sleep", "poll", "none"):
        child = subprocess.Popen(
            [program, "subscribe", "--topic", f"lig-test-{os.getpid()}-{wait}", "--wait", wait],
            stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert child.stdout is not None and child.stdout.readline() == "ready\n"
        child.terminate()
        out, _ = child.communicate(timeout=60)
        assert child.returncode == 0, wait
        assert json.loads(out)["received"] == 0


# --- real runs --------------------------------------------------------------------------------


def test_each_metric_is_measured(program: Path) -> None:
    measured = measure(True, small(metric=",".join(cells.METRICS), wait="sleep", bytes="64"))
    assert not measured.failures
    found = {(row["metric"], row["peer"]) for row in measured.rows}
    assert {(m, "ligament") for m in (*cells.METRICS, "cpu_per_message")} <= found
    assert {
        (cells.ONE_WAY, "futex"),
        (cells.ONE_WAY, "memcpy"),
        (cells.ROUND_TRIP, "futex"),
    } <= found
    latency = next(r for r in measured.rows if r["metric"] == cells.ONE_WAY)
    assert latency["n"] + latency["lost"] == 40
    assert measured.notes[-1].startswith("no peer took part")


def test_polling_and_several_subscribers(program: Path) -> None:
    measured = measure(
        True, small(wait="sleep,poll", subscribers="2", bytes="65536", force_poll=True)
    )
    assert not measured.failures
    ours = [r for r in measured.rows if r["peer"] == "ligament" and r["metric"] == cells.ONE_WAY]
    assert [r["params"]["wait"] for r in ours] == ["sleep", "poll"]
    # On a machine that is busy a message may be overwritten; then it is counted.
    assert [r["n"] + r["lost"] for r in ours] == [80, 80]
    assert all("worst_p99" in row for row in ours)
    calls = {
        row["params"]["wait"]: row["mean"]
        for row in measured.rows
        if row["metric"] == "system_calls_per_publish"
    }
    assert calls["poll"] == 0 < calls["sleep"]


def test_publishing_to_64_subscriptions_makes_no_system_call(program: Path) -> None:
    measured = measure(True, small(metric="publish_cost", subscribers="0,64"))
    calls = [r for r in measured.rows if r["metric"] == "system_calls_per_publish"]
    assert [(r["params"]["subscribers"], r["mean"]) for r in calls] == [(0, 0), (64, 0)]


def test_a_peer_is_measured_and_compared(
    program: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Our own program plays the peer."""
    folder = fake_peer(
        tmp_path, f'[ "$1" = --version ] && echo one 1.0 && exit\nexec {program} "$@"'
    )
    path = tmp_path / "result.json"
    words = ["bench", "transport", "--peers", "iceoryx2", "--peers-dir", str(folder), "--passes"]
    words += ["2", "--messages", "20", "--bytes", "64", "--json", str(path)]
    assert main(words) == 0
    result = json.loads(path.read_text())
    schema = json.loads((resources.spec_dir() / "report" / "bench.schema.json").read_text())
    jsonschema.validate(result, schema)
    ratio = next(c for c in result["comparisons"] if c["peer"] == "iceoryx2")
    assert ratio["passes"] == 2 and ratio["median"] > 0
    assert result["context"]["versions"]["iceoryx2"] == "one 1.0"
    said = capsys.readouterr()
    assert "iceoryx2" in said.out and "no peer took part" not in said.out
    assert said.err.count("pass 2/2") == 1 and "left" in said.err


def test_a_missing_peer_is_named_with_what_builds_it(program: Path, tmp_path: Path) -> None:
    measured = measure(True, small(peers="iceoryx2,fastdds-loan", peers_dir=tmp_path))
    assert any("iceoryx2 is missing" in n and "peers/build iceoryx2" in n for n in measured.notes)
    assert any("peers/build fastdds " in note for note in measured.notes)
    assert measured.rows and not measured.failures


# --- programs that misbehave ------------------------------------------------------------------

RUN_OURS = 'exec "$OURS" "$@"'


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("echo no memory >&2; exit 3", r"subscribe 0 ended with exit 3\n  said: no memory"),
        ("exit 0", r"subscribe 0 ended before it was ready \(exit 0\)"),
        ("kill -SEGV $$", "SIGSEGV"),
        ("[ $1 = publish ] && echo lost >&2 && exit 4; " + RUN_OURS, "publish ended with exit 4"),
        ("echo ready; [ $1 = publish ] || echo '{\"role\": 1}'", "'role' is no text"),
        ("echo ready; echo '{{{'", "a line is no JSON"),
        ("echo ready", "0 results with the role 'subscribe' came"),
    ],
)
def test_a_peer_that_fails_is_named_and_the_others_are_measured(
    program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str, text: str
) -> None:
    monkeypatch.setenv("OURS", str(program))
    folder = fake_peer(tmp_path, body)
    measured = measure(True, small(peers="iceoryx2", peers_dir=folder))
    assert len(measured.failures) == 1, measured.failures
    assert re.search(text, measured.failures[0]), measured.failures
    assert measured.failures[0].startswith("pass 1, one way, 64 B, 1 subscriber, sleep, every 2 ms")
    assert "iceoryx2" in measured.failures[0]
    assert "iceoryx2" not in {row["peer"] for row in measured.rows}
    assert "ligament" in {row["peer"] for row in measured.rows}
    assert not processes_with(str(tmp_path))


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("sleep 1000", "iceoryx2: pong 0 is not ready within 3 s and was ended"),
        ("echo ready; sleep 1000 & wait", "iceoryx2: ping has not ended within 3 s"),
    ],
)
def test_a_peer_that_hangs_is_ended(
    program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str, text: str
) -> None:
    monkeypatch.setattr(passes, "GRACE_S", 1.0)
    folder = fake_peer(tmp_path, body)
    measured = measure(True, small(peers="iceoryx2", peers_dir=folder, metric="latency_round_trip"))
    assert len(measured.failures) == 1 and measured.failures[0].startswith("pass 1, round trip")
    assert re.search(text, measured.failures[0]), measured.failures
    assert not processes_with(str(tmp_path))


def test_a_peer_that_is_given_up_may_clean_up(
    program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is asked to leave before it is killed: some transports keep files."""
    monkeypatch.setattr(passes, "GRACE_S", 1.0)
    mark = tmp_path / "files of a transport"
    trap = f"trap 'rm \"{mark}\"; exit' TERM"
    body = f'[ $1 = --version ] && exit; {trap}; touch "{mark}"; echo ready; sleep 1000 & wait'
    folder = fake_peer(tmp_path, body)
    measured = measure(True, small(peers="iceoryx2", peers_dir=folder, passes=1))
    assert len(measured.failures) == 1 and "has not ended" in measured.failures[0]
    assert not mark.exists() and not processes_with(str(tmp_path))


def test_what_failed_is_an_error_after_the_rest_was_written(
    program: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = fake_peer(tmp_path, "exit 5")
    path = tmp_path / "result.json"
    words = ["bench", "transport", "--peers", "iceoryx2", "--peers-dir", str(folder), "--passes"]
    assert main([*words, "1", "--messages", "20", "--bytes", "64", "--json", str(path)]) == 1
    result = json.loads(path.read_text())
    assert len(result["failures"]) == 1 and result["rows"]
    said = capsys.readouterr()
    assert "not everything could be measured" in said.err and "exit 5" in said.err


# --- nothing is left behind -------------------------------------------------------------------


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_driver_that_is_ended_leaves_nothing(program: Path, number: signal.Signals) -> None:
    words = ["bench", "transport", "--peers", "none", "--messages", "100000", "--bytes", "64"]
    # Where the tests run in the background of a shell, SIGINT is ignored, and so by their children.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    driver = subprocess.Popen(
        [sys.executable, "-m", "ligament.cli.main", *words],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    signal.signal(signal.SIGINT, before)
    topic = f"ligament-bench-{driver.pid}-"
    try:
        wait_until(lambda: len(processes_with(topic)) == 2, "both ends run")
        driver.send_signal(number)
        _, said = driver.communicate(timeout=60)
    finally:
        driver.kill()
        driver.wait()
    if number == signal.SIGINT:
        assert driver.returncode == 130, said
        assert not processes_with(topic)
    wait_until(lambda: not processes_with(topic), "the kernel ends the children")


def test_the_floors_children_end_with_it(program: Path) -> None:
    mark = f"{7_000_000 + os.getpid() % 100_000}"
    words = ["--floor", "broadcast", "--subscribers", "3", "--messages", mark]
    floor = subprocess.Popen([program, *words])
    wait_until(lambda: len(processes_with(mark)) == 4, "all its processes run")
    floor.kill()
    floor.wait()
    wait_until(lambda: not processes_with(mark), "the kernel ends the children")


def test_building_the_peers_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    script = fake_peer(tmp_path, 'echo "asked for: $*"', "build") / "build"
    monkeypatch.setattr(peers, "BUILD_SCRIPT", script)
    peers.build(["fastdds-loan", "fastdds", "iceoryx2"])
    said = capfd.readouterr()
    assert "building the peers: fastdds, iceoryx2" in said.err
    assert "asked for: fastdds iceoryx2" in said.err and not said.out
    monkeypatch.setattr(peers, "BUILD_SCRIPT", tmp_path / "absent")
    with pytest.raises(FailureError, match="is missing"):
        peers.build(["iceoryx2"])
