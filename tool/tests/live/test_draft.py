# SPDX-License-Identifier: Apache-2.0
"""From what was seen to a graph.yaml: who becomes an executable, and what is said of the others."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from ligament.errors import InputError
from ligament.graph import load_graph
from ligament.live import ThisHost, draft_graph, write_draft
from ligament.live.draft import topic_entries
from ligament.live.processes import Process
from ligament.live.recording import started_by
from ligament.live.seen import Seen, seen_from

IMAGE, TEXT = "sensor_msgs/msg/Image", "std_msgs/msg/String"
QOS = {"reliability": "reliable", "durability": "volatile"}


class Host(ThisHost):
    """A computer with these processes, whose programs are in a folder."""

    def __init__(self, folder: Path, **programs: int) -> None:
        super().__init__(name="desk")
        self.programs = {pid: folder / name.replace("__", "-") for name, pid in programs.items()}
        for file in self.programs.values():
            file.touch()

    def process(self, pid: int) -> Process | None:
        file = self.programs.get(pid)
        return Process(pid, (str(file),), Path("/"), str(file)) if file else None


def end(node: str | None, topic: str, message: str, kind: str, **more: Any) -> dict[str, Any]:
    where = "dds" if "participant" in more else "pool"
    entry = {"where": where, "topic": topic, "type": message, "node": node, "kind": kind}
    return {**entry, "qos": QOS, **more}


def seen(*ends: dict[str, Any], **participants: tuple[int | None, str]) -> Seen:
    told = [{"id": i, "pid": p, "host": h, "program": ""} for i, (p, h) in participants.items()]
    answer = {"schema": "ligament/look/1", "domain_id": 7, "endpoints": ends, "participants": told}
    return seen_from(json.dumps(answer))


def test_processes_in_pool_and_dds_become_executables(tmp_path: Path) -> None:
    found = seen(
        end("/camera", "/image", IMAGE, "publisher", pid=5, qos={**QOS, "depth": 3}),
        end("/camera", "/rosout", "rcl_interfaces/msg/Log", "publisher", pid=5),
        end("/show/viewer", "/image", IMAGE, "subscription", participant="a"),
        end("/show/second", "/said", TEXT, "publisher", participant="a"),
        a=(6, "desk:123"),
    )
    draft = draft_graph("robot", found, Host(tmp_path, cam=5, view=6))
    path = tmp_path / "robot" / "graph.yaml"
    picture = write_draft(draft, path)
    assert "viewer" not in [gap.split()[0] for gap in draft.gaps]
    graph = load_graph(path)
    assert graph.name == "robot"
    one, two = graph.executables["camera"], graph.executables["second"]
    assert (one.executable, dict(one.publishes)) == (f"{tmp_path}/cam", {"/image": IMAGE})
    assert two.description == "Nodes: /show/second, /show/viewer."
    assert (dict(two.subscribes), dict(two.publishes)) == ({"/image": IMAGE}, {"/said": TEXT})
    assert "/image" in picture.read_text()
    written = path.read_text()
    assert "depth: 3" in written
    assert "rosout" not in written


def test_of_several_ends_the_publisher_s_qos_is_written(tmp_path: Path) -> None:
    lasting = {**QOS, "deadline_ns": 20_000_000, "lifespan_ns": 1_500_000_000}
    found = seen(
        end("/view", "/image", IMAGE, "subscription", pid=5, qos={**QOS, "depth": 1}),
        end("/cam", "/image", IMAGE, "publisher", pid=6, qos={**lasting, "depth": 3}),
    )
    draft = draft_graph("robot", found, Host(tmp_path, view=5, cam=6))
    write_draft(draft, tmp_path / "graph.yaml")
    qos = topic_entries(draft)["/image"]["qos"]
    assert qos == {"depth": 3, "deadline_ms": 20.0, "lifespan_ms": 1500.0}


def test_who_cannot_be_started_from_here_is_outside_and_named(tmp_path: Path) -> None:
    found = seen(
        end("/here", "/image", IMAGE, "subscription", pid=5),
        end("/far", "/image", IMAGE, "publisher", participant="a"),
        end("/hidden", "/x", TEXT, "publisher", pid=99),
        end("/own", "/image", IMAGE, "publisher", pid=8),
        end("/bare", "/y", TEXT, "publisher", participant="b"),
        a=(6, "robot"),
        b=(None, ""),
    )
    draft = draft_graph("robot", found, Host(tmp_path, view=5, ligament__container=8))
    assert [p.name for p in draft.programs] == ["here"]
    gaps = "\n".join(draft.gaps)
    assert "/far on the computer robot: left out" in gaps
    assert "/hidden of processes that may not be read: left out" in gaps
    assert "/own of Ligament graphs that run: left out" in gaps
    assert "/bare of processes that do not tell who they are: left out" in gaps
    path = tmp_path / "graph.yaml"
    write_draft(draft, path)
    assert "external:\n    - publisher" in path.read_text()
    assert "# /far on the computer robot: left out" in path.read_text()


def test_what_the_edge_shows_in_dds_is_not_seen_twice(tmp_path: Path) -> None:
    found = seen(
        end("/camera", "/image", IMAGE, "publisher", pid=5),
        end("/camera", "/image", IMAGE, "publisher", participant="a"),
        end("/_edge", "/image", IMAGE, "subscription", pid=6),
        a=(6, "desk"),
    )
    draft = draft_graph("robot", found, Host(tmp_path, cam=5, ligament__edge=6))
    assert [p.name for p in draft.programs] == ["camera"]
    assert draft.outside == []
    assert draft.gaps == [f"camera: {tmp_path}/cam is a path of this computer"]


def test_only_the_processes_of_a_command_are_taken(tmp_path: Path) -> None:
    found = seen(
        end("/mine", "/image", IMAGE, "publisher", pid=5),
        end("/other", "/image", IMAGE, "subscription", pid=6),
    )
    draft = draft_graph("robot", found, Host(tmp_path, mine=5, other=6), only={5})
    assert [p.name for p in draft.programs] == ["mine"]
    assert [e.node for e in draft.outside] == ["/other"]


def test_names_are_unique_and_none_of_the_run(tmp_path: Path) -> None:
    ends = [
        end(n, "/x", TEXT, "publisher", pid=p) for p, n in enumerate(["/edge", "/a/n", "/n"], 5)
    ]
    draft = draft_graph("robot", seen(*ends), Host(tmp_path, a=5, b=6, c=7))
    assert [p.name for p in draft.programs] == ["edge_2", "n", "n_2"]


def test_names_that_are_none_are_not_believed() -> None:
    found = seen(
        end("/ok", "/image raw", IMAGE, "publisher", pid=5),
        end("/ok", "/image", "sensor_msgs/msg/../Image", "publisher", pid=5),
        end("/bad\nname", "/image", IMAGE, "publisher", pid=5),
        end("/ok", "rq/xRequest", "std_srvs/srv/Empty_Request", "subscription", pid=5),
    )
    assert {e.node for e in found.ends} == {"/ok"}
    assert [e.message for e in found.ends] == ["", "", ""]


def test_an_answer_of_another_form_is_refused() -> None:
    with pytest.raises(InputError, match="ligament/look/1"):
        seen_from('{"schema": "ligament/look/2"}')


def test_a_graph_that_is_there_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "graph.yaml"
    path.write_text("mine")
    draft = draft_graph(
        "robot", seen(end("/a", "/x", TEXT, "publisher", pid=5)), Host(tmp_path, a=5)
    )
    with pytest.raises(InputError, match="is there already"):
        write_draft(draft, path)
    assert path.read_text() == "mine"


def test_a_launch_file_s_temporary_parameters_are_kept_beside_the_graph(tmp_path: Path) -> None:
    parameters = tmp_path / "launch_params_x"
    parameters.write_text("/**:\n  ros__parameters: {gain: 1}\n")
    draft = draft_graph(
        "robot", seen(end("/a", "/x", TEXT, "publisher", pid=5)), Host(tmp_path, a=5)
    )
    second, gone = tmp_path / "launch_params_y", tmp_path / "gone"
    second.write_text("/**:\n  ros__parameters: {speed: 2}\n")
    draft.programs[0].started.parameter_files = [parameters, second, gone]
    path = tmp_path / "robot" / "graph.yaml"
    write_draft(draft, path)
    parameters.unlink()
    kept, other = load_graph(path).executables["a"].parameter_files
    assert kept == str(path.parent / "a.parameters.yaml")
    assert "gain" in Path(kept).read_text() and "speed" in Path(other).read_text()


def test_a_program_that_is_gone_is_left_out(tmp_path: Path) -> None:
    host = Host(tmp_path, a=5)
    (tmp_path / "a").unlink()
    draft = draft_graph("robot", seen(end("/a", "/x", TEXT, "publisher", pid=5)), host)
    assert draft.programs == []
    assert draft.gaps == ["/a of a program that is not there any more: left out"]


def test_this_process_is_read_with_its_children() -> None:
    here = ThisHost()
    own = here.process(os.getpid())
    assert own is not None and own.words and own.folder == Path.cwd()
    with subprocess.Popen(["sleep", "60"], start_new_session=True) as child:
        assert child.pid in here.descendants(os.getpid())
        assert here.of_session(child.pid) == {child.pid}
        assert here.leaves({os.getpid(), child.pid}) == {child.pid}
        child.kill()
    assert here.process(child.pid) is None


def test_who_outlives_its_parent_is_of_the_command_still() -> None:
    words = ["sh", "-c", "sleep 60 & echo $!"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, start_new_session=True) as one:
        assert one.stdout is not None
        left = int(one.stdout.readline())
        one.wait()
        try:
            assert left in started_by(one, ThisHost())
        finally:
            os.kill(left, signal.SIGKILL)
