# SPDX-License-Identifier: Apache-2.0
"""Which ROS processes share a pool, and why others do not: told from what the kernel tells."""

from __future__ import annotations

import os
from pathlib import Path

from ligament.doctor.ros_processes import (
    RosProcess,
    find_ros_processes,
    told_of,
    with_nodes,
)
from ligament.live.seen import End

HEADER = "Num       RefCount Protocol Flags    Type St Inode Path\n"


class Proc:
    """A folder like /proc, with these processes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.slots: dict[str, list[str]] = {}

    def add(
        self, pid: int, *, slot: str = "", maps: str = "", domain: str = "",
        pids: str = "1", net: str = "1", connected: bool = False,
    ) -> None:  # fmt: skip
        folder = self.folder / str(pid)
        for name in ("ns", "fd", "net"):
            (folder / name).mkdir(parents=True)
        os.symlink(f"pid:[{pids}]", folder / "ns" / "pid")
        os.symlink(f"net:[{net}]", folder / "ns" / "net")
        os.symlink(f"socket:[{pid}77]", folder / "fd" / "3")
        os.symlink("/dev/null", folder / "fd" / "0")
        (folder / "comm").write_text(f"node{pid}\n")
        (folder / "maps").write_text(maps)
        (folder / "environ").write_text(f"HOME=/\0ROS_DOMAIN_ID={domain}\0" if domain else "")
        if slot:
            line = f"0000: 00000002 0 00010000 0001 01 {pid}77 @ligament/{slot}\n"
            self.slots.setdefault(net, []).append(line)
        if connected:
            os.symlink(f"socket:[{pid}78]", folder / "fd" / "4")
            line = f"0000: 00000003 0 00000000 0001 03 {pid}78 @ligament/{slot}\n"
            self.slots.setdefault(net, []).append(line)

    def told(self, kernel: str = "6.18.2-generic") -> list[str]:
        for folder in self.folder.iterdir():
            lines = self.slots.get(os.readlink(folder / "ns" / "net")[5:-1], [])
            if (folder / "net").is_dir():
                (folder / "net" / "unix").write_text(HEADER + "".join(lines))
        return told_of(find_ros_processes(self.folder), kernel)


def test_those_in_one_pool_share_it_and_others_say_why_not(tmp_path: Path) -> None:
    proc = Proc(tmp_path)
    proc.add(1)  # no ROS at all
    proc.add(2, slot="1000/ros.7/v9/0")
    proc.add(3, slot="1000/ros.7/v9/1")
    proc.add(4, slot="1000/ros.7/v9/2", pids="2")
    proc.add(5, slot="1001/ros.7/v9/0", net="3")
    proc.add(6, slot="1000/ros.7/v8/0")
    proc.add(7, slot="1000/ros.7.alone.7/v9/0")
    proc.add(8, maps="7f /opt/lib/librmw_fastrtps_cpp.so\n", domain="7")
    proc.add(9, slot="1000/some_graph/v9/0")  # a graph that is in no ROS domain
    by_dds = "domain 7: by DDS, through the edges, because of another"
    assert proc.told() == [
        "domain 7: share the pool: node2 (2), node3 (3)",
        f"{by_dds} pid namespace (a container) and no memory gets through to it (its security "
        "module, or another version of Ligament): node4 (4)",
        f"{by_dds} user and another network namespace: node5 (5)",
        f"{by_dds} version of Ligament's pool: node6 (6)",
        "domain 7: alone (ROS_AUTOMATIC_DISCOVERY_RANGE=OFF): node7 (7)",
        "domain 7: by DDS, on rmw_fastrtps_cpp: node8 (8)",
    ]


def test_domains_are_told_apart_and_the_default_is_zero(tmp_path: Path) -> None:
    proc = Proc(tmp_path)
    names = (
        "dds_common",
        "dds_common__rosidl_generator_c",
        "fastrtps_shared_cpp",
        "implementation",
    )
    shared = "".join(f"/librmw_{name}.so\n" for name in names)
    proc.add(5, maps=f"/librmw_cyclonedds_cpp.so\n{shared}")
    proc.add(6, slot="0/ros.42/v9/0")
    proc.add(7, maps=shared)
    proc.add(8, maps="/librmw_zenoh_cpp.so\n", domain="not a number")
    assert proc.told() == [
        "domain 0: by DDS, on rmw_cyclonedds_cpp: node5 (5)",
        "domain 0: by DDS, on rmw_zenoh_cpp: node8 (8)",
        "domain 42: share the pool: node6 (6)",
    ]


def test_nodes_are_named_where_the_domain_tells_them() -> None:
    processes = [RosProcess(pid, "python", 7, None, "rmw_x_cpp") for pid in (1, 2, 3)]
    nodes = {1: ["/b", "/a"], 2: ["/a", "/b", "/c", "/d", "/e"]}
    ends = [
        End(node, "/t", "", "publisher", pid, "", in_pool=True)
        for pid, names in nodes.items()
        for node in names
    ]
    nobody = [End("", "/t", "", "publisher", 3, "", True), End("/x", "/t", "", "p", None, "", True)]
    processes.append(RosProcess(4, "ligament-edge", 7, None))
    ends.append(End("/a", "/t", "", "publisher", 4, "", in_pool=True))
    found = with_nodes(processes, lambda domain_id: [*ends, *nobody] if domain_id == 7 else [])
    assert [process.shown for process in found] == [
        "/a, /b (python 1)",
        "/a, /b, /c and 2 more (python 2)",
        "python (3)",
        "ligament-edge (4)",
    ]


def test_a_container_that_is_connected_shares_the_pool(tmp_path: Path) -> None:
    proc = Proc(tmp_path)
    proc.add(2, slot="1000/ros.7/v9/0")
    proc.add(3, slot="1000/ros.7/v9/1")
    proc.add(4, slot="1000/ros.7/v9/2", pids="2", connected=True)
    proc.add(5, slot="1000/ros.7/v9/3", pids="2", net="2")
    assert proc.told() == [
        "domain 7: share the pool: node2 (2), node3 (3)",
        "domain 7: share the pool, from another pid namespace (a container): node4 (4)",
        "domain 7: by DDS, through the edges, because of another pid namespace (a container) and "
        "another network namespace: node5 (5)",
    ]


def test_an_old_kernel_is_why_a_container_does_not(tmp_path: Path) -> None:
    proc = Proc(tmp_path)
    proc.add(2, slot="1000/ros.7/v9/0")
    proc.add(3, slot="1000/ros.7/v9/1")
    proc.add(4, slot="1000/ros.7/v9/2", pids="2")
    assert proc.told("6.8.0-45-generic")[1] == (
        "domain 7: by DDS, through the edges, because of another pid namespace (a container) and "
        "Linux 6.8.0-45-generic, which cannot share memory with one (6.9 can): node4 (4)"
    )


def test_one_that_ends_meanwhile_is_passed_over(tmp_path: Path) -> None:
    proc = Proc(tmp_path)
    proc.add(2, slot="1000/ros.7/v9/0")
    (tmp_path / "3" / "ns").mkdir(parents=True)
    os.symlink("net:[1]", tmp_path / "3" / "ns" / "net")
    assert proc.told() == ["domain 7: share the pool: node2 (2)"]
