# SPDX-License-Identifier: Apache-2.0
"""Cores: nodes in hardware as their manifests describe them (spec/device/fpga.md)."""
