# SPDX-License-Identifier: Apache-2.0
"""lig_axis_rules and lig_rest_rules: each broken rule stops by name, and a clean run does not."""

from __future__ import annotations

import subprocess
from pathlib import Path

from bench import BUILD, HDL, RTL, environment_of_tools

RULES = ["none", "reset", "retract", "stable", "whole", "tail", "rest"]
HERE = HDL / "tb" / "lig_axis_rules"


def build() -> Path:
    folder = BUILD / "tb" / "lig_axis_rules"
    folder.mkdir(parents=True, exist_ok=True)
    sources = [HERE / "lig_axis_rules_tb.sv", HERE / "main.cpp"]
    words = ["--cc", "--exe", "--build", "--assert", "-Wall", f"-I{RTL}"]
    words += ["-CFLAGS", "-O0", "-MAKEFLAGS", "OPT_FAST=-O0 OPT_SLOW=-O0 OPT_GLOBAL=-O0"]
    built = subprocess.run(
        ["verilator", *words, "--prefix", "Vtop", "--Mdir", folder, "-o", "run", *sources],
        capture_output=True, text=True, env=environment_of_tools(), check=False, timeout=900,
    )  # fmt: skip
    assert built.returncode == 0, built.stdout[-2000:] + built.stderr[-2000:]
    return folder / "run"


def test_each_broken_rule_is_named():
    program = build()
    for number, rule in enumerate(RULES):
        result = subprocess.run(
            [program, str(number)], capture_output=True, text=True, check=False, timeout=900
        )
        said = result.stdout + result.stderr
        if rule == "none":
            assert result.returncode == 0, said
        else:
            assert result.returncode != 0, rule
            assert f"rules: rule {rule}: " in said
