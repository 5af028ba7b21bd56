# SPDX-License-Identifier: Apache-2.0
"""Kernels on the platform's devices: run, compared with software, traced and measured.

The graph is that of `ligament new package`; its node has a kernel for GPUs and a core for FPGAs.
An FPGA of a board is simulated cycle by cycle here, and a microcontroller emulated.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ligament.acceleration.capabilities import NO, NOT_HERE, YES, Check, Context, Verdict
from ligament.artefacts import write_json
from ligament.doctor.checks import CHECKS as PARTS
from ligament.errors import FailureError
from ligament.new import write_new

#: What of `ligament doctor` a device of a kind needs on this machine, as it is tested here.
_NEEDS = {
    "fpga": ("Verilator", "make and perl"),
    "gpu": ("OpenCL", "GPU devices"),
    "mcu": ("Arm compiler", "Arm C library", "core's emulator"),
}
_VARIANT = {"fpga": "hardware", "gpu": "gpu"}
_HOW = {"fpga": "its design simulated cycle by cycle", "gpu": "by OpenCL", "mcu": "emulated"}
_NAME = "conformance"
_CHAIN = """schema: ligament/graph/1
name: conformance_chain
packages: [nodes]
nodes:
  camera:
    type: image/camera
    parameters: {{frames: 6, encoding: mono8, pacing: ack, in_flight: 1}}
    remap: {{image_raw: /image}}
  first: {{type: conformance/conformance, remap: {{image: /image, result: /between}}}}
  second: {{type: conformance/conformance, remap: {{image: /between, result: /result}}}}
  sink: {{type: image/sink, parameters: {{frames: 6}}, remap: {{image: /result}}}}
topics:
  /image: {{bound_bytes: 1000000}}
  /between: {{bound_bytes: 1000000}}
  /result: {{bound_bytes: 1000000}}
variants:
  software: {{description: All on processors.}}
  {variant}:
    description: Both on one device.
    devices: {{first: {device}, second: {device}}}
    containers: {{camera: [camera], kernels: [first, second], sink: [sink]}}
default_variant: software
check: {{sink: sink, compare: exact}}
"""
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


def with_kernel(check: Callable[[Context, str], Verdict]) -> Check:
    """Ask a check for the first kind of accelerator that platform and machine have."""

    def ask(context: Context) -> Verdict:
        kinds = [kind for kind in ("fpga", "gpu") if kind in context.kinds()]
        if not kinds:
            return Verdict(NO, "the platform has neither a GPU nor an FPGA")
        lacking = {kind: _lacking(kind) for kind in kinds}
        able = [kind for kind in kinds if not lacking[kind]]
        if not able:
            return Verdict(NOT_HERE, f"this machine lacks {lacking[kinds[0]]}")
        return check(context, able[0])

    return ask


def _lacking(kind: str) -> str:
    """Return which part this machine lacks; empty: none."""
    parts = [part for part in PARTS if part.name in _NEEDS[kind]]
    return next((part.name for part in parts if part.probe() is None), "")


def reported(context: Context, graph: str, variant: str) -> dict[str, Any]:
    """Run a graph in software and on the device, both traced; return the device's in the report."""
    folder = context.folder / _NAME
    if not folder.exists():
        write_new("package", folder)
        chain = _CHAIN.format(variant=variant, device=context.device(_kind_of(variant)))
        (folder / "chain.yaml").write_text(chain, encoding="utf-8")

    def make() -> dict[str, Any]:
        file = folder / graph
        name = _NAME if graph == "graph.yaml" else f"{_NAME}_chain"
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
    return next(kind for kind, name in _VARIANT.items() if name == variant)


def _named(context: Context) -> str:
    platform = context.platform
    path = platform.folder / "platform.yaml"
    return platform.name if platform.origin == "built-in" else str(path.absolute())


def _ran(graph: str, variant: str, context: Context) -> tuple[str, ...]:
    run = f"ligament run {graph} --platform {context.platform.name} --trace --variant"
    return (f"{run} software", f"{run} {variant}", "ligament report RUNS")


def node_kernels(context: Context, kind: str) -> Verdict:
    """A node on the device gives what it gives in software."""
    variant = _VARIANT[kind]
    found = reported(context, "graph.yaml", variant)
    equality = found.get("equality") or {}
    count = equality.get("frames", 0)
    if found["equal"] is not True or not count:
        return Verdict(NO, str(equality.get("text", "not compared")), _ran("G", variant, context))
    text = f"{count} images equal to software's; on {context.device(kind)}, {_HOW[kind]}"
    return Verdict(YES, text, _ran("graph.yaml", variant, context))


def graph_kernels(context: Context, kind: str) -> Verdict:
    """Two nodes on the device are joined there, without shared memory between them."""
    variant = _VARIANT[kind]
    found = reported(context, "chain.yaml", variant)
    mapping = context.folder / "build" / f"{_NAME}_chain" / variant / "mapping.json"
    topics = json.loads(mapping.read_text(encoding="utf-8"))["topics"]
    over = topics["/between"]["transports"]
    ran = _ran("chain.yaml", variant, context)
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
    file = context.folder / "checksum" / "graph.yaml"
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


def kernel_measured(context: Context, kind: str) -> Verdict:
    """The report has the kernel's own time."""
    variant = _VARIANT[kind]
    found = reported(context, "graph.yaml", variant)
    spans = [s for s in found["spans"] if s["node"] == f"/{_NAME}" and s["category"] != "copy"]
    ran = _ran("graph.yaml", variant, context)
    if not spans:
        return Verdict(NO, f"the report has no time of the kernel of /{_NAME}", ran)
    time = spans[0]["time_ns"]
    text = f"{spans[0]['span']} of {spans[0]['node']}: median {time['p50'] / 1000:.1f} us"
    return Verdict(YES, f"{text}, {time['n']} times", ran)


def graph_measured(context: Context, kind: str) -> Verdict:
    """The report has the way through the graph, from the camera to the sink."""
    variant = _VARIANT[kind]
    found = reported(context, "graph.yaml", variant)
    ran = _ran("graph.yaml", variant, context)
    if not found.get("latency_ns") or not found["frames"]:
        return Verdict(NO, "the report has no whole chain", ran)
    text = f"{found['frames']} images, median {found['latency_ns']['p50'] / 1000:.0f} us"
    return Verdict(YES, f"{text} from camera to sink", ran)


def tracing(context: Context, kind: str) -> Verdict:
    """Each hop of the chain is in the trace, and no event was lost."""
    variant = _VARIANT[kind]
    found = reported(context, "graph.yaml", variant)
    ran = _ran("graph.yaml", variant, context)
    hops = [hop["topic"] for hop in found["hops"]]
    if len(hops) != 2 or found["lost_events"]:
        return Verdict(NO, f"{len(hops)} hops of 2, {found['lost_events']} events lost", ran)
    return Verdict(YES, f"{' and '.join(hops)} of one message, 0 events lost", ran)


def firmware(context: Context) -> Verdict | None:
    """A node as firmware of the platform's microcontroller says what it says on a processor."""
    if "mcu" not in context.kinds():
        return None
    if lacks := _lacking("mcu"):
        return Verdict(NOT_HERE, f"this machine lacks {lacks}")
    folder = context.folder / "thermometer_mcu"
    if not folder.exists():
        write_new("mcu-node", folder)
    said = {}
    for variant in ("mcu", "software"):
        words = ("--platform", _named(context), "--variant", variant, "--quiet")
        context.ligament("run", folder, *words)
        runs = context.folder / "build" / folder.name / variant / "runs"
        text = (max(runs.iterdir()) / "log" / "watch.log").read_text(encoding="utf-8")
        said[variant] = {line.rpartition(": ")[2] for line in text.splitlines()}
    if not said["mcu"] or said["mcu"] != said["software"]:
        raise FailureError("the firmware says other degrees than the same C on a processor")
    text = f"a C99 node as firmware of {context.device('mcu')}, emulated: as on the processor"
    return Verdict(YES, text, (f"ligament run {folder.name} --variant mcu",))


def on_any_device(context: Context) -> Verdict:
    """Kernels of GPUs and FPGAs; on platforms that have neither, firmware."""
    if not context.kinds() & {"fpga", "gpu"}:
        return firmware(context) or Verdict(NO, "the platform has processors only")
    return with_kernel(node_kernels)(context)


CHECKS: dict[str, Check] = {
    "node-kernels": on_any_device,
    "graph-kernels": with_kernel(graph_kernels),
    "network-kernels": network_kernels,
    "hw-emulation": hw_emulation,
    "sw-emulation": sw_emulation,
    "kernel-measured": with_kernel(kernel_measured),
    "graph-measured": with_kernel(graph_measured),
    "tracing": with_kernel(tracing),
}
