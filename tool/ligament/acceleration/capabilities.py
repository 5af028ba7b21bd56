# SPDX-License-Identifier: Apache-2.0
"""What an acceleration platform can do, as the draft of REP-2008 lists it, and how each is tested.

`CAPABILITIES` is the list; a check is a function of `checks/`, by the capability's name:

    CHECKS = {"raw-image": raw_image}
    def raw_image(context: Context) -> Verdict: ...

A check runs the thing, and its verdict says what was run. `no` also means: nobody wrote it. `board`
is for what was right as far as it goes without the board (spec/platform/conformance.md).
"""

from __future__ import annotations

import importlib
import json
import pkgutil
import subprocess
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ligament.acceleration.manifest import Platform
from ligament.errors import FailureError, InputError, LigamentError, no_such
from ligament.programs import end_with_tool

YES, NO, NOT_HERE, BOARD = "yes", "no", "not here", "board"
_LONGEST_S = 1200


@dataclass(frozen=True)
class Capability:
    """A row: our name, the draft's number, and what it is."""

    name: str
    number: str
    text: str


CAPABILITIES: tuple[Capability, ...] = (
    Capability("node-kernels", "1.i", "kernels at level 1: in nodes"),
    Capability("graph-kernels", "1.ii", "kernels at level 2: in what joins nodes"),
    Capability("network-kernels", "1.iii", "kernels at level 3: in DDS and the network"),
    Capability("ament", "2.i", "packages of ament build kernels"),
    Capability("generic-macro", "2.ii", "acceleration_kernel(NAME FILE INCLUDE)"),
    Capability("hw-emulation", "3.i", "hardware emulation (hw_emu)"),
    Capability("sw-emulation", "3.ii", "software emulation (sw_emu)"),
    Capability("raw-image", "3.iii", "raw images of a disk"),
    Capability("kernel-vanilla", "3.iv.a", "Linux as the vendor has it"),
    Capability("kernel-rt", "3.iv.b", "Linux with PREEMPT_RT"),
    Capability("hypervisor", "3.v.a", "a hypervisor's configuration"),
    Capability("dom0less", "3.v.b", "guests without a control domain"),
    Capability("guest-images", "3.v.c", "guests in the image"),
    Capability("control-domain-image", "3.v.d", "the control domain in the image"),
    Capability("netboot-files", "3.vi.a", "files for booting over the network"),
    Capability("netboot-rootfs", "3.vi.b", "a root file system over the network"),
    Capability("netboot-boards", "3.vi.c", "many boards over the network"),
    Capability("netboot-keys", "3.vi.d", "signed or encrypted network boot"),
    Capability("netboot-flash", "3.vi.e", "flashing a disk over the network"),
    Capability("kernel-measured", "4.i", "a kernel alone is measured"),
    Capability("graph-measured", "4.ii", "a kernel within its graph is measured"),
    Capability("tracing", "4", "messages are traced through devices"),
    Capability("verb-help", "5.i", "each verb explains itself"),
    Capability("published-examples", "6.i", "the published examples pass"),
)


@dataclass(frozen=True)
class Verdict:
    """What a check found: the state, a sentence why, and what was run."""

    state: str
    evidence: str
    ran: tuple[str, ...] = ()
    checked: bool = True
    """Whether a check found it: there is none of some capabilities."""


@dataclass
class Context:
    """What a check may use: the platform, and a folder of its own to work in."""

    platform: Platform
    folder: Path
    stays: bool = True
    """Whether the folder, with its log, is there afterwards."""
    #: What was run so far, so that checks share runs.
    kept: dict[str, Any] = field(default_factory=dict)

    def kinds(self) -> set[str]:
        """Return the kinds of the platform's devices."""
        return {device["kind"] for device in self.platform.document.get("devices", {}).values()}

    def device(self, kind: str) -> str:
        """Return the first device of a kind."""
        devices = self.platform.document["devices"]
        return next(str(name) for name in sorted(devices) if devices[name]["kind"] == kind)

    def once(self, name: str, make: Callable[[], Any]) -> Any:
        """Return what `make` makes, which is made once, also where it fails."""
        if name not in self.kept:
            try:
                self.kept[name] = make()
            except LigamentError as error:
                self.kept[name] = error
        found = self.kept[name]
        if isinstance(found, LigamentError):
            raise found
        return found

    def ligament(self, *words: str | Path) -> str:
        """Run a verb in the folder; return what it printed; raise FailureError if it fails."""
        return self.run(sys.executable, "-m", "ligament.cli.main", *words)

    def run(self, *words: str | Path) -> str:
        """Run a program in the folder; return what it printed; raise FailureError if it fails."""
        command = [str(word) for word in words]
        log = self.folder / "conformance.log"
        try:
            done = subprocess.run(
                command, cwd=self.folder, capture_output=True, text=True, check=False,
                timeout=_LONGEST_S,
                preexec_fn=end_with_tool,
            )  # fmt: skip
        except FileNotFoundError as error:
            raise FailureError(f"there is no program '{command[0]}'") from error
        except subprocess.TimeoutExpired as error:
            raise FailureError(f"it took more than {_LONGEST_S} s", command=command) from error
        with log.open("a", encoding="utf-8") as stream:
            stream.write(f"$ {' '.join(command)}\n{done.stdout}{done.stderr}\n")
        if done.returncode != 0:
            said = _first_error(done.stdout, done.stderr)
            text = f"exit code {done.returncode}: {said}"
            raise FailureError(text, command=command, log=log if self.stays else None)
        return done.stdout


def _first_error(out: str, err: str) -> str:
    """What a program that failed said of it; a verb with --json says it on stdout."""
    try:
        told = json.loads(out)
        said = str(told["problems"][0]["text"] if "problems" in told else told["error"])
    except (ValueError, LookupError, TypeError):
        said = err.strip() or out.strip()
    return next(iter(said.splitlines()), "it said nothing")


Check = Callable[[Context], Verdict]


def checks() -> dict[str, Check]:
    """Return all checks, by the name of their capability."""
    from ligament.acceleration import checks as room  # noqa: PLC0415 - it imports this module

    found: dict[str, Check] = {}
    for module in pkgutil.iter_modules(room.__path__):
        found |= importlib.import_module(f"{room.__name__}.{module.name}").CHECKS
    return found


def chosen(names: Sequence[str]) -> list[Capability]:
    """Return the capabilities of these names, or all; raise InputError for an unknown one."""
    known = {capability.name: capability for capability in CAPABILITIES}
    problems = [
        no_such("capability-unknown", f"there is no capability '{name}'", name, known)
        for name in names
        if name not in known
    ]
    if problems:
        raise InputError(problems)
    return [c for c in CAPABILITIES if not names or c.name in names]


def judge(
    capabilities: Collection[Capability], known: Mapping[str, Check], context: Context
) -> dict[str, Verdict]:
    """Run the checks; what fails is a `no` that says why."""
    found = {}
    for capability in capabilities:
        check = known.get(capability.name)
        if check is None:
            found[capability.name] = Verdict(NO, "nothing here does it", checked=False)
            continue
        try:
            found[capability.name] = check(context)
        except FailureError as error:
            text = f"{error.text}" + (f" (log: {error.log})" if error.log else "")
            found[capability.name] = Verdict(NO, text, (" ".join(error.command),))
        except InputError as error:
            found[capability.name] = Verdict(NO, error.problems[0].text)
        except (OSError, ValueError, LookupError) as error:  # of what was run
            found[capability.name] = Verdict(NO, f"{type(error).__name__}: {error}")
    return found
