# SPDX-License-Identifier: Apache-2.0
"""What all tests share."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# Hypothesis fails an example that takes over 200 ms, or is slow to make, and that depends on the
# machine's load; no test here may depend on time.
settings.register_profile("ligament", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("ligament")
