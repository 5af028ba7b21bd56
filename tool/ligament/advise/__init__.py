# SPDX-License-Identifier: Apache-2.0
"""What to change in a graph so that its chain is faster, and by how much: `ligament advise`.

`jobs` reads a trace, `replay` runs it again with a change, `changes` says what could be changed,
`predict` puts them together; DESIGN.md 3.14 has the model and its limits.
"""
