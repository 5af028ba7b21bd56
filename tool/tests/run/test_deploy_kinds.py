# SPDX-License-Identifier: Apache-2.0
"""Nodes in Python and on emulated microcontrollers, deployed: what they are made of goes along."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ros2_wheels import WHEELS, our_middleware, wheels_python
from run_chat import LIGAMENT
from ssh_hosts import SshHosts, no_ssh_hosts

HERE = Path(__file__).parent
REPOSITORY = HERE.parents[2]
MISSING = no_ssh_hosts()
pytestmark = pytest.mark.skipif(bool(MISSING), reason=MISSING)
GRAPH = f"""
schema: ligament/graph/1
name: kinds_test
packages: [{HERE / "python_graph" / "nodes"}]
distro: jazzy
hosts: {{a: {{}}, b: {{}}}}
nodes:
  source: {{type: python_test/source, parameters: {{count: 20}}, remap: {{numbers: /sent}}, host: a}}
  scale:
    type: python_test/scale
    parameters: {{factor: 2}}
    remap: {{numbers: /sent, scaled: /arrived, ~/again: /again}}
    host: b
  collect: {{type: python_test/collect, parameters: {{count: 20}}, remap: {{numbers: /arrived}}, host: b}}
topics:
  /sent: {{qos: {{durability: transient_local, depth: 30}}}}
  /arrived: {{qos: {{durability: transient_local, depth: 30}}}}
variants: {{separate: {{containers: separate}}}}
"""  # noqa: E501


@pytest.fixture(scope="module")
def hosts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SshHosts]:
    """Two hosts, on which nothing of the builds here is there."""
    hidden = tmp_path_factory.mktemp("built")
    with SshHosts(tmp_path_factory.mktemp("hosts"), ["a", "b"], hidden=hidden) as two:
        yield two


def deployed(
    hosts: SshHosts, graph: Path, variant: str, *words: str, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Build and deploy, with more in the hosts' environment."""
    built = ["--variant", variant, "-o", str(hosts._hidden)]
    subprocess.run([*LIGAMENT, "build", str(graph), *built, *words[:2]], check=True)
    lines = ["schema: ligament/hosts/1", "hosts:"]
    for name in hosts.names:
        entry = hosts.host_entry(name)
        more = "".join(f", {key}: '{value}'" for key, value in environment.items())
        lines += [line.removesuffix("}") + more + "}" if "environment" in line else line
                  for line in entry]  # fmt: skip
    file = hosts.folder / "kinds.yaml"
    file.write_text("\n".join(lines) + "\n")
    return hosts.run("deploy", graph, *built, "--hosts", file, "--json", *words)


def test_nodes_in_python_run_where_ros_is_and_are_refused_elsewhere(
    hosts: SshHosts, tmp_path: Path
) -> None:
    wheels_python("jazzy")
    our_middleware("jazzy")
    graph = tmp_path / "graph.yaml"
    graph.write_text(GRAPH)
    refused = deployed(hosts, graph, "separate", AMENT_PREFIX_PATH=str(tmp_path / "none"))
    assert refused.returncode == 1
    for name in "ab":
        told = f"{name}: what its nodes need is not there: nodes in Python need rclpy"
        assert told in json.loads(refused.stdout)["error"]
    assert not list(hosts.folder.glob("on */trees/*"))

    done = deployed(hosts, graph, "separate", AMENT_PREFIX_PATH=str(WHEELS / "jazzy"))
    assert done.returncode == 0, done.stderr
    data: dict[str, Any] = json.loads(done.stdout)
    run = hosts._hidden / "kinds_test" / "separate" / "runs" / data["run_id"]
    found = json.loads((run / "hosts" / "b" / "outputs" / "collect.json").read_text())
    assert found["numbers"] == [2.0 * number for number in range(20)]
    # A file that the class reads beside itself, and a module beside it, came along.
    assert "hello from beside" in (run / "hosts" / "a" / "log" / "source.log").read_text()
    names = {p.name for p in hosts.folder.glob("on a/trees/*/lib/python/*/**/*") if p.is_file()}
    assert names >= {"source.py", "counting.py", "hello.txt"}
    assert "collect.py" not in names


@pytest.mark.skipif(
    not shutil.which("arm-none-eabi-gcc") or not shutil.which("qemu-system-arm"),
    reason="no arm-none-eabi-gcc or qemu-system-arm (dev/setup --test)",
)
def test_firmware_runs_on_the_host_of_its_node(hosts: SshHosts, tmp_path: Path) -> None:
    source = (REPOSITORY / "examples" / "motor" / "graph.yaml").read_text()
    graph = tmp_path / "graph.yaml"
    spread = "hosts: {a: {}, b: {}}\nvariants:\n"
    graph.write_text(
        source.replace("packages: [nodes]", f"packages: [{REPOSITORY / 'examples/motor/nodes'}]")
        .replace("variants:\n", spread, 1)
        .replace("{motor: mcu0}", "{motor: mcu0}\n    hosts: {planner: a, motor: b}")
    )
    # The planner is done after messages of the motor, which only the firmware publishes.
    words = ["--platform", "mcu_sim", "--set", "planner.messages=20", "--until", "planner"]
    done = deployed(hosts, graph, "mcu", *words)
    assert done.returncode == 0, done.stderr
    data: dict[str, Any] = json.loads(done.stdout)
    assert (data["state"], data["reason"]) == ("finished", "the work is done")
    assert data["nodes"]["/motor"]["host"] == "b"
    assert [p.name for p in hosts.folder.glob("on b/trees/*/lib/*/*.elf")] == ["mcu0.elf"]
    assert not list(hosts.folder.glob("on a/trees/*/lib/*/*.elf"))
