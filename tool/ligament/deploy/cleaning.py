# SPDX-License-Identifier: Apache-2.0
"""`ligament deploy --clean`: what earlier deploys of a graph left on its hosts goes."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from ligament import __version__
from ligament.deploy.clean import Cleaned
from ligament.deploy.connection import Connection
from ligament.deploy.hosts import Host
from ligament.deploy.stage import hosts_of
from ligament.deploy.wire import WireError, size_in
from ligament.errors import FailureError, counted
from ligament.mapping import GraphMapping


def clean_hosts(mapping: GraphMapping, hosts_file: Path) -> dict[str, Cleaned | FailureError]:
    """Clean all hosts at once; return what was done on each, or why it could not be."""
    hosts = hosts_of(mapping, hosts_file)
    name = f"{mapping.graph}/{mapping.variant}"

    async def all_of_them() -> list[Cleaned | BaseException]:
        tasks = [
            _clean(host, hosts.lease_s, f"{name}/{host.name}") for host in hosts.hosts.values()
        ]
        return await asyncio.gather(*tasks, return_exceptions=True)

    found: dict[str, Cleaned | FailureError] = {}
    for host, one in zip(hosts.hosts, asyncio.run(all_of_them()), strict=True):
        if not isinstance(one, Cleaned | FailureError):
            raise one
        found[host] = one
    return found


def as_text(host: str, found: Cleaned) -> str:
    """Say what was done on a host."""
    if not found.stopped and not found.removed:
        return f"{host}: nothing was left"
    stopped, removed = counted(found.stopped, "part"), counted(found.removed, "run")
    return f"{host}: {stopped} stopped, the files of {removed} removed"


def as_json(mapping: GraphMapping, found: dict[str, Cleaned | FailureError]) -> dict[str, Any]:
    """Return the form that `--json` prints (spec/run/deploy.md)."""
    wrong = [one for one in found.values() if isinstance(one, FailureError)]
    hosts = {
        host: {"error": str(one)}
        if isinstance(one, FailureError)
        else {"stopped": one.stopped, "removed": one.removed}
        for host, one in found.items()
    }
    failed = {"error": "\n".join(map(str, wrong)), "exit_code": 1} if wrong else {}
    return {"graph": mapping.graph, "variant": mapping.variant, "hosts": hosts, **failed}


async def _clean(host: Host, lease_s: float, name: str) -> Cleaned:
    connection = Connection(host, lease_s, lambda _: None)
    try:
        version = (await connection.open()).get("version")
        if version != __version__:
            raise FailureError(
                f"{host.name}: Ligament is {version} there and {__version__} here",
                hint="use the version there, or install this one",
            )
        answer = await connection.ask({"do": "clean", "name": name})
        return Cleaned(size_in(answer, "stopped"), size_in(answer, "removed"))
    except WireError as error:
        raise FailureError(f"{host.name}: what it says makes no sense ({error})") from error
    finally:
        await connection.close()
