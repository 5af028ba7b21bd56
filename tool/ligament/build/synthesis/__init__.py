# SPDX-License-Identifier: Apache-2.0
"""Synthesis of generated designs with open tools: area per part against a budget, and timing.

result = synthesise(variant_folder)     # spec/build/synthesis.schema.json, kept in synthesis.json
known(variant_folder)                   # the same, if it is of the sources as they are now
"""

from ligament.build.synthesis.stage import known, over_budget, synthesise

__all__ = ["known", "over_budget", "synthesise"]
