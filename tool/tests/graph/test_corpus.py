# SPDX-License-Identifier: Apache-2.0
"""The corpus of spec/cases, judged by the tool."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import corpus
import pytest

from ligament.errors import render_problem
from ligament.graph.json_source import parse_json
from ligament.graph.schema import load_schemas, validate

ALL = corpus.all_cases()


@pytest.mark.parametrize(("kind", "path"), ALL, ids=[f"{k}-{p.stem}" for k, p in ALL])
def test_case_is_judged_as_expected(kind: str, path: Path) -> None:
    problems = corpus.judge(kind, path)
    said = "\n".join(render_problem(p) for p in problems)
    assert not corpus.mismatches(path, problems), said


@pytest.mark.parametrize("path", [p for _, p in ALL], ids=[f"{k}-{p.stem}" for k, p in ALL])
def test_expectation_is_well_formed(path: Path) -> None:
    expected = path.with_name(path.stem + ".expect.json")
    document = parse_json(expected.read_text(encoding="utf-8"), str(expected))
    assert validate(document, "case") == []
    assert ("problems" in document.data) == (document.data["verdict"] == "invalid")


def test_corpus_covers_every_kind_with_both_verdicts() -> None:
    verdicts = Counter(
        (k, json.loads(p.with_name(p.stem + ".expect.json").read_text())["verdict"]) for k, p in ALL
    )
    for kind in {k for k, _ in ALL}:
        assert verdicts[kind, "valid"] and verdicts[kind, "invalid"], kind


def test_no_case_is_without_expectation() -> None:
    for kind in {k for k, _ in ALL}:
        for path in (corpus.CASES / kind).glob("*.*"):
            if not path.name.endswith(".expect.json") and path.suffix in (".yaml", ".json"):
                assert path.with_name(path.stem + ".expect.json").is_file(), path


@pytest.mark.parametrize("kind", sorted(load_schemas()))
def test_every_field_of_a_schema_is_described(kind: str) -> None:
    def walk(schema: object, where: str) -> None:
        if not isinstance(schema, dict):
            return
        for name, inner in schema.get("properties", {}).items():
            if "$ref" not in inner:
                assert inner.get("title") and inner.get("description"), f"{where}.{name}"
            walk(inner, f"{where}.{name}")
        for key in ("items", "additionalProperties"):
            inner = schema.get(key)
            if isinstance(inner, dict) and "$ref" not in inner and key in ("items",):
                assert "title" in inner or "type" in inner, f"{where}.{key}"
            walk(inner, f"{where}.{key}")
        for name, inner in schema.get("$defs", {}).items():
            assert inner.get("title") and inner.get("description"), f"{where}#{name}"
            walk(inner, f"{where}#{name}")

    walk(load_schemas()[kind], kind)
