# SPDX-License-Identifier: Apache-2.0
"""A running graph seen live: `find` which run, `tail` its status lines, `figures`, `terminal`.

Everything comes from what the containers count anyway and write once a second: nothing is traced,
nothing is added to a message's way, and nobody who only looks can disturb the run.
"""
