# SPDX-License-Identifier: Apache-2.0
"""A graph's socket name that somebody else has taken: the error says who, and what to do."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from ligament.errors import InputError, Problem
from ligament.run.lock import DomainLock
from ligament.run.socket_holder import Holder

# HOW: bind (and no more), listen (and never accept), or full (its queue has no room).
_SQUATTER = """
import os, socket, sys, time
name, how, uid = sys.argv[1], sys.argv[2], int(sys.argv[3])
if uid != os.getuid():
    os.setuid(uid)
held = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
held.bind("\\0" + name)
if how != "bind":
    held.listen(0)
if how == "full":
    filler = [socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) for _ in range(4)]
    for one in filler:
        one.setblocking(False)
        try:
            one.connect("\\0" + name)
        except BlockingIOError:
            break
print("held", flush=True)
time.sleep(1000)
"""


@contextmanager
def _squatter(domain: str, how: str, uid: int) -> Iterator[int]:
    name = f"ligament/run/{os.getuid()}/{domain}"
    words = [sys.executable, "-c", _SQUATTER, name, how, str(uid)]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"
        try:
            yield process.pid
        finally:
            process.kill()


def _problem_of(domain: str) -> Problem:
    began = time.monotonic()
    with pytest.raises(InputError) as raised, DomainLock(domain):
        pass
    assert time.monotonic() - began < 30  # it hangs for good, if it waits for an answer
    (problem,) = raised.value.problems
    return problem


@pytest.mark.parametrize("how", ["bind", "listen", "full"])
def test_the_holder_is_named_though_it_never_answers(how: str) -> None:
    domain = f"taken_{uuid.uuid4().hex}"
    with _squatter(domain, how, os.getuid()) as pid:
        problem = _problem_of(domain)
    assert f"pid {pid} of user " in problem.text and f"({os.getuid()})" in problem.text
    assert sys.executable in problem.text
    assert f"kill {pid}" in problem.hint and "--domain" in problem.hint


def test_a_graph_that_runs_is_named_where_processes_may_not_be_looked_into(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    domain = f"taken_{uuid.uuid4().hex}"
    monkeypatch.setattr("ligament.run.socket_holder._owner", lambda _: None)
    with DomainLock(domain):
        assert f"is already running (pid {os.getpid()} of user " in _problem_of(domain).text


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become another user")
@pytest.mark.parametrize("how", ["bind", "listen", "full"])
def test_another_user_is_not_called_a_running_graph(how: str) -> None:
    domain = f"taken_{uuid.uuid4().hex}"
    with _squatter(domain, how, 65534) as pid:
        problem = _problem_of(domain)
    assert "is taken by another user" in problem.text and "(65534)" in problem.text
    assert "already running" not in problem.text
    assert f"sudo kill {pid}" in problem.hint and "--domain" in problem.hint


def test_a_holder_that_cannot_be_seen_is_told_with_a_way_to_find_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    domain = f"taken_{uuid.uuid4().hex}"
    monkeypatch.setattr("ligament.run.lock.holder_of", lambda _: None)
    with _squatter(domain, "bind", os.getuid()):
        problem = _problem_of(domain)
    assert "cannot be seen" in problem.text
    assert f"ss -xap | grep ligament/run/{os.getuid()}/{domain}" in problem.hint


@pytest.mark.parametrize(("length", "cut"), [(40, False), (300, True)])
def test_the_command_of_a_holder_is_cut_to_a_readable_length(length: int, cut: bool) -> None:
    words = ["/bin/sh", "-c", "echo; read line", "\t" + length * "x"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()  # a process has no words yet in the moment that exec takes
        command = Holder(process.pid, 0).command
    whole = f"/bin/sh -c 'echo; read line' '?{length * 'x'}'"
    assert command == (whole[:80] + "..." if cut else whole)
    assert Holder(process.pid, 0).command == "", "it is gone"


def test_a_user_without_a_name_is_told_by_number() -> None:
    assert Holder(1, 0).user == "root (0)"
    assert Holder(1, 3_999_999_999).user == "3999999999"
    gone = 2**22 + 1  # beyond the kernel's largest number of a process
    assert str(Holder(gone, 0)) == f"pid {gone} of user root (0)"
