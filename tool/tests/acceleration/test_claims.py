# SPDX-License-Identifier: Apache-2.0
"""What a platform claims is compared with what was tested, in each cell of the table."""

from __future__ import annotations

import json

import pytest
from workspaces import BOARD as PLATFORM
from workspaces import add_board, call

from ligament.acceleration import capabilities
from ligament.acceleration.capabilities import BOARD, CAPABILITIES, NO, NOT_HERE, YES, Verdict
from ligament.acceleration.capability_page import cell_of
from ligament.acceleration.claims import Claim, claims_of, standing
from ligament.acceleration.workspace import Workspace
from ligament.graph.loader import read_document
from ligament.resources import node_packages_dir, platforms_dir

RESULTS = node_packages_dir().parent / "docs" / "reference" / "capabilities.json"
HERE, THERE = Claim("ament"), Claim("ament", "seen on the board")
UNCHECKED = Verdict(NO, "nothing here does it", checked=False)


@pytest.mark.parametrize(
    ("found", "nobody", "here", "on_board"),
    [
        (Verdict(YES, ""), "tested", "tested", "tested"),
        (Verdict(NO, ""), "none", "contradicted", "contradicted"),
        (UNCHECKED, "none", "contradicted", "claimed"),
        (Verdict(NOT_HERE, ""), "none", "claimed", "claimed"),
        (Verdict(BOARD, ""), "none", "claimed", "claimed"),
    ],
)
def test_claim_beside_finding(found, nobody, here, on_board):
    """The table of spec/platform/conformance.md."""
    assert [standing(claim, found) for claim in (None, HERE, THERE)] == [nobody, here, on_board]


def claiming(root, *, here="", on_board="", name="mine"):
    text = PLATFORM + f"capabilities: [{here}]\n"
    if on_board:
        text += f"board_capabilities:\n  {on_board}\n"
    add_board(root, name, text)


def told(root, capsys, *words, code=0):
    assert call(root, "conformance", "mine", *words) == code
    return capsys.readouterr().out


def only(*names):
    return [word for name in names for word in ("--only", name)]


def test_the_table_says_tested_claimed_and_contradicted(tmp_path, capsys, monkeypatch):
    claiming(
        tmp_path, here="verb-help, raw-image, ament", on_board="netboot-flash: our loader does it"
    )
    found = {"verb-help": YES, "raw-image": NO, "ament": NOT_HERE, "kernel-rt": BOARD,
             "generic-macro": YES}  # fmt: skip
    checks = {name: lambda _, state=state: Verdict(state, "seen") for name, state in found.items()}
    monkeypatch.setattr(capabilities, "checks", lambda: checks)
    words = only(*found, "netboot-flash")
    file = tmp_path / "found.json"
    lines = told(tmp_path, capsys, *words, "--results", str(file), code=1).splitlines()
    cells = {line.split()[1]: line[30:43].strip() for line in lines if line[:1] != " "}
    assert cells == {
        "verb-help": "tested *", "raw-image": "contradicted", "ament": "claimed",
        "kernel-rt": "board", "generic-macro": "tested", "netboot-flash": "claimed",
    }  # fmt: skip
    assert "on the board: our loader does it" in "\n".join(lines)
    kept = read_document(file, "capabilities").data["platforms"]["mine"]["rows"]
    assert {row["name"]: cell_of(row) for row in kept} == cells
    page = file.with_suffix(".md").read_text()
    assert "| raw images of a disk | contradicted |" in page
    assert "| each verb explains itself | tested * |" in page
    # Without the one that is contradicted, nothing fails.
    told(tmp_path, capsys, *only("verb-help", "ament", "kernel-rt", "netboot-flash"))


@pytest.mark.parametrize(
    ("on_board", "wanted"),
    [
        ("verb-help: seen on the board", "'verb-help' is in capabilities, too"),
        ("verb-helq: seen on the board", "did you mean 'verb-help'?"),
        ("kernel-rt: cyclictest was run", None),
        ("kernel-rt: seen there", "a sentence that says what was seen"),
    ],
)
def test_claims_of_the_board_are_names_with_a_sentence(tmp_path, capsys, on_board, wanted):
    claiming(tmp_path, here="verb-help", on_board=on_board)
    assert call(tmp_path, "conformance", "mine", "--dry-run") == (2 if wanted else 0)
    said = capsys.readouterr().err
    assert wanted is None or (wanted in said and "platform.yaml:19:" in said), said


def results():
    return read_document(RESULTS, "capabilities").data["platforms"]


@pytest.mark.parametrize("name", sorted(path.name for path in platforms_dir().iterdir()))
def test_platforms_that_ship_claim_only_what_was_tested_or_needs_the_board(tmp_path, name):
    claims = claims_of(Workspace(tmp_path).platform(name))
    rows = {row["name"]: row for row in results().get(name, {"rows": ()})["rows"]}
    untested = {c.name for c in claims.values() if not c.on_board} - {
        row["name"] for row in rows.values() if row["standing"] == "tested"
    }
    assert not untested, "`dev/conformance` tests what a platform claims"
    told = {row["name"]: row.get("on_board", "") for row in rows.values() if row["claimed"]}
    wanted = {c.name: c.on_board for c in claims.values()}
    assert told == (wanted if rows else {}), "the results are of other claims: dev/conformance"


def test_rows_that_ship_are_all_capabilities_and_none_is_contradicted():
    for name, platform in results().items():
        assert [row["name"] for row in platform["rows"]] == [c.name for c in CAPABILITIES], name
        assert "contradicted" not in {row["standing"] for row in platform["rows"]}, name
    assert json.loads(RESULTS.read_text())["schema"] == "ligament/capabilities/1"
