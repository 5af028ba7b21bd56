# SPDX-License-Identifier: Apache-2.0
"""Expressions of kernels' manifests: their types, their C++, and what they mean once compiled."""

from __future__ import annotations

import math
import shutil
import subprocess
from pathlib import Path

import pytest

from ligament.graph.message_names import FieldInfo, MessageCatalog
from ligament.kernels.expressions import (
    FLAG,
    FRACTION,
    INTEGER,
    TEXT,
    ExpressionError,
    Scope,
    Typed,
    is_numbers,
    translate,
)
from ligament.resources import spec_dir

IMAGE = {
    "height": FieldInfo("", "plain", "uint32"),
    "gain": FieldInfo("", "plain", "float64"),
    "encoding": FieldInfo("", "unbounded", "string"),
    "data": FieldInfo("", "unbounded", "uint8[]", is_chosen=True),
    "matrix": FieldInfo("", "plain", "float64[9]"),
    "header": FieldInfo("case/msg/Header", "plain", "case/msg/Header"),
}
HEADER = {"stamp": FieldInfo("", "plain", "int32")}
CATALOG = MessageCatalog({"case/msg/Image": IMAGE, "case/msg/Header": HEADER})
SCOPE = Scope(
    CATALOG,
    {"image": Typed("in_image", "message", "case/msg/Image"), "rows": Typed("value_rows", INTEGER)},
    {"scale": Typed("parameter_scale", FRACTION)},
)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("1", INTEGER),
        ("1.5", FRACTION),
        ("'rgb8'", TEXT),
        ("True", FLAG),
        ("image.height + 1", INTEGER),
        ("image.height / 2", FRACTION),
        ("image.height // 2", INTEGER),
        ("image.height * parameters.scale", FRACTION),
        ("round(image.height * parameters.scale)", INTEGER),
        ("len(image.data) - len(image.encoding)", INTEGER),
        ("image.encoding in ('rgb8', 'bgr8') and not rows < 0", FLAG),
        ("1 < rows <= 3", FLAG),
        ("rows if rows > 1 else 1.5", FRACTION),
        ("min(rows, 3, image.header.stamp)", INTEGER),
        ("max(rows, 2.0)", FRACTION),
        ("abs(-image.gain)", FRACTION),
        ("image.data", "array of uint8"),
        ("image.data[rows - 1]", INTEGER),
        ("image.matrix[0] * rows", FRACTION),
        ("any(image.matrix)", FLAG),
        ("image.header", "message"),
    ],
)
def test_each_form_has_a_type(text: str, kind: str) -> None:
    assert translate(text, SCOPE).type == kind


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "this is no expression"),
        ("rows +", "this is no expression"),
        ("row", "there is no name 'row'"),
        ("image.data[0.5]", "an index is an integer, not a fraction"),
        ("image.encoding[0]", "an array of numbers is needed here, not a text"),
        ("any(rows)", "an array of numbers is needed here, not an integer"),
        ("image.width", "a case/msg/Image has no field 'width'"),
        ("parameters.scal", "there is no parameter 'scal'"),
        ("image.encoding + 1", "a number is needed here, not a text"),
        ("rows and True", "a condition is needed here, not an integer"),
        ("rows == 'a'", "an integer and a text do not compare"),
        ("rows in (1, 'a')", "an integer and a text do not compare"),
        ("rows in image", "after `in` comes a list"),
        ("rows if rows else 1", "a condition is needed here"),
        ("len(rows)", "an integer has no length"),
        ("open('/etc/passwd')", "there is no function 'open'"),
        ("image.__class__", "has no field '__class__'"),
        ("(lambda: 1)()", "there is no function"),
        ("[x for x in (1, 2)]", "this form is not allowed here"),
        ("rows ** 2", "there is no such operation"),
        ("1 << 2", "there is no such operation"),
        ("9999999999999999999", "this value is not allowed"),
        ("1e999", "this value is not allowed"),
        ("None", "this value is not allowed"),
        ("min()", "at least one value"),
        ("(" * 5000, "this is no expression"),
        ("a\x00b", "this is no expression"),
    ],
)
def test_what_is_wrong_is_said(text: str, said: str) -> None:
    with pytest.raises(ExpressionError) as raised:
        translate(text, SCOPE)
    assert said in str(raised.value)


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("rows + )", 7),
        ("rows + row", 7),
        ("1 + image.width", 4),
        ("a\x00b", 0),
    ],
)
def test_a_mistake_has_its_column(text: str, column: int) -> None:
    with pytest.raises(ExpressionError) as raised:
        translate(text, SCOPE)
    assert raised.value.column == column


def test_arrays_of_numbers_are_told_from_others() -> None:
    kinds = ["array of uint8", "array of float64", "array of string", "array of bool", INTEGER]
    assert [is_numbers(Typed("x", kind)) for kind in kinds] == [True, True, False, False, False]


def test_the_nearest_name_is_offered() -> None:
    with pytest.raises(ExpressionError) as raised:
        translate("image.heigth", SCOPE)
    assert "height" in raised.value.hint


#: Expressions whose value Python itself gives.
VALUES = (
    *("7 // -2", "7 % -2", "-7 // 2", "-7 % 2", "7 / 2", "1 + 2 * 3", "-(3 - 5)"),
    *("round(2.5)", "round(3.5)", "round(-0.5)", "floor(-1.5)", "ceil(-1.5)", "int(-1.9)"),
    *("abs(-3)", "min(3, 2.5)", "max(1, 2, 3)", "7.5 // 2", "-7.5 % 2"),
    *("1 if 2 < 3 <= 3 else 0", "1 if 'a' in ('b', 'a') else 0", "1 if not 'a' == 'b' else 0"),
    *("1 if (1 > 2 or 2 > 1) and 'rgb8' != 'x' else 0", "len('größe')"),
)


def test_compiled_expressions_mean_what_they_mean_in_python(tmp_path: Path) -> None:
    compiler = shutil.which("c++")
    if compiler is None:
        pytest.skip("no C++ compiler")
    lines = "\n".join(
        f'  std::printf("%.17g\\n", double({translate(text, Scope(CATALOG)).cpp}));'
        for text in VALUES
    )
    source = tmp_path / "values.cpp"
    source.write_text(
        "#include <algorithm>\n#include <cstdio>\n#include <string_view>\n"
        "#include <ligament/gpu_expression.hpp>\nnamespace gpu = ligament::gpu;\n"
        f"int main() {{\n  bool failed = false;\n{lines}\n  return failed;\n}}\n"
    )
    include = spec_dir().resolve().parent / "runtime" / "include"
    program = tmp_path / "values"
    command = [compiler, "-std=c++20", f"-I{include}", str(source), "-o", str(program)]
    subprocess.run(command, check=True, timeout=120)
    printed = subprocess.run([program], check=True, capture_output=True, text=True, timeout=60)
    names = {"floor": math.floor, "ceil": math.ceil}
    expected = [float(eval(t, names)) for t in VALUES if "größe" not in t]
    values = [float(line) for line in printed.stdout.split()]
    assert values[:-1] == expected
    assert values[-1] == len("größe".encode())  # a text's length is its bytes
