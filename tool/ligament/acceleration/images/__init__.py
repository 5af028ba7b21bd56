# SPDX-License-Identifier: Apache-2.0
"""Disk images of a platform, from its sources to a console in QEMU (spec/platform/images.md)."""
