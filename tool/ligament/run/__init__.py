# SPDX-License-Identifier: Apache-2.0
"""Run a built graph: containers, their life, their figures, run.json."""
