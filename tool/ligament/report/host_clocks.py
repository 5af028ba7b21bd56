# SPDX-License-Identifier: Apache-2.0
"""Times between hosts: how wrong they may be, and where that is more than what was measured."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # what is printed of a report that is kept needs none of it
    import duckdb

    from ligament.report.chains import Hop, Instances


def host_clocks(
    database: duckdb.DuckDBPyConnection,
    metadata: Mapping[str, Any],
    main: Instances | None,
    hops: list[dict[str, Any]],
) -> dict[str, Any]:
    """How each host's clock was put on the first one's; and each hop between hosts is told its
    bound. Nothing for a table of one host.
    """
    for hop, told in zip(main.chain.hops if main else (), hops, strict=False):
        told.update(_clock_bound(database, metadata, hop))
    clocks = metadata.get("host_clocks", [])
    return {"host_clocks": clocks} if clocks else {}


def _clock_bound(
    database: duckdb.DuckDBPyConnection, metadata: Mapping[str, Any], hop: Hop
) -> dict[str, Any]:
    """How wrong the hop's times may be; nothing where both ends are on one host, or by one clock.

    Null: nobody knows.
    """
    if not metadata.get("host_clocks"):
        return {}
    row = database.execute(
        "SELECT count(*), max(a.bound_ns + b.bound_ns), count(a.bound_ns + b.bound_ns) "
        "FROM takes t JOIN publications p ON p.publisher = t.publisher AND p.seq = t.seq "
        "JOIN events a ON a.row = t.row JOIN events b ON b.row = p.row "
        "WHERE t.subscription = ? AND t.publisher = ? AND t.host <> p.host",
        [hop.subscription, hop.publisher],
    ).fetchone()
    count, bound, known = row or (0, None, 0)
    if count == 0:
        return {}
    return {"clock_bound_ns": int(bound) if known == count else None}


def clock_remarks(variant: Mapping[str, Any], duration: Any) -> list[str]:
    """Whose clock was put on whose, and which hops are shorter than the error of that."""
    clocks = variant.get("host_clocks", [])
    said = [_clock(clock, clocks[0]["host"], duration) for clock in clocks[1:]]
    for hop in variant["hops"]:
        if "clock_bound_ns" not in hop:
            continue
        name = f"{hop['from']} -> {hop['to']} ({hop['topic']})"
        bound, took = hop["clock_bound_ns"], sum(hop["between_ns"].values())
        if bound is None:
            said.append(f"{name} is between hosts, and how their clocks lie is not known")
        elif bound >= took:
            said.append(
                f"{name} is between hosts: its {duration(took)} of handing over may be wrong by "
                f"{duration(bound)}, which is more: the hosts' clocks cannot tell it"
            )
        else:
            said.append(f"{name} is between hosts: its times are right to within {duration(bound)}")
    return said


def _clock(clock: Mapping[str, Any], reference: str, duration: Any) -> str:
    messages = clock["messages_in"] + clock["messages_out"]
    basis = f"{clock['questions']} questions and {messages} messages"
    if clock["model"] == "none":
        return (
            f"the clock of {clock['host']} could not be put on {reference}'s: what {basis} tell "
            "contradicts itself, or is not there; its times are its own"
        )
    drift = clock["drift_ppm"]
    told = "it was slewed meanwhile" if drift is None else f"drift {drift:.3g} ppm"
    return (
        f"the clock of {clock['host']} was put on {reference}'s by {basis}: "
        f"{clock['offset_ns'] / 1e9:+.6f} s, {told}, right to within {duration(clock['bound_ns'])}"
    )
