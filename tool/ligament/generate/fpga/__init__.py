# SPDX-License-Identifier: Apache-2.0
"""Back-end of devices of kind `fpga`."""
