# SPDX-License-Identifier: Apache-2.0
"""lig_axis_rules: each broken rule stops the simulation by name, and a clean stream does not."""

from __future__ import annotations

import subprocess

import pytest
from bench import BUILD, HDL, RTL, environment_of_tools

RULES = ["none", "reset", "retract", "stable", "whole", "tail"]
HERE = HDL / "tb" / "lig_axis_rules"


@pytest.mark.parametrize("rule", range(len(RULES)), ids=RULES)
def test_rule(rule):
    folder = BUILD / "tb" / "lig_axis_rules" / RULES[rule]
    folder.mkdir(parents=True, exist_ok=True)
    sources = [HERE / "lig_axis_rules_tb.sv", HERE / "main.cpp"]
    words = ["--cc", "--exe", "--build", "--assert", "-Wall", f"-GRULE={rule}", f"-I{RTL}"]
    words += ["-CFLAGS", "-O0", "-MAKEFLAGS", "OPT_FAST=-O0 OPT_SLOW=-O0 OPT_GLOBAL=-O0"]
    built = subprocess.run(
        ["verilator", *words, "--prefix", "Vtop", "--Mdir", folder, "-o", "run", *sources],
        capture_output=True, text=True, env=environment_of_tools(), check=False, timeout=250,
    )  # fmt: skip
    assert built.returncode == 0, built.stdout[-2000:] + built.stderr[-2000:]
    result = subprocess.run(
        [folder / "run"], capture_output=True, text=True, check=False, timeout=60
    )
    said = result.stdout + result.stderr
    if rule == 0:
        assert result.returncode == 0, said
    else:
        assert result.returncode != 0
        assert f"rules: rule {RULES[rule]}: " in said
