# SPDX-License-Identifier: Apache-2.0
"""Kernels on the platform's devices: run, compared with software, traced and measured.

The graphs are in `check_graphs`. An FPGA of a board is simulated cycle by cycle here, and a
microcontroller emulated.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ligament.acceleration.capabilities import NO, NOT_HERE, YES, Check, Context, Verdict
from ligament.acceleration.check_graphs import CHAIN, GRAPH, HOPS, NAME, VARIANT, write_graphs
from ligament.artefacts import write_json
from ligament.doctor.checks import CHECKS as PARTS
from ligament.errors import listing

#: What of `ligament doctor` a device of a kind needs on this machine, as it is tested here.
_NEEDS = {
    "fpga": ("Verilator", "make and perl"),
    "gpu": ("OpenCL", "GPU devices"),
    "mcu": ("Arm compiler", "Arm C library", "core's emulator"),
}
_HOW = {"fpga": "its design simulated cycle by cycle", "gpu": "by OpenCL", "mcu": "emulated"}
_CHECKSUM = """schema: ligament/graph/1
name: conformance_checksum
nodes:
  camera:
    type: image/camera
    parameters: {{frames: 6, encoding: mono8, pacing: ack, in_flight: 1}}
    remap: {{image_raw: /image}}
  checksum: {{type: image/checksum, remap: {{image: /image, image_copy: /copy}}}}
  sink: {{type: image/sink, parameters: {{frames: 6}}, remap: {{image: /copy}}}}
topics:
  /image: {{bound_bytes: 1000000}}
  /copy: {{bound_bytes: 1000000}}
  /checksum: {{bound_bytes: 64}}
variants:
  software: {{description: All on processors.}}
  native: {{description: The core's C++., devices: {{checksum: {device}}}}}
default_variant: software
"""


def with_kernel(
    check: Callable[[Context, str], Verdict], kinds: Sequence[str] = ("fpga", "gpu", "mcu")
) -> Check:
    """Ask a check for the first of these kinds of device that platform and machine have."""

    def ask(context: Context) -> Verdict:
        there = [kind for kind in kinds if kind in context.kinds()]
        if not there:
            return Verdict(NO, f"the platform has no device of kind {listing(kinds)}")
        lacking = {kind: _lacking(kind) for kind in there}
        able = [kind for kind in there if not lacking[kind]]
        if not able:
            return Verdict(NOT_HERE, f"this machine lacks {lacking[there[0]]}")
        return check(context, able[0])

    return ask


def _lacking(kind: str) -> str:
    """Return which part this machine lacks; empty: none."""
    parts = [part for part in PARTS if part.name in _NEEDS[kind]]
    return next((part.name for part in parts if part.probe() is None), "")


def reported(context: Context, graph: str, variant: str) -> dict[str, Any]:
    """Run a graph in software and on the device, both traced; return the device's in the report."""
    folder = context.folder / NAME
    kind = _kind_of(variant)
    write_graphs(folder, kind, context.device(kind))

    def make() -> dict[str, Any]:
        file = folder / graph
        name = NAME if graph == GRAPH else f"{NAME}_chain"
        runs: list[Path] = []
        for each in ("software", variant):
            words = ("--platform", _named(context), "--variant", each, "--trace", "--quiet")
            context.ligament("run", file, *words)
            runs.append(max((context.folder / "build" / name / each / "runs").iterdir()))
        made = json.loads(context.ligament("report", *runs, "--warm-up", "0", "--json"))
        found: dict[str, Any] = next(v for v in made["variants"] if v["name"] == variant)
        return found

    return dict(context.once(f"{graph} {variant}", make))


def _kind_of(variant: str) -> str:
    return next(kind for kind, name in VARIANT.items() if name == variant)


def _named(context: Context) -> str:
    platform = context.platform
    path = platform.folder / "platform.yaml"
    return platform.name if platform.origin == "built-in" else str(path.absolute())


def _ran(graph: str, variant: str, context: Context) -> tuple[str, ...]:
    run = f"ligament run {graph} --platform {context.platform.name} --trace --variant"
    return (f"{run} software", f"{run} {variant}", "ligament report RUNS")


def node_kernels(context: Context, kind: str) -> Verdict:
    """A node on the device gives what it gives in software."""
    variant = VARIANT[kind]
    found = reported(context, GRAPH, variant)
    equality = found.get("equality") or {}
    count = equality.get("frames", 0)
    if found["equal"] is not True or not count:
        return Verdict(NO, str(equality.get("text", "not compared")), _ran("G", variant, context))
    text = f"{count} images equal to software's; on {context.device(kind)}, {_HOW[kind]}"
    return Verdict(YES, text, _ran(GRAPH, variant, context))


def graph_kernels(context: Context, kind: str) -> Verdict:
    """Two nodes on the device are joined there, without shared memory between them."""
    variant = VARIANT[kind]
    found = reported(context, CHAIN, variant)
    mapping = context.folder / "build" / f"{NAME}_chain" / variant / "mapping.json"
    topics = json.loads(mapping.read_text(encoding="utf-8"))["topics"]
    over = topics["/between"]["transports"]
    ran = _ran(CHAIN, variant, context)
    if found["equal"] is not True or "shm" in over:
        return Verdict(NO, f"/between is over {', '.join(over)}; equal: {found['equal']}", ran)
    frames = found["equality"]["frames"]
    text = f"the topic between two nodes stays on {context.device(kind)} ({', '.join(over)})"
    return Verdict(YES, f"{text}; {frames} images equal to software's", ran)


def network_kernels(context: Context) -> Verdict:
    """DDS and the network are served by processors."""
    return Verdict(NO, "topics to other hosts go through the edge, which runs on processors")


def hw_emulation(context: Context) -> Verdict:
    """The design that is exported is what the simulator runs."""
    fpgas = [
        d for d in context.platform.document.get("devices", {}).values() if d["kind"] == "fpga"
    ]
    if not fpgas or fpgas[0].get("emulation") == "sw_emu":
        return Verdict(NO, "the platform has no FPGA whose design could be simulated")
    if lacks := _lacking("fpga"):
        return Verdict(NOT_HERE, f"this machine lacks {lacks}")
    return node_kernels(context, "fpga")


def sw_emulation(context: Context) -> Verdict:
    """The C++ of a core for high-level synthesis, run natively in the FPGA's place."""
    if "fpga" not in context.kinds():
        return Verdict(NO, "the platform has no FPGA")
    document = dict(context.platform.document)
    device = context.device("fpga")
    native = {
        key: value
        for key, value in document["devices"][device].items()
        if key in ("kind", "memory", "addresses_pool")
    }
    devices = {**document["devices"], device: {**native, "emulation": "sw_emu"}}
    platform = context.folder / "sw_emu.json"
    write_json(platform, {**document, "devices": devices, "links": []})
    file = context.folder / "checksum" / GRAPH
    file.parent.mkdir(exist_ok=True)
    file.write_text(_CHECKSUM.format(device=device), encoding="utf-8")
    sums = {}
    for variant in ("software", "native"):
        words = ("--platform", platform, "--variant", variant, "--quiet")
        context.ligament("run", file, *words)
        runs = context.folder / "build" / "conformance_checksum" / variant / "runs"
        sink = max(runs.iterdir()) / "outputs" / "sink.jsonl"
        sums[variant] = sink.read_text(encoding="utf-8").splitlines()
    if not sums["native"] or sums["native"] != sums["software"]:
        return Verdict(NO, "the core's C++ gives other images than software")
    text = f"{len(sums['native'])} images as in software; the core's C++ ran in place of {device}"
    return Verdict(YES, text, ("ligament run G --platform P (emulation: sw_emu) --variant native",))


def _told_on(found: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What the report has of the kernel: spans of its node, without copies."""
    return [s for s in found["spans"] if s["node"] == f"/{NAME}" and s["category"] != "copy"]


def kernel_measured(context: Context, kind: str) -> Verdict:
    """The report has the kernel's own time."""
    variant = VARIANT[kind]
    found = reported(context, GRAPH, variant)
    spans = [s for s in _told_on(found) if kind != "mcu" or _is_call(s, context)]
    ran = _ran(GRAPH, variant, context)
    if not spans:
        return Verdict(NO, f"the report has no time of the kernel of /{NAME}", ran)
    time = spans[0]["time_ns"]
    text = f"{spans[0]['span']} of {spans[0]['node']}: median {time['p50'] / 1000:.1f} us"
    by = ", by the emulated core's clock" if kind == "mcu" else ""
    return Verdict(YES, f"{text}, {time['n']} times{by}", ran)


def _is_call(span: Mapping[str, Any], context: Context) -> bool:
    """Whether a span is a call of the author's function that the core told of."""
    return span.get("device") == context.device("mcu") and span["category"] == "compute"


def graph_measured(context: Context, kind: str) -> Verdict:
    """The report has the way through the graph, from the camera to the sink."""
    variant = VARIANT[kind]
    found = reported(context, GRAPH, variant)
    ran = _ran(GRAPH, variant, context)
    if not found.get("latency_ns") or not found["frames"]:
        return Verdict(NO, "the report has no whole chain", ran)
    text = f"{found['frames']} images, median {found['latency_ns']['p50'] / 1000:.0f} us"
    return Verdict(YES, f"{text} from camera to sink", ran)


def tracing(context: Context, kind: str) -> Verdict:
    """Each hop of the chain is in the trace, and no event was lost.

    Of a microcontroller, the core itself has told of each message: hops alone could be what the
    process beside it told.
    """
    variant = VARIANT[kind]
    found = reported(context, GRAPH, variant)
    ran = _ran(GRAPH, variant, context)
    hops = [hop["topic"] for hop in found["hops"]]
    if len(hops) != HOPS[kind] or found["lost_events"]:
        said = f"{len(hops)} hops of {HOPS[kind]}, {found['lost_events']} events lost"
        return Verdict(NO, said, ran)
    text = f"{', '.join(hops)} of one message, 0 events lost"
    if kind != "mcu":
        return Verdict(YES, text, ran)
    calls = sum(s["time_ns"]["n"] for s in _told_on(found) if _is_call(s, context))
    frames = (found.get("equality") or {}).get("frames", 0)
    if not frames:
        return Verdict(NO, "the report compares no message, so the core's are not counted", ran)
    if calls < frames:  # the camera may send one again
        said = f"the core told of {calls} of {frames} messages"
        return Verdict(NO, said, ran)
    return Verdict(YES, f"{text}; the core told of each of {calls} messages", ran)


CHECKS: dict[str, Check] = {
    "node-kernels": with_kernel(node_kernels),
    "graph-kernels": with_kernel(graph_kernels, ("fpga", "gpu")),
    "network-kernels": network_kernels,
    "hw-emulation": hw_emulation,
    "sw-emulation": sw_emulation,
    "kernel-measured": with_kernel(kernel_measured),
    "graph-measured": with_kernel(graph_measured),
    "tracing": with_kernel(tracing),
}
