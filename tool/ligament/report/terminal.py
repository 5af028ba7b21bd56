# SPDX-License-Identifier: Apache-2.0
"""The terminal table, made from report.json and from nothing else."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table

from ligament.report.differences import NO_DIFFERENCE
from ligament.report.executables import executable_remarks
from ligament.report.hardware import clock_of
from ligament.report.host_clocks import clock_remarks
from ligament.report.names import HOUSEKEEPING, LAYERS, SHARES
from ligament.report.titles import told_apart

#: Headings of counts whose names in the report are others.
_COUNTS = {"stalls": "stalled", "gaps": "starved"}


def report_console() -> Console:
    """Stdout; where it is no terminal, wide enough that no column is cut."""
    console = Console()
    return console if console.is_terminal else Console(width=140)


def print_report(report: dict[str, Any], console: Console) -> None:
    """Variants side by side, then each one's hops, then what has to be said about them."""
    report = told_apart(report)
    console.print(_variants(report))
    for variant in report["variants"]:
        if variant["hops"]:
            console.print(_hops(variant))
        if variant["layers_ns"]:
            console.print(_layers(variant))
        if variant["provider"] != "ligament":
            console.print(_callbacks(variant))
        print_hardware(variant, console)
        print_cores(variant, console)
    for line in remarks(report):
        console.print(line, soft_wrap=True)


def print_hardware(variant: dict[str, Any], console: Console) -> None:
    """What the designs of a variant counted, and their cells; nothing of one without any."""
    hardware = variant.get("hardware", {"topics": []})
    if hardware.get("streams"):
        console.print(_streams(variant["name"], hardware["streams"]))
    for design in hardware.get("designs", []):
        console.print(f"{variant['name']}: {design['text']}", soft_wrap=True)
    if hardware["topics"]:
        clock = variant["clock_hz"] if "clock_hz" in variant else clock_of(variant)
        at = f" at {clock / 1e6:g} MHz" if clock else ""
        console.print(_counted(f"{variant['name']}{at}: topics in hardware", hardware["topics"]))
    if "area" in hardware:
        title = f"{variant['name']}: cells of the designs, family {hardware['area']['family']}"
        console.print(_counted(title, hardware["area"]["rows"]))


def _streams(variant: str, rows: list[dict[str, Any]]) -> Table:
    """The streams of cores: how long a beat passed, waited, and did not come within a message."""
    table = Table(title=f"{variant}: streams of the cores", title_justify="left")
    for name in ("node", "stream", "other end"):
        table.add_column(name)
    for name in ("beats", "busy", "stalled", "starved"):
        table.add_column(name, justify="right")
    for row in rows:
        shares = (percent(row[what]) for what in ("busy", "stalled", "missing"))
        end = "memory" if row["memory"] else "topic"
        table.add_row(
            row["node"], f"{row['direction']} {row['port']}", end, str(row["beats"]), *shares
        )
    return table


def print_cores(variant: dict[str, Any], console: Console) -> None:
    """How even the timers of cores are, and who had the core; nothing of a variant without any."""
    if timers := variant.get("device_timers"):
        title = f"{variant['name']}: timers on cores, period by the core's own clock"
        console.print(_spreads(title, ("node", "timer", "device"), timers, "period_ns"))
    if tracks := variant.get("device_tracks"):
        rows = [{**track, "share": percent(track["share"])} for track in tracks]
        title = f"{variant['name']}: tasks and interrupts of cores"
        console.print(_spreads(title, ("device", "kind", "name", "share"), rows, "time_ns"))


def _spreads(title: str, names: tuple[str, ...], rows: list[dict[str, Any]], key: str) -> Table:
    """Rows of names, each with how its times spread."""
    table = Table(title=title, title_justify="left")
    for name in names:
        table.add_column(name)
    for name in ("count", "mean", "sd", "p50", "p99", "max"):
        table.add_column(name, justify="right")
    for row in rows:
        times = row[key]
        spread = (duration(times[name]) for name in ("mean", "sd", "p50", "p99", "max"))
        table.add_row(*(str(row[name]) for name in names), str(times["n"]), *spread)
    return table


def duration(value_ns: float | None) -> str:
    """A time with three significant digits in the unit that suits it."""
    if value_ns is None:
        return "-"
    for factor, unit in ((1e9, "s"), (1e6, "ms"), (1e3, "us")):
        if abs(value_ns) >= factor:
            return f"{value_ns / factor:.3g} {unit}"
    return f"{value_ns:.3g} ns"


def percent(share: float | None) -> str:
    """A share in percent."""
    return "-" if share is None else f"{share * 100:.2f} %"


def _variants(report: dict[str, Any]) -> Table:
    table = Table(title=f"{report['graph']}: where the time went", title_justify="left")
    table.add_column("")
    for variant in report["variants"]:
        table.add_column(variant["name"], justify="right")
    for label, cells in _rows(report["variants"]):
        table.add_row(label, *cells)
    return table


def _rows(variants: list[dict[str, Any]]) -> list[tuple[str, list[str]]]:
    def latency(key: str) -> list[str]:
        return [duration((v["latency_ns"] or {}).get(key)) for v in variants]

    def share(name: str) -> list[str]:
        return [percent((v["shares"] or {}).get(name)) for v in variants]

    rows = [
        ("frames", [str(v["frames"]) for v in variants]),
        ("outputs equal", [equal_text(v["equal"]) for v in variants]),
        *_clocks(variants),
        ("latency p50", latency("p50")),
        ("  95 % interval", [_interval(v["latency_ns"]) for v in variants]),
        ("  against reference", [_against(v["against_reference"]) for v in variants]),
        ("latency p99", latency("p99")),
        ("latency mean", latency("mean")),
        ("latency sd", latency("sd")),
        ("jitter", latency("jitter")),
    ]
    rows += [(f"share {name.replace('_', ' ')}", share(name)) for name in SHARES]
    rows += [
        ("[bold]message passing[/]", [percent(v["message_passing"]) for v in variants]),
        ("  median of frames", [percent(v["message_passing_p50"]) for v in variants]),
        ("throughput", [_rate(v["throughput_hz"]) for v in variants]),
        ("drops", [str(v["drops"]) for v in variants]),
        *_seldom(variants),
        ("incomplete chains", [_incomplete(v["incomplete"]) for v in variants]),
        ("copies", [_count(v["copies"]) for v in variants]),
        ("CPU time", [duration(v["cpu_ns"]) for v in variants]),
        ("peak memory", [_bytes(v["peak_memory_bytes"]) for v in variants]),
        ("energy per message", [_energy(v.get("energy")) for v in variants]),
        ("lost events", [str(v["lost_events"]) for v in variants]),
        ("probe overhead", [duration(v["probe_overhead_ns"]) for v in variants]),
    ]
    return rows


def _clocks(variants: list[dict[str, Any]]) -> list[tuple[str, list[str]]]:
    """Whose clocks the times are by, where they are not all the host's."""
    bases = [v.get("time_base") or "host" for v in variants]
    return [("time base", bases)] if set(bases) != {"host"} else []


def _seldom(variants: list[dict[str, Any]]) -> list[tuple[str, list[str]]]:
    """Rows of what most graphs never have."""
    rows = [
        ("expired", "expired"),
        ("publisher waits", "publisher_waits"),
        ("overrun", "overrun"),
        ("deadlines missed", "deadlines_missed"),
    ]
    return [
        (title, [_count(v.get(name)) for v in variants])
        for title, name in rows
        if any(v.get(name) for v in variants)
    ]


def equal_text(equal: bool | None) -> str:
    """The verdict of the comparison; without anything to compare with there is none."""
    if equal is None:
        return "not compared"
    return "[green]yes[/]" if equal else "[red]NO[/]"


def _interval(latency: dict[str, Any] | None) -> str:
    if not latency:
        return "-"
    return f"{duration(latency['p50_low'])} .. {duration(latency['p50_high'])}"


def _against(against: dict[str, Any] | None) -> str:
    if not against or against["p50_ratio"] is None:
        return "-"
    ratio = f"x {against['p50_ratio']:.3f}"
    if against["difference_low_ns"] is not None:
        low, high = against["difference_low_ns"], against["difference_high_ns"]
        ratio += f"; difference {duration(low)} .. {duration(high)}, 95 %"
    return f"{NO_DIFFERENCE}, {ratio}" if against["within_noise"] else ratio


def _rate(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f} Hz"


def _count(value: int | None) -> str:
    return "-" if value is None else str(value)


def _bytes(value: int | None) -> str:
    return "-" if value is None else f"{value / 1e6:.0f} MB"


def _energy(value: dict[str, Any] | None) -> str:
    if not value or value["joules"] is None:
        return "no meter"
    joules = value["per_message_j"]
    return "-" if joules is None else f"{joules * 1e3:.3g} mJ"


def _incomplete(value: dict[str, Any] | None) -> str:
    return "-" if value is None else f"{value['count']} of {value['of']}"


def _hops(variant: dict[str, Any]) -> Table:
    table = Table(title=f"{variant['name']}: means per hop", title_justify="left")
    for name in (
        "hop", "transport", "queue wait", "executor wait", "compute", "copy", "serialise",
        "transport in node", "p50", "p99", "rate", "drops",
    ):  # fmt: skip
        table.add_column(name, justify="left" if name == "hop" else "right")
    for hop in variant["hops"]:
        between, node = hop["between_ns"], hop["node_ns"] or dict.fromkeys(SHARES, 0.0)
        table.add_row(
            f"{hop['from']} -> {hop['to']} ({hop['topic']})",
            duration(between["transport"]),
            duration(between["queue_wait"]),
            duration(between["executor_wait"]),
            *(duration(between[name] + node[name]) for name in ("compute", "copy", "serialise")),
            duration(node["transport"]),
            duration(hop["total_ns"].get("p50")),
            duration(hop["total_ns"].get("p99")),
            _rate(hop["throughput_hz"]),
            str(hop["drops"]),
        )
    return table


def _counted(title: str, rows: list[dict[str, Any]]) -> Table:
    """Rows of names and counts, as they are."""
    table = Table(title=title, title_justify="left")
    for name, value in rows[0].items():
        heading = _COUNTS.get(name, name.replace("_", " "))
        table.add_column(heading, justify="left" if type(value) is str else "right")
    for row in rows:
        table.add_row(*("-" if value is None else str(value) for value in row.values()))
    return table


def _layers(variant: dict[str, Any]) -> Table:
    """Where the transport of a recording of an rclcpp system went, hop by hop."""
    table = Table(title=f"{variant['name']}: transport by layer, means", title_justify="left")
    for name in ("hop", *LAYERS):
        table.add_column(name, justify="left" if name == "hop" else "right")
    for hop in variant["hops"]:
        title = f"{hop['from']} -> {hop['to']} ({hop['topic']})"
        table.add_row(title, *(duration(hop["layers_ns"][name]) for name in LAYERS))
    table.add_row("all", *(duration(variant["layers_ns"][name]) for name in LAYERS))
    return table


def _callbacks(variant: dict[str, Any]) -> Table:
    """How long each callback of the chain's nodes ran."""
    table = Table(title=f"{variant['name']}: callbacks", title_justify="left")
    for name in ("node", "called by", "count", "p50", "p99", "rate", "interval jitter"):
        table.add_column(name, justify="left" if name in ("node", "called by") else "right")
    for one in variant["callbacks"]:
        if one["name"] not in HOUSEKEEPING:
            times, interval = one["time_ns"], one["interval_ns"] or {}
            table.add_row(
                one["node"] or "?", f"{one['kind']} {one['name']}", str(times["n"]),
                duration(times["p50"]), duration(times["p99"]), _rate(one["rate_hz"]),
                duration(interval.get("jitter")),
            )  # fmt: skip
    return table


def time_base_remarks(variant: dict[str, Any]) -> list[str]:
    """What has to be known of times that are not all by the host's clock."""
    spans = [s for s in variant.get("spans", []) if s.get("time_base", "host") != "host"]
    if variant.get("time_base") == "modelled":  # others are by clocks of their own
        spans = [s for s in spans if s["time_base"] == "modelled"]
    told = ", ".join(sorted({f"{span['node']} on {span['device'] or '?'}" for span in spans}))
    if variant.get("time_base") == "emulated":
        return [
            f"no time here is any hardware's: {told} ran without cycles (sw_emu, or a "
            "stand-in of a board), which yields results; the times are those of this computer"
        ]
    if variant.get("time_base") == "device":
        if not variant["device_bound_ns"]:  # a board, which has no clock that is read
            return [
                f"times of {told} are by this computer's clock, from the doorbell to the moment in "
                "which software learnt of the answer",
                *_queue_remarks(variant),
            ]
        return [
            f"times of {told} are by the device's own clock, {_right(variant)}; launching, "
            "waking the thread that waits, and copies to and from the device are message passing",
            *_core_remarks(variant),
            *_queue_remarks(variant),
        ]
    if variant.get("time_base") == "modelled":
        wall = duration((variant["wall_latency_ns"] or {}).get("p50"))
        return [
            f"its latency is modelled: {told} counts as its cycles at the stated clock, in place "
            f"of the time that the simulator took (latency as it passed: median {wall}); "
            "throughput, drops, CPU time and memory are those of the run with its simulator"
        ]
    return []


def _right(variant: dict[str, Any]) -> str:
    """How right a device's clock is known, and what that means for short hops."""
    worst = variant["device_bound_ns"]
    bound = variant.get("device_bound_p50_ns") or worst
    text = f"right to within {duration(bound)}"
    text += f" (median; at worst {duration(worst)})" if worst > bound else ""
    if bound > (variant["latency_ns"].get("p50") or 0) / 2:
        text += (
            ", which is much beside the latency: how a hop is split between the device and the "
            "way to it is not known, the latency is"
        )
    return text


def _core_remarks(variant: dict[str, Any]) -> list[str]:
    """Cores are emulated wherever a graph's firmware runs today (mapping/backends.py)."""
    cores = sorted({track["device"] for track in variant.get("device_tracks", [])})
    if not cores:
        return []
    return [
        f"{', '.join(cores)} is emulated: its instructions, messages and order are real, its times "
        "are this computer's and no chip's"
    ]


def ros_time_remarks(variant: dict[str, Any]) -> list[str]:
    """How long the chain takes by the ROS clock, and how old its answers are."""
    found = variant.get("ros_time")
    if not found:
        return []
    step = f", in steps of {duration(found['step_ns'])}" if found["step_ns"] else ""
    nodes = variant["chain"]["nodes"]
    parts = [f"{nodes[0]} -> {nodes[-1]} takes {_passed(found)}"]
    parts += [
        f"its {answer['topic']} is {_passed(answer)} old (by the host's clock "
        f"{duration(answer['host_ns']['p50'])}, median)"
        for answer in found["answers"]
    ]
    return [f"by the ROS clock (/clock{step}): {'; '.join(parts)}"]


def _passed(found: dict[str, Any]) -> str:
    """The times themselves where they are few."""
    if found["values"]:
        return " or ".join(duration(value["ns"]) for value in found["values"])
    times = found["latency_ns"]
    return f"{duration(times.get('p50'))} (median; at most {duration(times.get('max'))})"


def _queue_remarks(variant: dict[str, Any]) -> list[str]:
    """When a message leaves a node that sends it before its device has written it."""
    queues = [hop["topic"] for hop in variant["hops"] if hop.get("queue")]
    if not queues:
        return []
    return [
        f"payloads of {', '.join(queues)} stay on the device (queue): a message there is handed "
        "over when the device is done with it; what the host does meanwhile is in no figure"
    ]


def remarks(report: dict[str, Any]) -> list[str]:
    """Sentences that a figure alone would not tell."""
    lines = []
    for variant in report["variants"]:
        name = variant["name"]
        lines.append(f"{name}: {variant['equality']['text']}")
        lines += [f"{name}: {sentence}" for sentence in time_base_remarks(variant)]
        lines += [f"{name}: {sentence}" for sentence in ros_time_remarks(variant)]
        lines += [f"{name}: {sentence}" for sentence in executable_remarks(variant)]
        lines += [f"{name}: {sentence}" for sentence in clock_remarks(variant, duration)]
        for error in variant.get("errors", []):
            times = f" ({error['count']} times)" if error.get("count", 1) > 1 else ""
            lines.append(f"{name}: {error['node'] or error['container']}: {error['text']}{times}")
        lines += [f"{name}: {loss['text']}" for loss in variant.get("losses", [])]
        for move in variant.get("moves", []):
            lines.append(
                f"{name}: {move['node']} moved from {move['source']} to {move['container']} on "
                f"{move['device']} and ran nowhere for {move['gap_ns'] / 1e6:.2f} ms"
            )
        if not variant["hops"]:
            lines.append(f"{name}: no chain from a source to the sink was found in its trace")
        lines += [f"{name}: {sentence}" for sentence in variant["missing"]]
        if lost := variant["lost_events"]:
            lines.append(f"{name}: {lost} events were lost; its figures are of whole chains only")
        if variant["incomplete"] and variant["incomplete"]["count"]:
            stops = [stop for stop in variant["incomplete"]["lost_after"] if stop["count"]]
            ends = ", ".join(f"{stop['count']} after {stop['topic']}" for stop in stops)
            lines.append(f"{name}: chains that did not reach the sink: {ends}")
    skipped = sorted({str(v["warm_up_frames"]) for v in report["variants"]})
    lines.append(f"The first {' or '.join(skipped)} frames of each run are left out (warm-up).")
    return lines
