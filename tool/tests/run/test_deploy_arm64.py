# SPDX-License-Identifier: Apache-2.0
"""`ligament deploy` to a computer and a board with another processor, as one run.

The board is a Debian of arm64 with Ligament in it, whose every program runs under user emulation.
Needs what `make arm64` makes; `make test` has none of it, and skips.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from ssh_hosts import ENGINE, SshHosts, no_ssh_hosts

from ligament.bench.fleet.hosts import CABLE
from ligament.report.options import ReportOptions
from ligament.report.stage import make_report

HERE = Path(__file__).parent
REPOSITORY = HERE.parents[2]
ARM64 = REPOSITORY / "build" / "arm64"
MISSING = no_ssh_hosts() or (
    ""
    if (ARM64 / "board" / "opt" / "ligament" / "bin" / "ligament").is_file()
    else "this machine has no such thing: what `make arm64` makes"
)
pytestmark = [
    pytest.mark.skipif(bool(MISSING), reason=MISSING),
    pytest.mark.timeout(900),
]
GRAPH = f"""
schema: ligament/graph/1
name: deploy_arm64
packages: [{HERE / "nodes"}]
hosts: {{board: {{}}, pc: {{}}}}
nodes:
  talker: {{type: run_test/talker, parameters: {{period_ms: 20}}, remap: {{chatter: /said}}, host: board}}
  echo: {{type: run_test/echo, remap: {{in: /said, out: /echoed}}, host: pc}}
  listener: {{type: run_test/listener, remap: {{chatter: /echoed}}, parameters: {{messages: 100}}, host: board}}
topics: {{/said: {{qos: {{depth: 1000}}}}, /echoed: {{qos: {{depth: 1000}}}}}}
"""  # noqa: E501
KEPT = "var/tmp/deploy_arm64"
MACHINES = {b"\x3e\x00": "x86_64", b"\xb7\x00": "aarch64"}  # e_machine of an ELF header


@pytest.fixture(scope="module")
def hosts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SshHosts]:
    """A board and a computer, on which nothing of the builds here is there."""
    hidden = tmp_path_factory.mktemp("built")
    shells = {"board": f"{REPOSITORY}/dev/arm64 --login"}
    folder = tmp_path_factory.mktemp("hosts")
    try:
        with SshHosts(folder, ["board", "pc"], hidden=hidden, shells=shells) as two:
            # As dev/arm64 (make_shim) has it.
            multicast = ["ip", "route", "add", "224.0.0.0/4", "dev", CABLE]
            subprocess.run([*two.inside("board"), *multicast], check=True)
            yield two
    finally:
        shutil.rmtree(ARM64 / "board" / KEPT, ignore_errors=True)


def deployed(hosts: SshHosts, *words: str, **of_board: str) -> subprocess.CompletedProcess[str]:
    """Deploy the graph to its end."""
    graph = hosts.folder / "graph.yaml"
    graph.write_text(GRAPH)
    board = {
        "ligament": "/opt/ligament/bin/ligament",
        "folder": f"/{KEPT}",
        "environment": f'{{LD_PRELOAD: /opt/multicast.so, CYCLONEDDS_URI: "{ENGINE}"}}',
        **of_board,
    }
    entries = [*hosts.host_entry("board", **board), *hosts.host_entry("pc")]
    file = hosts.folder / "hosts.yaml"
    file.write_text("\n".join(["schema: ligament/hosts/1", "lease_s: 60", "hosts:", *entries, ""]))
    return hosts.run(
        "deploy", graph, "--hosts", file, "-o", hosts._hidden, "--start-timeout", "120", *words,
        timeout=600,
    )  # fmt: skip


def test_part_for_another_processor_is_refused(hosts: SshHosts) -> None:
    """Before anything is copied; the hint says how it gets a part of its own."""
    result = deployed(hosts)
    assert result.returncode == 1
    said = "board: its processor is aarch64, and the libraries were built for x86_64"
    assert said in result.stderr
    assert "`target` in hosts.yaml" in result.stderr
    assert not list((ARM64 / "board" / KEPT).glob("blobs/*"))


def machines(folder: Path) -> set[str]:
    """For which processors a host's libraries are."""
    return {MACHINES[path.read_bytes()[18:20]] for path in folder.glob("trees/*/lib/*/*.so")}


def test_a_board_and_a_computer_are_one_run(hosts: SshHosts) -> None:
    target = str(ARM64 / "install")
    result = deployed(hosts, "--trace", "--json", target=target)
    assert result.returncode == 0, result.stderr
    data: dict[str, Any] = json.loads(result.stdout)
    assert (data["state"], data["reason"]) == ("finished", "the work is done")
    assert {n: node["host"] for n, node in data["nodes"].items()} == {
        "/talker": "board", "/echo": "pc", "/listener": "board",
    }  # fmt: skip
    assert machines(ARM64 / "board" / KEPT) == {"aarch64"}
    assert machines(hosts.folder / "on pc") == {"x86_64"}

    # The computer's build is first, so the run lies there; the other is beside, as of `build`.
    folder = hosts._hidden / "deploy_arm64" / "default" / "runs" / data["run_id"]
    assert (hosts._hidden / "aarch64" / "deploy_arm64" / "default" / "build.json").is_file()
    (variant,) = make_report([folder], ReportOptions())["variants"]
    assert variant["chain"]["nodes"] == ["/talker", "/echo", "/listener"]
    assert variant["frames"] > 50
    assert [clock["host"] for clock in variant["host_clocks"]] == ["board", "pc"]
    # Both have one kernel here, so one clock: the stated bound can be checked.
    table = pq.read_table(folder / "events.parquet")
    wrong = abs(table["time_ns"].to_numpy() - table["ticks"].to_numpy().astype("int64"))
    assert (wrong <= table["bound_ns"].to_numpy()).all()
    assert set(table["host"].to_pylist()) == {"board", "pc"}

    again = deployed(hosts, "--duration", "1", target=target)
    assert again.returncode == 0, again.stderr
    assert [again.stderr.count(f"{name}: nothing to copy") for name in ("board", "pc")] == [1, 1]
