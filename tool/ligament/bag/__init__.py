# SPDX-License-Identifier: Apache-2.0
"""Bags, which are recordings of running graphs: what the verbs `record` and `play` have in common.

The program `ligament-bag` (runtime/src/record) does the work; the tool tells it what message types
look like, shows how it goes, and says how it ended.
"""
