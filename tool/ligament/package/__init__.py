# SPDX-License-Identifier: Apache-2.0
"""Packages of nodes (spec/build/cmake.md): what CMake is told of them, and where they are found.

    python -m ligament.package node --manifest node.yaml --out DIR ...   # declare.py
    python -m ligament.package graph --file graph.yaml --out DIR ...     # graphs.py

`records.py` says what a library was made from; `index.py` finds what is installed.
"""
