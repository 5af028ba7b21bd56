# SPDX-License-Identifier: Apache-2.0
"""The host's end of a connection, over pipes: silence and nonsense end it, a full disk does not."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ligament.deploy.serve import HostEnd, Inlet, Outlet
from ligament.deploy.store import File, Store, tree_digest


class Talk:
    """A host's end in a thread, and the deployer's side of it."""

    def __init__(self, folder: Path, lease_s: float) -> None:
        ours_in, theirs_out = os.pipe()
        theirs_in, ours_out = os.pipe()
        self._read = os.fdopen(ours_in, "rb")
        self._write = os.fdopen(ours_out, "wb", buffering=0)
        self._theirs = theirs_in
        self.end = HostEnd(Inlet(theirs_in, lease_s), Outlet(theirs_out, lease_s), folder)
        self.thread = threading.Thread(target=self._serve, daemon=True)
        self.thread.start()
        assert self.hear() == {"hello": "ligament-host"}

    def _serve(self) -> None:
        self.end.serve()
        del self.end  # and with it its end of the pipe

    def ask(self, number: int, do: str, payload: bytes = b"", **fields: Any) -> dict[str, Any]:
        self._write.write(json.dumps({"n": number, "do": do, **fields}).encode() + b"\n" + payload)
        return self.hear()

    def say(self, data: bytes) -> None:
        self._write.write(data)

    def hear(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self._read.readline())
        return found

    def close(self) -> None:
        self._write.close()
        self.thread.join(10)
        if not self._read.closed:
            self._read.close()
            os.close(self._theirs)


@pytest.fixture
def talk(tmp_path: Path) -> Iterator[Talk]:
    talk = Talk(tmp_path, 30)
    yield talk
    talk.close()


def test_host_says_who_it_is(talk: Talk, tmp_path: Path) -> None:
    told = talk.ask(1, "hello")
    assert told["to"] == 1
    assert told["machine"] == os.uname().machine
    assert told["folder"] == str(tmp_path)
    assert told["free_bytes"] > 0
    clocks = [talk.ask(k, "clock")["monotonic_ns"] for k in (2, 3)]
    assert clocks[0] < clocks[1]


def test_silence_ends_it(tmp_path: Path) -> None:
    talk = Talk(tmp_path, 0.2)
    talk.thread.join(20)
    assert not talk.thread.is_alive()
    talk.close()


def test_end_of_the_connection_ends_it(talk: Talk) -> None:
    talk.say(b'{"n": 1, "do": "put", "digest": "' + b"0" * 64 + b'", "size": 10}\nfive5')
    talk.close()
    assert not talk.thread.is_alive()


@pytest.mark.parametrize(
    "line",
    [b"nonsense", b'{"do": "hello"}', b'{"n": 1, "do": "no"}',
     b'{"n": 1, "do": "fetch", "run": "x"}',
     b'{"n": 1, "do": "run", "tree": "../..", "variant": "v", "host": "h", "words": []}',
     b'{"n": 1, "do": "offer", "tree": "x", "files": [["/etc/passwd", "", 1]]}'],
)  # fmt: skip
def test_what_is_no_request_ends_it_with_a_word(talk: Talk, line: bytes) -> None:
    talk.say(line + b"\n")
    assert talk.hear()["event"] == "broken"
    talk.thread.join(20)
    assert not talk.thread.is_alive()


def test_after_a_full_disk_the_next_request_is_understood(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    data = b'{"n": 9}\n' * 100_000
    digest = hashlib.sha256(data).hexdigest()
    with monkeypatch.context() as patch:
        patch.setattr(Store, "put", full)
        told = talk.ask(1, "put", data, digest=digest, size=len(data))
    assert "no room left on the disk" in told["error"]
    assert talk.ask(2, "put", data, digest=digest, size=len(data)) == {"to": 2, "ok": True}


def test_who_waits_for_the_store_says_that_it_lives(tmp_path: Path) -> None:
    first, second = Talk(tmp_path, 30), Talk(tmp_path, 30)
    assert first.ask(1, "offer", tree="0" * 64, files=[]) == {"to": 1, "missing": []}
    assert second.ask(1, "offer", tree="0" * 64, files=[]) == {"event": "busy"}
    first.close()
    heard = [second.hear()]
    while "event" in heard[-1]:
        heard.append(second.hear())
    assert heard[-1] == {"to": 1, "missing": []}
    second.close()


def test_who_reads_nothing_is_cut_after_the_lease() -> None:
    ours, theirs = os.pipe()
    outlet = Outlet(theirs, 0.1)
    outlet.send({"event": "said", "text": "x" * (1 << 20)})
    assert outlet.is_cut
    outlet.send({"event": "said"})  # and nobody waits for it any more
    os.close(ours)


def test_size_of_a_file_is_told_when_it_can_be_read(talk: Talk, tmp_path: Path) -> None:
    """Else its bytes would be missing, and what follows be taken for them."""
    run = tmp_path / "runs" / "1"
    run.mkdir(parents=True)
    (run / "a").write_bytes(b"text")
    talk.end._run = SimpleNamespace(folder=run, end=lambda: None)  # type: ignore[assignment]
    real = Path.open

    def refused(path: Path, *words: Any, **more: Any) -> Any:
        if path.name == "a":
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return real(path, *words, **more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Path, "open", refused)
        assert "Permission denied" in talk.ask(1, "fetch", run="1")["error"]
    assert talk.ask(2, "fetch", run="1") == {"to": 2, "file": "a", "size": 4}


def test_tree_is_kept_from_when_it_was_made(talk: Talk, tmp_path: Path) -> None:
    file = File("a", hashlib.sha256(b"1").hexdigest(), 1)
    tree = tree_digest([file])
    talk.ask(1, "offer", tree=tree, files=[file.plain()])
    talk.ask(2, "put", b"1", digest=file.digest, size=1)
    assert "path" in talk.ask(3, "tree", name="g/v/h")
    assert "server" in (tmp_path / "trees" / tree / ".ligament-run").read_text()
    with Store(tmp_path).in_use(tree) as free:
        assert not free


def test_the_program_begins_without_the_verbs_modules(tmp_path: Path) -> None:
    """It is started by each deploy, on each host."""
    code = (
        "import sys, ligament.cli.main as m; m.main(['serve-host', sys.argv[1], '1']); "
        "sys.exit(any(n.split('.')[0] in ('typer', 'rich', 'pyarrow', 'numpy', 'jsonschema') "
        "for n in sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], stdin=subprocess.DEVNULL, capture_output=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == b'{"hello":"ligament-host"}\n'
