# SPDX-License-Identifier: Apache-2.0
"""`colcon acceleration` itself: found by colcon, help, exit codes, what it imports."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys

import pytest
from workspaces import add_board, call, colcon

from ligament.acceleration import frame
from ligament.acceleration.toolchains import fits
from ligament.acceleration.verbs import verb_names
from ligament.cli import main as cli

SLOW = {"typer", "pandas", "numpy", "jsonschema", "ruamel.yaml", "networkx", "rich", "asyncio"}


@pytest.mark.skipif(shutil.which("colcon") is None, reason="this machine has no such thing: colcon")
def test_colcon_has_the_verb_and_passes_its_exit_code_on(tmp_path):
    (tmp_path / "ws").mkdir()
    said = colcon(tmp_path / "ws", tmp_path, "select", "kv260")
    assert (said.returncode, said.stdout) == (0, said.stdout), said.stderr
    assert said.stdout.startswith("selected kv260 (built-in)")
    said = colcon(tmp_path / "ws", tmp_path, "board", "--json")
    assert json.loads(said.stdout)["board"]["soc"] == "xck26-sfvc784-2LV-c"
    said = colcon(tmp_path / "ws", tmp_path, "select", "kv261")
    assert said.returncode == 2
    assert "did you mean 'kv260'?" in said.stderr
    assert (
        "usage: colcon acceleration select"
        in colcon(tmp_path / "ws", tmp_path, "select", "--help").stdout
    )
    assert "list, " in colcon(tmp_path / "ws", tmp_path, "--help").stdout
    # No folder of logs: a workspace may be read-only.
    assert [path.name for path in (tmp_path / "ws").iterdir()] == ["acceleration"]


def test_ligament_has_the_same_verb(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert cli.main(["acceleration", "select", "kv260", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["platform"] == "kv260"
    assert cli.main(["acceleration", "select", "kv261"]) == 2
    assert cli.main(["acceleration", "--help"]) == 0
    assert "usage: ligament acceleration VERB" in capsys.readouterr().out
    assert cli.main(["acceleration", "mount", "--help"]) == 0
    said = capsys.readouterr().out
    assert "  ligament acceleration mount root" in said
    assert "colcon" not in said


def test_listing_imports_nothing_that_is_slow_to_import(tmp_path):
    add_board(tmp_path, "mine")
    code = (
        "import sys\nfrom ligament.acceleration.frame import run\n"
        "code = run(['list', '--workspace', sys.argv[1]], 'x')\n"
        "print(code, *sys.modules, file=sys.stderr)"
    )
    environment = {**os.environ, "LIGAMENT_CACHE": str(tmp_path / "cache")}
    command = [sys.executable, "-c", code, str(tmp_path)]
    for _ in range(2):  # the second time from the cache
        ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    code, *modules = ran.stderr.split()
    assert code == "0"
    assert SLOW & set(modules) == set()
    assert [m for m in modules if m.startswith("ligament.acceleration.verbs.")] == [
        "ligament.acceleration.verbs.list"
    ]


def test_colcon_imports_little_where_another_of_its_verbs_runs():
    """Each command of colcon makes all verbs there are, and asks some for their arguments."""
    code = (
        "import argparse, sys, types\n"
        "parts = {'plugin_system': {'satisfies_version': lambda *_: None},\n"
        "         'verb': {'VerbExtensionPoint': type('X', (), {'EXTENSION_POINT_VERSION': ''})}}\n"
        "sys.modules['colcon_core'] = types.ModuleType('colcon_core')\n"
        "for name, has in parts.items():\n"
        "    module = sys.modules[f'colcon_core.{name}'] = types.ModuleType(name)\n"
        "    vars(module).update(has)\n"
        "import ligament.acceleration.colcon as ours\n"
        "ours.AccelerationVerb().add_arguments(parser=argparse.ArgumentParser())\n"
        "print(*(m for m in sys.modules if m.startswith('ligament')))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    own = ("", ".acceleration", ".acceleration.verbs", ".acceleration.colcon")
    assert set(ran.stdout.split()) == {f"ligament{name}" for name in own}


def test_help_has_each_verb_with_its_line(capsys):
    for words in ([], ["--help"], ["help"]):
        assert frame.run(words, "colcon acceleration") == 0
        said = capsys.readouterr().out
        for name in verb_names():
            assert f"  {name:<{max(map(len, verb_names()))}}  " in said


@pytest.mark.parametrize("name", verb_names())
def test_each_verb_explains_itself_and_has_the_common_options(name, capsys):
    assert frame.run([name, "--help"], "colcon acceleration") == 0
    said = capsys.readouterr().out
    assert said.startswith(f"usage: colcon acceleration {name}")
    for option in ("--json", "--dry-run", "--workspace"):
        assert option in said
    parser = frame.parser_of(name, "colcon acceleration")
    assert [action.dest for action in parser._actions if not action.help] == []


def test_an_unknown_verb_names_the_nearest_and_an_unknown_option_is_a_mistake(tmp_path, capsys):
    assert call(tmp_path, "lits") == 2
    assert "did you mean 'list'?" in capsys.readouterr().err
    assert call(tmp_path, "list", "--jso") == 2
    assert "unrecognized arguments: --jso" in capsys.readouterr().err


def test_versions_are_those_of_this_machine_and_missing_ones_are_said(tmp_path, capsys):
    add_board(tmp_path, "mine")
    call(tmp_path, "select", "mine")
    capsys.readouterr()
    assert call(tmp_path, "version", "--json") == 0
    found = {c["program"]: c for c in json.loads(capsys.readouterr().out)["components"]}
    assert found["python3"]["right"]
    assert found["python3"]["version"].startswith("3.")
    assert found["sh-that-is-not-there"]["version"] is None
    assert call(tmp_path, "version", "own") == 1
    assert "missing (own); get it: from me" in capsys.readouterr().out
    assert call(tmp_path, "version", "python3") == 0
    assert call(tmp_path, "version", "pyton3") == 2
    assert "did you mean 'python3'?" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("version", "wanted", "right"),
    [
        ("12.2.0", "", True),
        ("12.2.0", "12", True),
        ("12.2.0", "12.2", True),
        ("12.2.0", "12.3", False),
        ("1.22", "1.2", False),
        ("12.2.0", ">=10", True),
        ("9.4", ">=10", False),
        ("2022.1", "2022.1", True),
        ("0.70.0.0.post1259", ">=0.70", True),
        ("12.2.0-14+deb12", "12.2.0", True),
        ("unknown", ">=1", False),
    ],
)
def test_a_version_is_compared_by_its_numbers(version, wanted, right):
    assert fits(version, wanted) is right
