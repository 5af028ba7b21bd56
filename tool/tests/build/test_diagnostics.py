# SPDX-License-Identifier: Apache-2.0
"""Which of a compiler's lines are shown, and in which order."""

from __future__ import annotations

from pathlib import Path

from ligament.build.diagnostics import as_text, find_errors, overflows

GCC = """\
[1/3] Building CXX object a.o
FAILED: a.o
/usr/bin/c++ -o a.o -c /home/me/nodes/a.cpp
In file included from /home/me/nodes/a.cpp:3:
/opt/ligament/include/ligament/node.hpp:40:12: error: static assertion failed: callback
   40 |   static_assert(x);
/usr/include/c++/12/bits/move.h:204:11: error: no matching function
  204 |       swap(_Tp& __a, _Tp& __b)
/home/me/nodes/a.cpp: In member function 'void A::f()':
/home/me/nodes/a.cpp:17:5: error: 'publisher' was not declared in this scope
   17 |     publisher->publish(m);
      |     ^~~~~~~~~
[2/3] Building CXX object b.o
ninja: build stopped: subcommand failed.
"""
TOO_LARGE = """\
[2/2] Linking C executable mcu0.elf
FAILED: mcu0.elf
: && arm-none-eabi-gcc -T an386.ld -o mcu0.elf image.o
/usr/arm-none-eabi/bin/ld: mcu0.elf section `.text' will not fit in region `code'
/usr/arm-none-eabi/bin/ld: mcu0.elf section `.bss' will not fit in region `data'
/usr/arm-none-eabi/bin/ld: region `code' overflowed by 48 bytes
/usr/arm-none-eabi/bin/ld: region `data' overflowed by 998976 bytes
collect2: error: ld returned 1 exit status
ninja: build stopped: subcommand failed.
"""
OWN = [Path("/home/me/nodes")]


def test_the_users_own_file_comes_first() -> None:
    errors = find_errors(GCC, OWN)
    assert errors[0].file == "/home/me/nodes/a.cpp"
    assert errors[0].lines[0].startswith("/home/me/nodes/a.cpp:17:5: error:")
    assert "publisher->publish(m);" in as_text(errors[:1])
    assert len(errors) == 3


def test_nothing_of_the_next_command_is_taken_along() -> None:
    text = as_text(find_errors(GCC, OWN))
    assert "[2/3]" not in text and "ninja:" not in text


def test_an_error_below_the_users_folder_only_by_prefix_is_not_the_users() -> None:
    output = GCC.replace("/home/me/nodes/a.cpp:17", "/home/me/nodes2/a.cpp:17")
    assert find_errors(output, OWN)[0].file.startswith("/opt/ligament")


def test_linker_and_cmake_errors_are_found() -> None:
    output = (
        "/usr/bin/ld: a.o: in function `f()':\n"
        "/home/me/nodes/a.cpp:20: undefined reference to `golden::scaled(double)'\n"
        "collect2: error: ld returned 1 exit status\n"
    )
    assert "undefined reference to `golden::scaled" in as_text(find_errors(output, OWN))
    output = (
        "CMake Error at CMakeLists.txt:9 (find_package):\n"
        '  Could not find a package configuration file provided by "Nowhere"\n'
    )
    assert "Nowhere" in as_text(find_errors(output, OWN))


def test_a_mistake_in_a_core_is_found() -> None:
    output = (
        "[1/4] verilating my_nodes-blur\n"
        "%Warning-LATCH: /home/me/nodes/blur.sv:12:3: Latch inferred for signal 'blur.sum'\n"
        "   12 |   always_comb begin\n"
        "%Error: Exiting due to 1 warning(s)\n"
        "ninja: build stopped: subcommand failed.\n"
    )
    text = as_text(find_errors(output, OWN))
    assert text.startswith("%Warning-LATCH: /home/me/nodes/blur.sv:12:3:")
    assert "always_comb" in text and "Exiting" not in text and "ninja:" not in text


def test_at_most_some_errors_are_shown() -> None:
    output = "".join(f"/home/me/nodes/a.cpp:{n}:1: error: number {n}\n" for n in range(1, 100))
    errors = find_errors(output, OWN, limit=5)
    assert [e.lines[0].rsplit(" ", 1)[1] for e in errors] == ["1", "2", "3", "4", "5"]


def test_what_does_not_fit_is_told_once_per_region_with_its_excess() -> None:
    lines = as_text(find_errors(TOO_LARGE, OWN)).splitlines()
    assert [line.partition("ld: ")[2] for line in lines if "overflowed" in line] == [
        "region `code' overflowed by 48 bytes",
        "region `data' overflowed by 998976 bytes",
    ]
    assert overflows(TOO_LARGE) and not overflows(GCC)
