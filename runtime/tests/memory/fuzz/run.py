# SPDX-License-Identifier: Apache-2.0
"""Fuzzes what the pool reads from other processes, the edge of the network, the agent of its links.

One target after the other.

Each target begins with its inputs in `corpus/`, runs for its share of the executions or seconds,
and is stopped by the first finding, whose input it keeps. With --record, what was done is added to
a file of records: target, build, executions, seconds, corpus, findings, commit.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

HERE = Path(__file__).parent
SHARED_MEMORY = Path("/dev/shm")
TARGETS = ("take", "reclaim", "directory", "bell")
EDGE_TARGETS = ("edge", "fragments")
AGENT_TARGETS = (
    "xrce_agent",
    "xrce_representation",
    "xrce_frames",
    "xrce_client",
    "xrce_parameters",
    "rpmsg",
)
#: Longer programs find no more, and take longer.
LONGEST_INPUT = 160
LONGEST_FAST_INPUT = 64
LONGEST_EDGE_INPUT = 600
LONGEST_AGENT_INPUT = 2048
LONGEST_FAST_AGENT_INPUT = 300
#: A list of steps of both sides of the rings.
LONGEST_RINGS_INPUT = 400
LONGEST_FAST_RINGS_INPUT = 100


@dataclass(frozen=True)
class Record:
    """One run of one target."""

    target: str
    executions: int
    seconds: float
    corpus_files: int
    corpus_bytes: int
    edges: int
    findings: int
    commit: str
    sanitizers: str = "address,undefined"


@dataclass(frozen=True)
class Plan:
    """Where the fuzzers are, where they may write, and when a run ends."""

    fuzzers: Path
    work: Path
    limit: str
    seed: int
    fresh: bool
    fast: bool


def commit() -> str:
    """Of the sources; `+` when they differ from it."""
    command = ["git", "-C", str(HERE), "describe", "--always", "--dirty=+", "--abbrev=12"]
    answer = subprocess.run(command, check=False, capture_output=True, text=True)
    return answer.stdout.strip() or "unknown"


def number_after(pattern: str, text: str) -> int:
    """The last number that follows `pattern`; 0 if there is none."""
    found = re.findall(pattern + r"\s*(\d+)", text)
    return int(found[-1]) if found else 0


def parts_of(target: str, plan: Plan) -> tuple[Path, Path, int]:
    """Its program, its first inputs, and how long inputs may be."""
    if target in EDGE_TARGETS:
        seeds = HERE.parents[1] / "transport" / "fuzz" / "corpus" / target
        return plan.fuzzers / f"fuzz_{target}", seeds, LONGEST_EDGE_INPUT
    if target == "rpmsg":
        longest = LONGEST_FAST_RINGS_INPUT if plan.fast else LONGEST_RINGS_INPUT
        folder = plan.fuzzers.with_name("fuzz_rpmsg_fast" if plan.fast else "fuzz_rpmsg")
        return folder / "fuzz_rpmsg", HERE / "corpus" / target, longest
    if target in AGENT_TARGETS:
        longest = LONGEST_FAST_AGENT_INPUT if plan.fast else LONGEST_AGENT_INPUT
        seeds = HERE.parents[1] / "agent" / "fuzz" / "corpus" / target
        return plan.fuzzers / f"fuzz_{target}", seeds, longest
    longest = LONGEST_FAST_INPUT if plan.fast else LONGEST_INPUT
    return plan.fuzzers / f"fuzz_pool_{target}", HERE / "corpus" / target, longest


def sanitizers_of(target: str, plan: Plan) -> str:
    """What sees a wrong access."""
    if not plan.fast:
        return "address,undefined"
    return "none" if target in AGENT_TARGETS else "guard pages"


@contextmanager
def in_memory(corpus: Path) -> Iterator[Path]:
    """A copy of the corpus, which is the corpus at the end.

    A fuzzer that learns replaces thousands of inputs by shorter ones. On a disk that others use a
    removal may take tens of milliseconds, and targets would get through a hundredth of what they
    do in memory.
    """
    place = SHARED_MEMORY if os.access(SHARED_MEMORY, os.W_OK) else None
    with TemporaryDirectory(prefix="ligament-fuzz-", dir=place) as memory:
        copy = Path(memory)
        for path in corpus.iterdir():
            shutil.copy(path, copy)
        try:
            yield copy
        finally:
            kept = {path.name for path in copy.iterdir()}
            before = {path.name for path in corpus.iterdir()}
            for name in before - kept:
                (corpus / name).unlink()
            for name in kept - before:
                shutil.copy(copy / name, corpus)


def fuzz(target: str, plan: Plan, revision: str) -> Record:
    """Runs one target; what it found lies in its folder afterwards."""
    folder = plan.work / target
    corpus = folder / "corpus"
    if plan.fresh:
        shutil.rmtree(folder, ignore_errors=True)
    corpus.mkdir(parents=True, exist_ok=True)
    known = set(folder.glob("finding-*"))
    program, seeds, longest = parts_of(target, plan)
    log = folder / "log"
    # -entropic=0: the schedule by rare features costs more than an execution here.
    options = [plan.limit, f"-seed={plan.seed}", f"-max_len={longest}", "-entropic=0"]
    options += ["-timeout=20", "-rss_limit_mb=1024", "-print_final_stats=1", "-verbosity=1"]
    options += [f"-artifact_prefix={folder}/finding-"]
    with log.open("w") as output, in_memory(corpus) as copy:
        folders = [str(copy)] + ([str(seeds)] if seeds.is_dir() else [])
        begin = time.monotonic()
        code = subprocess.run(
            [str(program), *options, *folders], check=False, stdout=output, stderr=output
        ).returncode
        seconds = time.monotonic() - begin
    text = log.read_text(errors="replace")
    found = set(folder.glob("finding-*")) - known
    files = [path.stat().st_size for path in corpus.iterdir()]
    record = Record(
        target=target,
        executions=number_after(r"stat::number_of_executed_units:", text),
        seconds=round(seconds, 1),
        corpus_files=len(files),
        corpus_bytes=sum(files),
        edges=number_after(r"cov:", text),
        findings=max(len(found), int(code != 0)),
        commit=revision,
        sanitizers=sanitizers_of(target, plan),
    )
    print(
        f"{target:10} {record.executions:>12,} executions in {record.seconds:.0f} s, "
        f"{record.executions / max(seconds, 1e-9):,.0f} per second, {record.edges} edges, "
        f"{record.corpus_files} inputs, {record.findings} findings",
        flush=True,
    )
    if code != 0:
        print("\n".join(text.splitlines()[-60:]), file=sys.stderr)
        print(f"the input: {sorted(found)}; the log: {log}", file=sys.stderr)
    return record


def merge(old: Record, new: Record) -> Record:
    """Two runs of one target on the same sources, the newer one from the older one's corpus."""
    return replace(
        new,
        executions=old.executions + new.executions,
        seconds=round(old.seconds + new.seconds, 1),
        findings=old.findings + new.findings,
    )


def key_of(record: Record) -> tuple[str, str, str]:
    """What one record of the file stands for."""
    return record.target, record.commit, record.sanitizers


def append(path: Path, record: Record) -> None:
    """Adds the record to those of the file: one per target, commit and build."""
    runs = json.loads(path.read_text())["runs"] if path.exists() else []
    records = {key_of(Record(**run)): Record(**run) for run in runs}
    key = key_of(record)
    records[key] = merge(records[key], record) if key in records else record
    done = {
        "executions": sum(entry.executions for entry in records.values()),
        "findings": sum(entry.findings for entry in records.values()),
        "runs": [asdict(entry) for entry in records.values()],
    }
    path.write_text(json.dumps(done, indent=2) + "\n")


def arguments() -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("fuzzers", type=Path, help="folder of the built fuzzers")
    parser.add_argument("work", type=Path, help="folder for corpus, logs and findings")
    limit = parser.add_mutually_exclusive_group(required=True)
    limit.add_argument("--seconds", type=int, help="in all, shared by the targets")
    limit.add_argument("--runs", type=int, help="executions in all, shared by the targets")
    parser.add_argument("--seed", type=int, default=0, help="of the mutations (default: random)")
    parser.add_argument(
        "--target",
        choices=(*TARGETS, *EDGE_TARGETS, *AGENT_TARGETS),
        action="append",
        help="default: all of the pool",
    )
    parser.add_argument("--fresh", action="store_true", help="forget inputs of earlier runs")
    parser.add_argument("--fast", action="store_true", help="these are of the fast build")
    parser.add_argument("--record", type=Path, help="add what was done to this file")
    return parser.parse_args()


def main() -> int:
    """1 if anything was found."""
    args = arguments()
    targets = args.target or list(TARGETS)
    if args.runs is not None:
        limit = f"-runs={max(1, args.runs // len(targets))}"
    else:
        limit = f"-max_total_time={max(1, args.seconds // len(targets))}"
    plan = Plan(args.fuzzers, args.work, limit, args.seed, args.fresh, args.fast)
    revision = commit()
    records = []
    for target in targets:
        records.append(fuzz(target, plan, revision))
        if args.record is not None:
            append(args.record, records[-1])
    return int(any(record.findings for record in records))


if __name__ == "__main__":
    sys.exit(main())
