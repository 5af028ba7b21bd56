# SPDX-License-Identifier: Apache-2.0
"""Where a fault can be planted in C++ and SystemVerilog.

Both are read as text without comments and strings, in the layout that the formatters enforce
(operators between spaces, a statement a line). What does not compile is counted apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from mutation.fault import Fault

_BOTH = (
    ("comparison", re.compile(r"(?<= )<(?= )"), "<="),
    ("comparison", re.compile(r"(?<= )<=(?= )"), "<"),
    ("comparison", re.compile(r"(?<= )>=(?= )"), ">"),
    ("comparison", re.compile(r"(?<= )>(?= )"), ">="),
    ("comparison", re.compile(r"(?<= )==(?= )"), "!="),
    ("comparison", re.compile(r"(?<= )!=(?= )"), "=="),
    ("operator", re.compile(r"(?<= )\+(?= )"), "-"),
    ("operator", re.compile(r"(?<= )-(?= )"), "+"),
    ("and, or", re.compile(r"(?<= )&&(?= )"), "||"),
    ("and, or", re.compile(r"(?<= )\|\|(?= )"), "&&"),
    ("off by one", re.compile(r"(?<= )[-+] 1(?=[;,)\] ])"), ""),
    ("constant", re.compile(r"(?<=[ (\[])1(?=[;,)\] ])"), "2"),
    ("constant", re.compile(r"(?<=[ (\[])0(?=[;,)\] ])"), "1"),
    ("condition negated", re.compile(r"(?<=\bif \()!(?=\w)"), ""),
    ("condition negated", re.compile(r"(?<=\bif \()(?=[\w.]+\) )"), "!"),
)
_CPP = (
    ("constant", re.compile(r"\btrue\b"), "false"),
    ("constant", re.compile(r"\bfalse\b"), "true"),
    ("initial value", re.compile(r"(?<= = )0(?=;)|(?<=\w\{)0(?=\};)"), "1"),
    ("statement dropped", re.compile(r"(?m)^ +[\w.\->\[\]]+ (?:\+|-|\|)?= [^;{}\n]+;$"), " "),
    ("statement dropped", re.compile(r"(?m)^ +[a-z][\w.\->]*\([^;{}\n]*\);$"), " "),
    ("statement dropped", re.compile(r"(?m)^ +(?:continue|break|return);$"), " "),
)
_HARDWARE = (
    ("wrong reset", re.compile(r"(?<=<= )'0(?=;)"), "'1"),
    ("wrong reset", re.compile(r"(?<=<= )1'b0(?=;)"), "1'b1"),
    ("constant", re.compile(r"1'b1\b"), "1'b0"),
    ("operator", re.compile(r"(?<= )&(?= )"), "|"),
    ("operator", re.compile(r"(?<= )\|(?= )"), "&"),
    ("condition negated", re.compile(r"(?<=[( =])!(?=\w)"), ""),
    ("statement dropped", re.compile(r"(?m)^ +\w+(?:\[[^\]\n]+\])? <?= [^;{}\n]+;$"), " "),
)
_NO_CODE = re.compile(
    r"`ifdef (?:FORMAL|LIG_RULES)\b.*?^ *`(?:endif|else)|\$fatal\(.*?\);"
    r'|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|^ *(?:#|`|template|using|import)[^\n]*$',
    re.DOTALL | re.MULTILINE,
)
_DECLARED = re.compile(r"^\s*(?:const|constexpr|auto|static|localparam|parameter|input|output)\b")


def faults_in_text(file: str, source: str) -> Iterator[Fault]:
    """Yield the faults of a C++ or SystemVerilog file."""
    bare = _NO_CODE.sub(lambda m: re.sub(r"[^\n]", "\x01", m.group()), source)
    hardware = Path(file).suffix in (".sv", ".svh")
    for kind, pattern, becomes in _BOTH + (_HARDWARE if hardware else _CPP):
        for match in pattern.finditer(bare):
            begin = source.rfind("\n", 0, match.start()) + 1
            if _DECLARED.match(source[begin:]) and kind in ("statement dropped", "constant"):
                continue
            if hardware and match.group() == "<=" and not _compares(bare[begin : match.start()]):
                continue
            yield Fault(file, kind, match.start(), match.end(), becomes)


def _compares(before: str) -> bool:
    """Say whether `<=` after this part of a line of SystemVerilog compares, or else assigns."""
    return before.count("(") > before.count(")") or re.search(r" = |\breturn\b", before) is not None
