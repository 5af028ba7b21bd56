# SPDX-License-Identifier: Apache-2.0
"""hosts.yaml, the words for ssh, and what must be right on a host before anything is copied."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ligament import __version__
from ligament.cli.main import main
from ligament.deploy import whoami
from ligament.deploy.check import problems_of, require_room
from ligament.deploy.clean import Cleaned
from ligament.deploy.connection import Ping
from ligament.deploy.gather import samples_of
from ligament.deploy.hosts import Host, load_hosts
from ligament.deploy.parts import Part, machine_of
from ligament.deploy.ssh import connect_failure, remote_command, ssh_command
from ligament.deploy.stage import deciders
from ligament.errors import FailureError, InputError
from ligament.trace.clock_fit import MAX_SLEW

NASTY = ["a b", "größe", "$(touch x)", "`id`", "'", '"', "a;b", "x\ny", "*", "-n", "\\", "!1", "#"]


@pytest.mark.parametrize("nasty", NASTY)
def test_words_reach_a_shell_as_they_are(nasty: str, tmp_path: Path) -> None:
    """The program is one that prints its words; the shell is the login's."""
    host = Host("h", "h", ligament="printf", folder=nasty, environment={"NAME": nasty})
    command = remote_command(host, 5).replace("printf serve-host", 'python3 -c "$CODE"', 1)
    code = "import os, sys; sys.stdout.write(repr([os.environ['NAME'], *sys.argv[1:]]))"
    done = subprocess.run(
        ["sh", "-c", command], env={"CODE": code, "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"},
        cwd=tmp_path, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout == repr([nasty, nasty, "5"])
    assert not list(tmp_path.iterdir())


def test_ssh_checks_host_keys_as_it_is_configured() -> None:
    words = ssh_command(Host("h", "robot", "me", 2222, Path("k"), ("ProxyJump=gate",)), 5)
    assert words[-2] == "me@robot"
    assert words[-3] == "--"
    assert "StrictHostKeyChecking" not in " ".join(words)
    assert words[words.index("-p") + 1] == "2222"
    assert "ProxyJump=gate" in words


def test_what_ssh_says_is_told_where_its_meaning_is_not_known() -> None:
    error = connect_failure(Host("desk", "10.0.0.1"), "Connection reset by peer\n")
    assert error.text == "desk: the connection ended (ssh: Connection reset by peer)"
    warned = "setlocale: cannot change locale (de): No such file or directory\n"
    error = connect_failure(Host("desk", "d"), f"{warned}Traceback:\n  File\n    x\nKeyError: 1\n")
    assert error.text == "desk: the connection ended (ssh: KeyError: 1)"


def test_hosts_file_is_read(tmp_path: Path) -> None:
    file = tmp_path / "hosts.yaml"
    file.write_text(
        "schema: ligament/hosts/1\nlease_s: 3\ndomain_id: 7\nhosts:\n"
        "  robot: {address: r.local, key: keys/r, environment: {A: b}}\n  spare: {address: s}\n"
    )
    found = load_hosts(file, ["robot"])
    assert list(found.hosts) == ["robot"]
    assert found.hosts["robot"].key == tmp_path / "keys" / "r"
    assert (found.lease_s, found.domain_id, found.max_clock_difference_s) == (3, 7, 1.0)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("hosts: {desk: {address: d}}", "host 'robot', which is not in this file"),
        ("hosts: {robot: {}}", "lacks 'address'"),
        ("hosts: {robot: {address: -oProxyCommand=x}}", "does not begin with '-'"),
        ("hosts: {robot: {address: r, user: -x}}", "user"),
        ("hosts: {robot: {address: r, ssh_options: [StrictHostKeyChecking]}}", "ssh_options"),
        ("hosts: {robot: {address: r, adress: r}}", "did you mean 'address'"),
        ("hosts: {robot: {address: r, port: 70000}}", "at most 65535"),
        ("hosts: {robot: {address: r, environment: {'A B': c}}}", "cannot be a name"),
    ],
)
def test_mistake_in_the_hosts_file_is_told_with_its_line(
    tmp_path: Path, text: str, said: str
) -> None:
    file = tmp_path / "hosts.yaml"
    file.write_text(f"schema: ligament/hosts/1\n{text}\n")
    with pytest.raises(InputError) as caught:
        load_hosts(file, ["robot"])
    assert said in str(caught.value)
    assert f"{file}:2:" in str(caught.value)


def part(**other: Any) -> Part:
    return Part("desk", "v", ("/n",), {}, machines={"x86_64"}, **other)


def told(**other: Any) -> dict[str, Any]:
    """What a host says of itself that is right."""
    right = {"version": __version__, "headers": whoami.headers_digest(), "machine": "x86_64"}
    return {**right, "ahead_ns": 900_000_000, "free_bytes": 10, "folder": "/f", **other}


def test_host_that_is_right_has_no_problem() -> None:
    assert problems_of(told(), part(), 1.0) == []


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"version": "9.9"}, "desk: Ligament is 9.9 there"),
        (
            {"machine": "aarch64"},
            "desk: its processor is aarch64, and the libraries were built for",
        ),
        ({"ahead_ns": 3600 * 10**9}, "desk: its clock is 3.6e+03 s ahead of this computer's"),
        ({"ahead_ns": -2 * 10**9}, "desk: its clock is 2 s behind"),
        ({"headers": "other"}, "desk: the runtime there is another one"),
    ],
)
def test_host_that_is_not_right_is_told(fields: dict[str, Any], said: str) -> None:
    if "headers" in fields and whoami.headers_digest() is None:
        pytest.skip("this machine has no such thing: the runtime's headers")
    (problem,) = problems_of(told(**fields), part(), 1.0)
    assert said in problem.text
    assert problem.hint


def test_room_is_asked_for() -> None:
    require_room(told(), part(), 10)
    with pytest.raises(FailureError, match="11 bytes are to be copied, and 10 are free in /f"):
        require_room(told(), part(), 11)


def test_cleaning_is_told_as_one_document_also_where_a_host_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def clean(host: Host, _lease_s: float, _name: str) -> Cleaned:
        if host.name == "robot":
            raise FailureError("robot: it cannot be reached", hint="is it on?")
        return Cleaned(1, 2)

    monkeypatch.setattr("ligament.deploy.cleaning._clean", clean)
    hosts = tmp_path / "hosts.yaml"
    hosts.write_text("schema: ligament/hosts/1\nhosts: {robot: {address: r}, desk: {address: d}}\n")
    graph = Path(__file__).resolve().parents[3] / "examples" / "perception"
    words = ["deploy", str(graph), "--out", str(tmp_path), "--hosts", str(hosts), "--clean"]
    words += ["--variant", "two_hosts"]
    assert main([*words, "--json"]) == 1
    error = "robot: it cannot be reached\n  hint: is it on?"
    assert json.loads(capsys.readouterr().out) == {
        "graph": "perception", "variant": "two_hosts",
        "hosts": {"desk": {"stopped": 1, "removed": 2}, "robot": {"error": error}},
        "error": error, "exit_code": 1,
    }  # fmt: skip
    assert main(words) == 1
    said = capsys.readouterr()
    assert said.out == "desk: 1 part stopped, the files of 2 runs removed\n"
    assert f"error: {error}" in said.err


def test_machine_of_a_library(tmp_path: Path) -> None:
    library = tmp_path / "x.so"
    library.write_bytes(b"\x7fELF\x02\x01" + bytes(12) + (183).to_bytes(2, "little"))
    assert machine_of(library) == "aarch64"
    library.write_bytes(b"\x7fELF\x01\x02" + bytes(12) + (40).to_bytes(2, "big"))
    assert machine_of(library) == "armv7l"
    library.write_bytes(b"text")
    with pytest.raises(FailureError, match="is no library"):
        machine_of(library)


def test_clock_samples_hold_the_truth() -> None:
    """Deployer, reference and other have clocks of their own; questions take what they take."""
    chance = np.random.default_rng(2)

    def asked(at: int, offset: int, drift: float) -> Ping:
        there, back = (int(x) for x in chance.integers(10_000, 3_000_000, 2))
        read = at + there
        return Ping(at, read + offset + round(drift * read), read + back)

    times = [k * 250_000_000 for k in range(100)]
    reference = [asked(t, 5 * 10**12, 0.0) for t in times]
    other = [asked(t + 40_000, -(10**12), 2e-4) for t in times]
    samples = samples_of(reference, other)
    assert len(samples) == 100
    for sample in samples:
        real = sample["at_ns"] - 5 * 10**12
        truth = -6 * 10**12 + 2e-4 * real
        assert abs(sample["offset_ns"] - truth) <= sample["bound_ns"]
        assert sample["bound_ns"] < 10_000_000
    assert samples_of([], other) == []


class Counted(list[Ping]):
    """How often it was gone through."""

    times = 0

    def __iter__(self) -> Iterator[Ping]:
        self.times += 1
        return super().__iter__()


def test_clock_samples_of_a_long_run_are_found_without_going_through_it_each_time() -> None:
    chance = np.random.default_rng(3)
    sent = np.sort(chance.integers(0, 10**12, (2, 200)))
    reference, other = ([Ping(int(t), int(t) + 1, int(t) + 2) for t in one] for one in sent)
    counted = Counted(reference)
    samples = samples_of(counted, other)
    assert counted.times <= 2
    for sample, ping in zip(samples, other, strict=True):
        near = min(abs(r.sent_ns - ping.sent_ns) for r in reference)
        assert sample["bound_ns"] == pytest.approx(2 + (near + 2) * MAX_SLEW, abs=2)


def test_hosts_whose_end_is_the_graphs() -> None:
    parts = {h: Part(h, "v", (n,), {}) for h, n in (("a", "/one"), ("b", "/two"), ("c", "/serve"))}
    topics = {"/t": {"publishers": ["/one"], "subscriptions": ["/two"]}}
    build = {"topics": topics, "servers": ["/serve"], "check": None}
    assert deciders(build, parts) == {"b"}
    assert deciders({**build, "check": {"sink": "/one"}}, parts) == {"a"}
    assert deciders(build, parts, ("/serve",)) == {"c"}


def test_a_wrong_hosts_file_is_told_before_anything_is_compiled(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def compiled(*_words: object, **_options: object) -> None:
        raise AssertionError("it compiles")

    monkeypatch.setattr("ligament.deploy.builds.build", compiled)
    graph = Path(__file__).resolve().parents[3] / "examples" / "perception"
    words = ["deploy", str(graph), "--out", str(tmp_path), "--hosts", str(tmp_path / "none.yaml")]
    assert main([*words, "--variant", "two_hosts"]) == 2
    assert "[file-missing]" in capsys.readouterr().err
    assert main([*words, "--variant", "processes"]) == 2
    assert "[host-missing]" in capsys.readouterr().err
