# SPDX-License-Identifier: Apache-2.0
"""Synthesis of every design of a variant: area per part, totals against the budget, timing."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ligament.artefacts import read_json, write_json
from ligament.build.synthesis.crossings import check_crossings
from ligament.build.synthesis.families import OPEN_FAMILY, Family, find_family
from ligament.build.synthesis.netlist import parts_of
from ligament.build.synthesis.yosys import NETLIST, copy_sources, fastest_mhz, reached_hz, run_tool
from ligament.errors import InputError, Location, Problem

SYNTHESIS = "synthesis.json"
SCHEMA = "ligament/synthesis/1"
PARTS = "parts.json"
#: The clock ports of a generated top.
CORES = "clk_i"
PORTS = {"memory": "m_axi_clk_i", "registers": "s_axil_clk_i"}


@dataclass(frozen=True)
class Design:
    """A generated top level: the last of its sources, in a list that any tool takes (`NAME.f`)."""

    name: str
    sources: tuple[Path, ...]

    @property
    def top(self) -> str:
        """Return the top module, which has the name of its file."""
        return self.sources[-1].stem

    @property
    def digest(self) -> str:
        """Return a hash of all that is synthesised."""
        found = hashlib.sha256()
        for source in self.sources:
            found.update(source.name.encode() + b"\0" + source.read_bytes())
        return found.hexdigest()


def synthesise(folder: Path) -> dict[str, Any]:
    """Synthesise the designs of a variant's folder; what did not change is not done again."""
    mapping = _read(folder / "mapping.json")
    device, figures = _device(mapping)
    if figures.get("slots"):
        text = f"'{device}' is a slot: a shell and its cores are not counted together"
        whole = f"the variant with its nodes on {device.partition('.')[0]}"
        raise InputError(Problem("slot-shell", text, expected=whole))
    family = find_family(figures.get("family", ""))
    before = {d["name"]: d for d in (_stored(folder) or {}).get("designs", ())}
    designs = []
    libraries = _libraries(folder)
    for design in designs_of(folder):
        digest = _digest(design, family, figures)
        entry = before.get(design.name)
        if entry is None or entry["digest"] != digest:
            work = folder.parent / "work" / "synthesis" / design.name
            if len(wanted := _clocks(figures)) > 1:
                check_crossings(design.sources, design.top, work / "crossings")
            entry = {
                "name": design.name,
                "digest": digest,
                **_measured(design, family, wanted, work),
            }
        designs.append({**entry, "whose": libraries.get(design.name, {}).get("parts", {})})
    total = Counter[str]()
    for entry in designs:
        total.update(entry["total"])
    result = {
        "schema": SCHEMA,
        "device": device,
        "family": family.name,
        "budgets": dict(figures.get("budgets", {})),
        "total": dict(sorted(total.items())),
        "designs": designs,
    }
    write_json(folder / SYNTHESIS, result)
    return result


def over_budget(result: Mapping[str, Any], folder: Path) -> list[Problem]:
    """Return a problem per resource of which a variant's designs need more than there is."""
    _, figures = _device(_read(folder / "mapping.json"))
    at = Location(**figures["budgets_at"]) if "budgets_at" in figures else None
    return [
        Problem(
            "budget-overrun",
            f"the designs on {result['device']} need {_needed(result, resource)} {resource}: "
            + ", ".join(f"{d['name']} {_needed(d, resource)}" for d in result["designs"]),
            at,
            expected=f"at most {budget:g}, the budget in platform.yaml",
            hint="map fewer nodes to the device: `ligament map --optimise` takes these areas",
        )
        for resource, budget in sorted(result["budgets"].items())
        if _needed(result, resource) > budget
    ]


def _needed(entry: Mapping[str, Any], resource: str) -> int:
    return int(entry["total"].get(resource, 0))


def known(folder: Path) -> dict[str, Any] | None:
    """Return what was synthesised, if it is of the sources as they are now."""
    result = _stored(folder)
    if result is None or result["device"] not in _hardware(folder):
        return None
    _, figures = _device(_read(folder / "mapping.json"))
    family = find_family(figures.get("family", ""))
    now = {d.name: _digest(d, family, figures) for d in designs_of(folder)}
    then = {d["name"]: d["digest"] for d in result["designs"]}
    return result if now == then else None


def designs_of(folder: Path) -> Iterator[Design]:
    """Yield the designs that the manifest lists: each `.f` of the FPGA back-end is one."""
    manifest = _read(folder / "manifest.json")
    for entry in manifest["files"]:
        path = folder / entry["path"]
        if path.suffix == ".f":
            lines = path.read_text(encoding="utf-8").split("\n")
            sources = tuple(path.parent / line for line in lines if line)
            yield Design(path.stem, sources)


def _libraries(folder: Path) -> dict[str, Mapping[str, Any]]:
    """Return what the manifest tells of each design: whose its parts are."""
    backend = _read(folder / "manifest.json").get("backends", {}).get("fpga", {})
    return {library["target"]: library for library in backend.get("libraries", {}).values()}


def _clocks(figures: Mapping[str, Any]) -> dict[str, float]:
    """Return the clock ports of a design and their frequencies; the cores' comes first."""
    clocks = figures.get("clocks", {})
    own = {side: one for side, one in clocks.items() if one["name"] != clocks["cores"]["name"]}
    buses = {PORTS[side]: float(one["hz"]) for side, one in sorted(own.items())}
    return {CORES: float(figures["clock_hz"]), **buses}


def _measured(
    design: Design, family: Family, wanted: Mapping[str, float], work: Path
) -> dict[str, Any]:
    parts = _area(design, family, work)
    open_ = family if family.part else find_family(OPEN_FAMILY)
    place = work if open_ is family else work / open_.name
    placed = parts if open_ is family else _area(design, open_, place)
    if open_.holds(_sum(open_, placed)):
        timing = _timing(open_, wanted, place)
    else:
        timing = _told(open_, wanted[CORES], None, met=False)
    return {"parts": parts, "total": _sum(family, parts), "timing": timing}


def _sum(family: Family, parts: Mapping[str, Mapping[str, int]]) -> dict[str, int]:
    total = Counter(family.resources({}))
    for resources in parts.values():
        total.update(resources)
    return dict(sorted(total.items()))


def _area(design: Design, family: Family, work: Path) -> dict[str, dict[str, int]]:
    """Synthesise with the parts kept apart, then as one, for place-and-route."""
    names = " ".join(copy_sources(list(design.sources), work))
    script = (
        # -j 1: Yosys compiled to WebAssembly has no threads.
        f"read_slang -j 1 --keep-hierarchy --top {design.top} {names}; "
        # The modules of the top's own cells stay whole; what is in them is flattened.
        f"hierarchy -top {design.top}; "
        f"setattr -mod -set keep_hierarchy 1 {design.top}/t:* %M; {_without_ultra(family)}"
        f"{family.command} -top {design.top}; write_json {PARTS}; "
        "setattr -mod -unset keep_hierarchy *; flatten; opt_clean; "
        f"write_json {NETLIST}"
    )
    run_tool("yosys", ["-p", script], work)
    modules = _read(work / PARTS)["modules"]
    found = parts_of(modules, design.top)
    parts = {name: family.resources(cells) for name, cells in found.items()}
    # A top that only wires has no cells that count.
    return {name: part for name, part in parts.items() if any(part.values())}


def _without_ultra(family: Family) -> str:
    """Let what asks for UltraRAM lie in block RAM where the family has nothing else."""
    asks = "a:ram_style=ultra"
    return "" if "uram" in family.resources({}) else f"setattr -unset ram_style */{asks}; "


def _timing(family: Family, wanted: Mapping[str, float], work: Path) -> dict[str, Any]:
    """Place and route; null where nothing is clocked. `clocks` has each of several."""
    clock_hz = wanted[CORES]
    if len(wanted) == 1:
        fmax = fastest_mhz(family, clock_hz / 1e6, NETLIST, work)
        fmax_hz = None if fmax is None else round(fmax * 1e6)
        return _told(family, clock_hz, fmax_hz, met=fmax_hz is None or fmax_hz >= clock_hz)
    reached = reached_hz(family, wanted, NETLIST, work)
    # What a core makes a clock of by itself is held to the cores' frequency.
    limits = {**wanted, **{net: clock_hz for net in reached if net not in wanted}}
    clocks = {
        name: {"clock_hz": hz, "fmax_hz": round(reached[name]), "met": reached[name] >= hz}
        for name, hz in limits.items()
        if name in reached
    }
    cores_hz = round(reached[CORES]) if CORES in reached else None
    met = all(clock["met"] for clock in clocks.values())
    return {**_told(family, clock_hz, cores_hz, met=met), "clocks": clocks}


def _told(family: Family, clock_hz: float, fmax_hz: int | None, *, met: bool) -> dict[str, Any]:
    return {"part": family.part_name, "clock_hz": clock_hz, "fmax_hz": fmax_hz, "met": met}


def _device(mapping: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    hardware: dict[str, Mapping[str, Any]] = {
        name: figures
        for name, figures in mapping.get("hardware", {}).items()
        if "clock_hz" in figures  # cores that run natively have no design
    }
    if len(hardware) != 1:
        raise InputError(
            Problem(
                "synthesis-device",
                f"the variant '{mapping['variant']}' has nodes on "
                f"{len(hardware) or 'no'} FPGA{'s' * (len(hardware) != 1)} with a clock",
                expected="one, whose designs can be synthesised",
                hint="choose a variant with nodes on an FPGA: --variant, --platform",
            )
        )
    return next(iter(hardware.items()))


def _hardware(folder: Path) -> Mapping[str, Any]:
    path = folder / "mapping.json"
    return _read(path).get("hardware", {}) if path.is_file() else {}


def _digest(design: Design, family: Family, figures: Mapping[str, Any]) -> str:
    clocks = "".join(f" {name} {hz}" for name, hz in list(_clocks(figures).items())[1:])
    words = f"{SCHEMA} {family} {figures['clock_hz']}{clocks} {design.digest}"
    return hashlib.sha256(words.encode()).hexdigest()


def _stored(folder: Path) -> dict[str, Any] | None:
    path = folder / SYNTHESIS
    return _read(path) if path.is_file() else None


def _read(path: Path) -> dict[str, Any]:
    return read_json(path, "run `ligament generate`")
