# SPDX-License-Identifier: Apache-2.0
"""What all tests share."""

from __future__ import annotations

import os
import zlib
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from ligament import cache

# Hypothesis fails an example that takes over 200 ms, or is slow to make, and that depends on the
# machine's load; no test here may depend on time.
settings.register_profile("ligament", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("ligament")

MACHINE_LACKS = "this machine has no such thing"


#: The files that take longest, by the sums of build/log/pytest.xml: they come first, so that no
#: processor waits for one of them at the end.
LONGEST = """
run/test_move_slots cores/test_services cores/test_clocks_run new/test_new cores/test_control_cores
cores/test_lane_cores cores/test_clients export/test_fpga_uio cores/test_synthesised_design
run/test_ros2 docs/test_how_to
cores/test_drive_cores run/test_python_nodes run/test_rmw cores/test_image_cores export/test_export
export/test_fusesoc run/test_move run/test_run_graph cores/test_gateway_run cores/test_device_run
cores/test_fpga_perception cores/test_core_rebuild cores/test_design_run mcu/test_mcu_run
mcu/test_mcu_drops cores/test_memory_run cores/test_hls_run driving/test_driving_slam
package/test_package_cmake cores/test_vhdl cores/test_core_run bench/test_transport_runs
agent/test_agent_example package/test_package_colcon run/test_rmw_services run/test_deploy_left
run/test_deploy_kinds run/test_ros2_core_client
""".split()  # noqa: SIM905

#: What a parameter is called that says in which ROS 2 a test runs.
DISTROS = ("jazzy", "kilted")


def in_distro(nodeid: str, distro: str, other: str) -> str:
    """A test's id with another distribution among its parameters."""
    test, bracket, parameters = nodeid.partition("[")
    return test + bracket + parameters.replace(distro, other)


def is_turn(nodeid: str, distro: str) -> bool:
    """Whether a test that could run in each distribution runs in this one: they take turns."""
    other = zlib.crc32(in_distro(nodeid, distro, "").encode()) % len(DISTROS)
    return DISTROS[other] == distro


def is_left_out(item: pytest.Item, collected: set[str]) -> bool:
    """Whether a test runs with LIGAMENT_TEST_FULL=1 only: it is marked so, or the other's turn.

    No turn is given to a test that is not among the `collected` ids in the other distribution.
    """
    if item.get_closest_marker("full"):
        return True
    callspec = getattr(item, "callspec", None)
    given = [value for value in callspec.params.values() if value in DISTROS] if callspec else []
    if len(given) != 1 or item.get_closest_marker("each_distro"):
        return False
    twins = {in_distro(item.nodeid, given[0], distro) for distro in DISTROS}
    if len(twins) < len(DISTROS) or not twins <= collected:
        return False
    return not is_turn(item.nodeid, given[0])


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the further points of grids, unless all is wanted or tests are named one by one.

    Files that take long come first.
    """
    items.sort(key=_place)
    named = any("::" in str(word) for word in config.args)
    if named or os.environ.get("LIGAMENT_TEST_FULL") == "1":
        return
    collected = {item.nodeid for item in items}
    out = [item for item in items if is_left_out(item, collected)]
    if out:
        config.hook.pytest_deselected(items=out)
        items[:] = [item for item in items if item not in set(out)]


def _place(item: pytest.Item) -> int:
    """A number that is smaller for a file that takes longer."""
    tests = Path(__file__).parent
    file = item.path.with_suffix("")
    name = file.relative_to(tests).as_posix() if file.is_relative_to(tests) else ""
    return LONGEST.index(name) if name in LONGEST else len(LONGEST)


@pytest.fixture(scope="session", autouse=True)
def short_simulations() -> Generator[None]:
    """Have the designs of tests compiled sooner, but for `make test-full`: as users have them."""
    with pytest.MonkeyPatch.context() as patch:
        if os.environ.get("LIGAMENT_TEST_FULL") != "1":
            patch.setenv("LIGAMENT_MODEL_FLAGS", os.environ.get("LIGAMENT_MODEL_FLAGS", "-O1"))
        yield


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Generator[None]:
    """Keep what the tests work out from what the user's own runs did, and the other way round."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(cache.VARIABLE, str(tmp_path_factory.mktemp("cache")))
        yield


def _cpu_s() -> float:
    """Seconds of the processors so far: of this process, and of the children that it awaited."""
    return sum(os.times()[:4])


#: Where a test has the seconds at its begin.
_BEGIN = pytest.StashKey[float]()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Note the begin of a test's set-up."""
    item.stash[_BEGIN] = _cpu_s()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Tell what a test took of the processors; what it waited tells more of the machine's load.

    Where everything was installed and built first (`dev/test` says so), a skip is a failure.

    A test that skips itself because its program was not built would otherwise never be missed. What
    no installation can bring (the leave to make network namespaces) says so by its first words.
    """
    if call.when == "teardown" and _BEGIN in item.stash:
        item.user_properties.append(("cpu_s", round(_cpu_s() - item.stash[_BEGIN], 2)))
    report = yield
    if report.skipped and not hasattr(report, "wasxfail") and _requires_all():
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        if MACHINE_LACKS not in str(reason):
            report.outcome = "failed"
            report.longrepr = f"skipped, though LIGAMENT_TEST_REQUIRE_ALL is set: {reason}"
    return report


def _requires_all() -> bool:
    return os.environ.get("LIGAMENT_TEST_REQUIRE_ALL") == "1"
