# SPDX-License-Identifier: Apache-2.0
"""Planted faults: where one can be planted, whether the tests notice, and what was tried before.

`python` and `text` find the places, by language; `rooms` draws some of them; `trial` plants one and
runs the tests; `order` puts those first that call the function with it; `record` keeps the rows.
"""

CALLS = "LIGAMENT_TEST_CALLS"
"""The variable that names the file for what a run of the tests without a fault finds."""
FAULT = "LIGAMENT_TEST_FAULT"
"""The variable that says where the fault is: FILE:N, N the line at which its function begins."""
