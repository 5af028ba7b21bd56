# SPDX-License-Identifier: Apache-2.0
"""`ligament deploy --clean`: what earlier deploys of a graph left on its hosts goes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from ligament import __version__
from ligament.deploy.connection import Connection
from ligament.deploy.hosts import Host
from ligament.deploy.stage import hosts_of
from ligament.deploy.wire import WireError, size_in
from ligament.errors import FailureError
from ligament.mapping import GraphMapping


def clean_hosts(mapping: GraphMapping, hosts_file: Path, tell: Callable[[str], None]) -> None:
    """Clean all hosts at once, and tell what was done on each.

    Raises FailureError, of all hosts together, after what could be done was done.
    """
    hosts = hosts_of(mapping, hosts_file)
    name = f"{mapping.graph}/{mapping.variant}"

    async def all_of_them() -> list[str | BaseException]:
        tasks = [
            _clean(host, hosts.lease_s, f"{name}/{host.name}") for host in hosts.hosts.values()
        ]
        return await asyncio.gather(*tasks, return_exceptions=True)

    found = asyncio.run(all_of_them())
    for one in found:
        if isinstance(one, str):
            tell(one)
        elif not isinstance(one, FailureError):
            raise one
    if wrong := [str(one) for one in found if isinstance(one, FailureError)]:
        raise FailureError("\n".join(wrong))


async def _clean(host: Host, lease_s: float, name: str) -> str:
    connection = Connection(host, lease_s, lambda _: None)
    try:
        version = (await connection.open()).get("version")
        if version != __version__:
            raise FailureError(
                f"{host.name}: Ligament is {version} there and {__version__} here",
                hint="use the version there, or install this one",
            )
        answer = await connection.ask({"do": "clean", "name": name})
        stopped, removed = size_in(answer, "stopped"), size_in(answer, "removed")
    except WireError as error:
        raise FailureError(f"{host.name}: what it says makes no sense ({error})") from error
    finally:
        await connection.close()
    if not stopped and not removed:
        return f"{host.name}: nothing was left"
    return f"{host.name}: {stopped} parts stopped, the files of {removed} runs removed"
