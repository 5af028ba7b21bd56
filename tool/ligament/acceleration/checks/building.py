# SPDX-License-Identifier: Apache-2.0
"""What is about building and about the verbs themselves."""

from __future__ import annotations

import inspect
import sys
from pathlib import Path

from ligament.acceleration import frame
from ligament.acceleration.capabilities import NO, NOT_HERE, YES, Check, Context, Verdict
from ligament.acceleration.verbs import verb_names
from ligament.doctor.checks import CHECKS as PARTS
from ligament.new import write_new
from ligament.resources import prefix

_LISTS = """cmake_minimum_required(VERSION 3.22)
project(conformance_kernel LANGUAGES CXX)
find_package(ligament REQUIRED)
acceleration_kernel(NAME scale FILE scale.cpp INCLUDE include)
"""


def _configured(context: Context, source: Path) -> Path:
    build = source / "build"
    options = (f"-DCMAKE_PREFIX_PATH={prefix()}", f"-DLIGAMENT_PYTHON={sys.executable}")
    context.run("cmake", "-S", source, "-B", build, "-GNinja", *options)
    context.run("cmake", "--build", build)
    context.run("cmake", "--install", build, "--prefix", source / "install")
    return source / "install"


def _lacking() -> str:
    return next((p.name for p in PARTS if p.required and p.probe() is None), "")


def ament(context: Context) -> Verdict:
    """A new package builds its kernels as targets, and is installed with its entry of the index."""
    if lacks := _lacking():
        return Verdict(NOT_HERE, f"this machine lacks {lacks}")
    folder = context.folder / "conformance_package"
    if not folder.exists():
        write_new("package", folder)
        lists = folder / "CMakeLists.txt"
        kinds = ["cpu", *sorted(context.kinds() & {"gpu", "fpga"})]
        declared = lists.read_text(encoding="utf-8").replace(
            "node.yaml)", f"node.yaml IMPLEMENTATIONS {' '.join(kinds)})"
        )
        # The graph is run by other checks.
        kept = [line for line in declared.splitlines() if "ligament_add_graph" not in line]
        lists.write_text("\n".join(kept) + "\n", encoding="utf-8")
    installed = _configured(context, folder)
    index = installed / "share" / "ament_index" / "resource_index" / "ligament" / folder.name
    libraries = sorted(path.name for path in (installed / "lib" / folder.name).glob("*.so"))
    if not index.is_file() or not libraries:
        return Verdict(NO, f"installed: {', '.join(libraries) or 'no library'}; index: {index}")
    text = f"ligament_add_node built and installed {', '.join(libraries)}, and its index entry"
    return Verdict(YES, text, ("ligament new package P", "cmake --build", "cmake --install"))


def generic_macro(context: Context) -> Verdict:
    """The draft's macro makes a target of a kernel in C++, and a fault in the kernel fails it."""
    if lacks := _lacking():
        return Verdict(NOT_HERE, f"this machine lacks {lacks}")
    folder = context.folder / "kernel"
    (folder / "include").mkdir(parents=True, exist_ok=True)
    (folder / "CMakeLists.txt").write_text(_LISTS, encoding="utf-8")
    (folder / "include" / "factor.h").write_text("#define FACTOR 3\n", encoding="utf-8")
    source = '#include "factor.h"\nvoid scale(const int* in, int* out) { *out = *in * FACTOR; }\n'
    (folder / "scale.cpp").write_text(source, encoding="utf-8")
    installed = _configured(context, folder)
    libraries = sorted(path.name for path in (installed / "lib").rglob("*.a"))
    ran = ("acceleration_kernel(NAME scale FILE scale.cpp INCLUDE include)", "cmake --build")
    if not libraries:
        return Verdict(NO, "the kernel's target installed no library", ran)
    return Verdict(YES, f"a target that built and installed {', '.join(libraries)}", ran)


def verb_help(context: Context) -> Verdict:
    """Each verb has a line, an explanation and a text for each argument."""
    bare = []
    for name in verb_names():
        verb, parser = frame.load_verb(name), frame.parser_of(name, "colcon acceleration")
        silent = [a.dest for a in parser._actions if not a.help]
        if not verb.HELP or len(inspect.getdoc(verb) or "") < 40 or silent:
            bare.append(name)
    if bare:
        return Verdict(NO, f"unexplained: {', '.join(bare)}")
    text = f"{len(verb_names())} verbs, each with a line, an explanation and its arguments"
    return Verdict(YES, text, ("colcon acceleration VERB --help",))


def published_examples(context: Context) -> Verdict:
    """They call macros of vendors' packages, which need the vendors' tools."""
    return Verdict(NO, "they call vendors' macros; Ligament runs examples of its own")


CHECKS: dict[str, Check] = {
    "ament": ament,
    "generic-macro": generic_macro,
    "verb-help": verb_help,
    "published-examples": published_examples,
}
