# SPDX-License-Identifier: Apache-2.0
"""Generate what a mapped graph needs: one back-end folder per kind of device."""
