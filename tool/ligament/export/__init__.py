# SPDX-License-Identifier: Apache-2.0
"""Exports: a folder from which a board's tools build the FPGA design of a variant.

result = export(request, "fusesoc")     # spec/export/export.schema.json, kept in export.json

spec/device/board.md is the contract of what is in every folder; a target adds what its tools read.
"""

from ligament.export.stage import Asked, Exported, export

__all__ = ["Asked", "Exported", "export"]
