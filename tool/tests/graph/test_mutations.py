# SPDX-License-Identifier: Apache-2.0
"""Damaged input is a list of problems, never a traceback: valid cases, mutated at random."""

from __future__ import annotations

import random
import re
import shutil
from pathlib import Path
from unittest import mock

import corpus
import pytest

from ligament.errors import InputError
from ligament.graph import load_graph, loader
from ligament.mapping import load_mapping, load_platform, map_graph, planned

SOURCES = [
    "graph/everything.yaml",
    "graph/composition.yaml",
    "graph/parameter_file.yaml",
    "mapping/by_hand.json",
    "normalised-graph/by_hand.json",
]
WORDS = ["null", "[]", "{}", "-1", "true", "camera", "~", "/", "x: y", "&a", "*a", "1e400", "''"]
WORDS += ['"a', "- ", "\t", "nodes", "__", "é", "{node}", "}", "]", ":"]


def _mutated(text: str, chooser: random.Random) -> str:
    for _ in range(chooser.randint(1, 3)):
        at = chooser.randrange(len(text))
        tokens = list(re.finditer(r"[\w./]+", text)) or [re.match("", text)]
        token, other = chooser.choice(tokens), chooser.choice(tokens)
        assert token and other
        text = (
            chooser.choice(
                [
                    text[:at] + text[at + chooser.randint(1, 5) :],
                    text[:at] + chooser.choice(WORDS) + text[at:],
                    text[: token.start()] + chooser.choice(WORDS) + text[token.end() :],
                    text[: token.start()] + other.group() + text[token.end() :],
                ]
            )
            or "x"
        )
    return text


def _use(path: Path) -> None:
    if path.parent.name == "mapping":
        load_mapping(path)
        return
    graph = load_graph(path)
    for variant in graph.variants:
        map_graph(graph, load_platform("host"), variant, planned())


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("seed", range(3))
def test_mutated_input_is_right_or_a_list_of_problems(
    source: str, seed: int, tmp_path: Path
) -> None:
    for folder in ("packages", "messages", "graph/parts"):
        shutil.copytree(corpus.CASES / folder, tmp_path / folder)
    original = (corpus.CASES / source).read_text(encoding="utf-8")
    path = tmp_path / source
    path.parent.mkdir(exist_ok=True)
    chooser = random.Random(f"{source}{seed}")
    with mock.patch.object(loader, "node_packages_dir", lambda: corpus.CASES / "platforms"):
        for _ in range(25):
            text = _mutated(original, chooser)
            path.write_text(text, encoding="utf-8")
            try:
                _use(path)
            except InputError as error:
                assert error.problems, text
