# SPDX-License-Identifier: Apache-2.0
"""rclpy loads nodes into a container of ours by ROS 2's services, over DDS and over the pool."""

from __future__ import annotations

import json
import os
import subprocess
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from dds_domain import dds_domain
from ros2_interfaces import Package
from ros2_wheels import DISTROS, our_middleware, wheels_python
from runtime_programs import find_helper, find_program

from ligament.run.discovery import Network

PEER = Path(__file__).with_name("ros2_component_peer.py")
#: More than anything here needs, so that what hangs ends.
WATCHDOG_S = 300.0
#: Which middleware rclpy is on; on ours it joins the container's pool.
MIDDLEWARES = ("rmw_fastrtps_cpp", "rmw_ligament_cpp")


@pytest.fixture(scope="module", params=DISTROS)
def package(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Package:
    """The types of the services, for a distribution; the wheels lack them."""
    wheels_python(request.param)
    found = Package("composition_interfaces", request.param, tmp_path_factory.mktemp("interfaces"))
    found.build()
    return found


@contextmanager
def _running(command: list[str], env: dict[str, str], says: str) -> Iterator[None]:
    """A process, from the line that says so to the end."""
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=env
    ) as process:
        try:
            assert process.stdout is not None
            lines = iter(process.stdout.readline, "")
            assert any(says in line for line in lines), f"{command[0]} ended before {says!r}"
            yield
        finally:
            process.kill()


def _configuration(path: Path, pool: str) -> str:
    node = {
        "id": "/first", "name": "first", "namespace": "/", "type": "test/talker",
        "library": str(find_helper("libtest_container_nodes.so")),
        "class": "test_nodes::Talker", "parameters": {"count": 0},
    }  # fmt: skip
    container = {
        "schema": "ligament/container/1", "graph": pool, "run_id": "test",
        "variant": "default", "container": "main", "domain": pool, "nodes": [node],
    }  # fmt: skip
    path.write_text(json.dumps(container))
    return str(path)


@pytest.mark.parametrize("middleware", MIDDLEWARES)
def test_rclpy_loads_lists_and_unloads(package: Package, tmp_path: Path, middleware: str) -> None:
    pool = f"components_{uuid.uuid4().hex[:12]}"
    path = _configuration(tmp_path / "main.json", pool)
    container = [str(find_program("ligament-container")), "--ros-tools", "--status-fd", "1", path]
    with ExitStack() as stack:
        domain_id = stack.enter_context(dds_domain())
        env = {**package.environment(domain_id)}
        if middleware == "rmw_ligament_cpp":
            env |= {"LD_PRELOAD": str(our_middleware(package.distro)), "LIGAMENT_RMW_EDGE": "off"}
            env |= {"LIGAMENT_POOL": pool, "LIGAMENT_RUN_ID": "test"}
        else:
            network = Network(domain_id, "localhost", ()).environment(pool)
            edge = [str(find_program("ligament-edge")), "--graph", pool, "--run-id", "test"]
            edge += ["--domain-id", str(domain_id)]
            stack.enter_context(_running(edge, {**os.environ, **network}, "is on DDS domain"))
        stack.enter_context(_running(container, dict(os.environ), '"ready"'))
        words = [str(wheels_python(package.distro)), str(PEER), "/main_container"]
        # Not the environment of `env` itself: the middleware is for Python alone.
        settings = [f"{name}={value}" for name, value in env.items()]
        done = subprocess.run(
            ["env", *settings, *words, "test_nodes::Talker"],
            capture_output=True, text=True, timeout=WATCHDOG_S,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "before": ["/first"], "loaded": [True, "/more/extra", ""],
        "after": ["/first", "/more/extra"], "count": [5], "publishes": True,
        "unloaded": True, "left": ["/first"], "again": [False, True], "refused": [False, True],
    }  # fmt: skip
