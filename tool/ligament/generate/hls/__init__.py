# SPDX-License-Identifier: Apache-2.0
"""Back-end of nodes in C++ for high-level synthesis, run natively (`sw_emu`)."""
