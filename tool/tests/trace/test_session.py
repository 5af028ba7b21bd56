# SPDX-License-Identifier: Apache-2.0
"""Sessions of one's own: parallel, complete about losses, and nothing stays behind."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ligament.disk import NoRoomError
from ligament.errors import FailureError
from ligament.trace import session as session_module
from ligament.trace.convert import convert
from ligament.trace.errors import NotKeptError, TraceError
from ligament.trace.session import TraceSession, choose_subbuffer, require_lttng

MIB = 1024 * 1024
Emit = Callable[[dict[str, str], str, int], dict[str, Any]]


def rows(query: str) -> list[tuple[Any, ...]]:
    """On a connection of its own: the shared one would be left busy for other tests."""
    with duckdb.connect() as connection:
        return connection.execute(query).fetchall()


def count(table: Path, event: str) -> int:
    return int(rows(f"SELECT count(*) FROM '{table}' WHERE event = '{event}'")[0][0])


def test_every_event_arrives(recording: Path, tmp_path: Path) -> None:
    table = tmp_path / "events.parquet"
    assert convert(recording, table).discarded_events == 0
    found = {name: count(table, name) for name in ("publish", "take", "span_begin", "span_end")}
    assert found == {"publish": 40, "take": 40, "span_begin": 20, "span_end": 20}
    assert count(table, "span_name") == 1
    assert count(table, "calibration") == 0
    assert rows(f"SELECT count(*) FROM '{table}' WHERE pid IS NULL") == [(0,)]
    names = rows(f"SELECT run_id, container FROM '{table}' WHERE event = 'process_start'")
    assert names == [("run-1", "main")]


def test_parallel_sessions_do_not_meet(emit: Emit, tmp_path: Path) -> None:
    sessions = [TraceSession(tmp_path / str(n), subbuffer_bytes=MIB) for n in range(2)]
    for session in sessions:
        session.start()
    try:
        for number, session in enumerate(sessions):
            emit(session.environment(), "burst", 100 * (number + 1))
    finally:
        summaries = [session.stop() for session in sessions]
    for number, summary in enumerate(summaries):
        assert summary is not None
        table = tmp_path / f"{number}.parquet"
        convert(tmp_path / str(number), table)
        assert count(table, "publish") == 100 * (number + 1)


def test_lost_events_are_counted_alike_by_session_and_reader(emit: Emit, tmp_path: Path) -> None:
    session = TraceSession(tmp_path / "trace", subbuffers=2, subbuffer_bytes=4096)
    with session:
        emit(session.environment(), "burst", 200_000)
    summary = session.stop()
    assert summary is not None
    assert summary.events_discarded > 0
    table = tmp_path / "events.parquet"
    conversion = convert(tmp_path / "trace", table)
    assert conversion.discarded_events == summary.events_discarded
    everything = 200_000 + 2050 + 3
    kept = conversion.events + conversion.calibration_events
    assert kept + conversion.discarded_events == everything


def test_nothing_stays_behind(emit: Emit, tmp_path: Path) -> None:
    session = TraceSession(tmp_path / "trace", subbuffer_bytes=MIB)
    session.start()
    home = Path(session.environment()["LTTNG_HOME"])
    daemon = int((home / "daemon.pid").read_text())
    session.stop()
    assert not home.exists()
    assert not session_module._is_running(daemon)
    assert session.environment() == {}


def test_a_killed_tool_leaves_no_daemon(emit: Emit, tmp_path: Path) -> None:
    code = (
        "import sys, time; from pathlib import Path; "
        "from ligament.trace.session import TraceSession; "
        "s = TraceSession(Path(sys.argv[1]), subbuffer_bytes=1 << 20); s.start(); "
        "print(s.environment()['LTTNG_HOME'], flush=True); time.sleep(600)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path / "trace")], stdout=subprocess.PIPE, text=True
    ) as tool:
        assert tool.stdout is not None
        home = Path(tool.stdout.readline().strip())
        daemon = int((home / "daemon.pid").read_text())
        tool.send_signal(signal.SIGKILL)
    while session_module._is_running(daemon) or home.exists():  # the test's own time-out judges
        time.sleep(0.05)


def test_a_stopped_session_may_be_stopped_again(emit: Emit, tmp_path: Path) -> None:
    session = TraceSession(tmp_path / "trace", subbuffer_bytes=MIB)
    session.start()
    first = session.stop()
    assert first is not None
    assert session.stop() is first


def test_missing_lttng_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(TraceError, match="lttng-tools"):
        require_lttng()


def test_a_missing_provider_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for program in ("lttng", "lttng-sessiond"):
        (tmp_path / program).write_text("#!/bin/sh\n")
        (tmp_path / program).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(session_module, "provider_path", lambda *_: tmp_path / "absent.so")
    with pytest.raises(TraceError, match="liblttng-ust-dev"):
        require_lttng()


def test_a_daemon_that_refuses_is_quoted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    # Not below tmp_path: a root user's session runs as nobody, who may not enter that.
    with tempfile.TemporaryDirectory() as programs:
        Path(programs).chmod(0o755)
        for name in ("lttng", "lttng-sessiond"):
            program = Path(programs) / name
            program.write_text("#!/bin/sh\necho Error: no room >&2\nexit 1\n")
            program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
        monkeypatch.setattr(session_module, "provider_path", lambda *_: program)
        session = TraceSession(tmp_path / "trace")
        with pytest.raises(FailureError, match="no room"):
            session.start()
        assert session.environment() == {}


def test_buffers_fit_what_is_free() -> None:
    assert choose_subbuffer(10**12, 16, 4) == 8 * MIB
    assert choose_subbuffer(64 * MIB, 16, 4) == MIB // 2
    assert choose_subbuffer(0, 64, 4) == MIB // 8


def test_a_daemon_that_dies_leaves_what_it_wrote(emit: Emit, tmp_path: Path) -> None:
    session = TraceSession(tmp_path / "trace", subbuffer_bytes=MIB // 4)
    session.start()
    emit(session.environment(), "burst", 50_000)
    daemon = session._daemon_pid
    assert daemon is not None
    os.kill(daemon, signal.SIGKILL)
    with pytest.raises(TraceError, match=r"its session daemon died; \d+ bytes") as told:
        session.stop()
    assert str(tmp_path / "trace") in told.value.text
    assert sum(p.stat().st_size for p in (tmp_path / "trace").rglob("events_*")) > MIB
    # Whether the metadata was whole by then depends on when it died; what is read is no more than
    # what was written, and what cannot be read is a sentence.
    try:
        assert 0 < convert(tmp_path / "trace", tmp_path / "events.parquet").events < 60_000
    except TraceError as error:
        assert "could not be read to its end" in error.text


@pytest.fixture
def small() -> Iterator[Path]:
    """A small disk. Not below tmp_path: the session's daemon runs as another user, who enters."""
    small = Path(tempfile.mkdtemp(prefix="ligament-small-"))
    # Smaller than one core's buffers, which are written in any case, however late the daemon is.
    options = ["-t", "tmpfs", "-o", "size=768k,mode=777", "none", str(small)]
    if subprocess.run(["mount", *options], check=False, capture_output=True).returncode != 0:
        small.rmdir()
        pytest.skip("this machine has no such thing: leave to mount a small disk to fill")
    small.chmod(0o777)
    yield small
    subprocess.run(["umount", "-l", str(small)], check=False)
    small.chmod(0o755)
    small.rmdir()


@pytest.fixture
def cramped(tmp_path: Path, small: Path, monkeypatch: pytest.MonkeyPatch) -> TraceSession:
    """A session that has begun to record onto the small disk."""
    monkeypatch.setattr(tempfile, "tempdir", str(small))
    session = TraceSession(tmp_path / "trace", subbuffer_bytes=MIB // 4)
    session.start()
    return session


def test_a_full_disk_is_named(emit: Emit, cramped: TraceSession) -> None:
    emit(cramped.environment(), "burst", 50_000)
    with pytest.raises(TraceError, match=r"cannot write .*small.*no room left.* are free") as told:
        cramped.stop()
    assert "bytes that were written before are in" in told.value.text
    assert told.value.hint.endswith("TMPDIR=DIR")


def test_a_disk_that_was_full_for_a_while_leaves_no_short_trace(
    emit: Emit, cramped: TraceSession, small: Path
) -> None:
    filling = small / "filling"
    filling.write_bytes(b"x" * (shutil.disk_usage(small).free - 100_000))
    emit(cramped.environment(), "burst", 50_000)
    deadline = time.monotonic() + 30
    while shutil.disk_usage(small).free > 0 and time.monotonic() < deadline:
        time.sleep(0.01)
    filling.unlink()
    with pytest.raises(TraceError, match=r"not all of it was written, .*full for a while: .* ends"):
        cramped.stop()


def test_a_recording_that_does_not_fit_is_left_where_it_is(
    emit: Emit, tmp_path: Path, small: Path
) -> None:
    session = TraceSession(small / "run" / "trace", subbuffer_bytes=MIB // 4)
    session.start()
    emit(session.environment(), "burst", 50_000)
    with pytest.raises(NotKeptError, match=r"cannot write .*no room left.* is left in") as told:
        session.stop()
    assert list((small / "run").iterdir()) == []
    left = Path(told.value.text.rpartition(" ")[2])
    try:
        summary = told.value.summary
        read = convert(left, tmp_path / "events.parquet")
        assert read.discarded_events == summary["events_discarded"] and not read.error
        assert summary["recorded_bytes"] > 768 * 1024
        assert f"mv {left} {small / 'run' / 'trace'} && ligament trace" in told.value.hint
    finally:
        shutil.rmtree(left)


def test_a_limit_that_the_buffers_break_is_told_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    require_lttng()
    monkeypatch.setattr(resource, "getrlimit", lambda of: (1000, resource.RLIM_INFINITY))
    with pytest.raises(NoRoomError, match=r"1.0 MB were needed, a file may not grow beyond 1,000"):
        TraceSession(tmp_path / "trace", subbuffer_bytes=MIB // 4).start()
