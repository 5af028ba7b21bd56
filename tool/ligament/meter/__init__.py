# SPDX-License-Identifier: Apache-2.0
"""Energy of a run, where the machine has a meter; `no meter` and why, where it has none.

from ligament.meter import EnergyMeter
meter = EnergyMeter()
meter.start(); ...; meter.sample(); ...; record = meter.stop()
"""

from ligament.meter.meter import EnergyMeter

__all__ = ["EnergyMeter"]
