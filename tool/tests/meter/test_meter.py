# SPDX-License-Identifier: Apache-2.0
"""Energy meters on made-up sysfs trees with the kernel's layout, and on a stand-in for NVML."""

from __future__ import annotations

import ctypes
import os
import subprocess
from pathlib import Path

import pytest

from ligament.meter import EnergyMeter
from ligament.meter import meter as meters
from ligament.meter.nvml import nvml_sensors
from ligament.meter.sensors import Counter


class Clock:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def write(path: Path, text: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{text}\n")


def zone(
    sysfs: Path, name: str, title: str, energy: object, wraps_at: int = 262_143_328_850
) -> Path:
    """A zone as `powercap` shows it: in class/powercap every zone is a link to a flat name."""
    real = sysfs / "devices/virtual/powercap/intel-rapl" / name
    for file, text in (("name", title), ("energy_uj", energy), ("max_energy_range_uj", wraps_at),
                       ("enabled", 1)):  # fmt: skip
        write(real / file, text)
    link = sysfs / "class/powercap" / name
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(os.path.relpath(real, link.parent))
    return real / "energy_uj"


def hwmon(sysfs: Path, number: int, **files: object) -> Path:
    folder = sysfs / f"class/hwmon/hwmon{number}"
    for name, text in files.items():
        write(folder / name, text)
    return folder


def metered(sysfs: Path, clock: Clock) -> EnergyMeter:
    meter = EnergyMeter(sysfs, clock, nvml=False)
    meter.start()
    return meter


def test_a_machine_without_meters_says_so(tmp_path: Path) -> None:
    meter = metered(tmp_path, Clock())
    meter.sample()
    record = meter.stop()
    assert record["joules"] is None and record["meters"] == []
    assert record["text"].startswith("no meter")


def test_packages_and_memory_are_summed_and_parts_are_not(tmp_path: Path) -> None:
    (tmp_path / "class/powercap/intel-rapl").mkdir(parents=True)  # the control type itself
    files = {
        name: zone(tmp_path, name, title, 1_000_000)
        for name, title in (
            ("intel-rapl:0", "package-0"), ("intel-rapl:0:0", "core"), ("intel-rapl:0:1", "dram"),
            ("intel-rapl:1", "package-1"), ("intel-rapl:2", "psys"),
        )
    }  # fmt: skip
    clock = Clock()
    meter = metered(tmp_path, clock)
    for number, file in enumerate(files.values(), 1):
        file.write_text(f"{1_000_000 + number * 10_000_000}\n")
    clock.now += 2.5
    record = meter.stop()
    assert record["joules"] == pytest.approx(10 + 30 + 40)
    assert record["elapsed_ns"] == 2_500_000_000
    names = [m["name"] for m in record["meters"]]
    assert names == ["intel-rapl:0 package-0", "intel-rapl:0:1 dram", "intel-rapl:1 package-1"]
    assert "idling included" in record["text"]


def test_a_counter_that_begins_again_loses_nothing(tmp_path: Path) -> None:
    file = zone(tmp_path, "intel-rapl:0", "package-0", 99_000_000, wraps_at=100_000_000)
    clock = Clock()
    meter = metered(tmp_path, clock)
    for value in (3_000_000, 98_000_000, 5_000_000):  # +4 J, +95 J, +7 J
        file.write_text(f"{value}\n")
        clock.now += 21
        meter.sample()
    assert meter.stop()["joules"] == pytest.approx(106)


def test_counters_are_not_read_at_every_figure(tmp_path: Path) -> None:
    reads: list[int] = []
    counter = Counter("c", "rapl", lambda: reads.append(1) or len(reads), 1.0)
    clock = Clock()
    meter = EnergyMeter(tmp_path, clock, nvml=False)
    meter._sensors.append(counter)
    meter.start()
    for _ in range(40):
        clock.now += 0.25
        meter.sample()
    assert len(reads) == 1
    clock.now += 15
    meter.sample()
    assert len(reads) == 2


def test_a_counter_that_may_not_be_read_is_named(tmp_path: Path) -> None:
    zone(tmp_path, "intel-rapl:0", "package-0", 1)
    real = tmp_path / "devices/virtual/powercap/intel-rapl/intel-rapl:0/energy_uj"
    real.unlink()
    real.mkdir()  # reading it fails for root too, as a missing right does for others
    record = metered(tmp_path, Clock()).stop()
    assert record["joules"] is None
    assert record["text"].startswith("no meter that may be read: intel-rapl:0 package-0: ")


@pytest.mark.parametrize("text", ["", "many", "1e6", "12 J"])
def test_a_counter_that_holds_no_number_is_left_out(tmp_path: Path, text: str) -> None:
    zone(tmp_path, "intel-rapl:0", "package-0", text)
    good = zone(tmp_path, "intel-rapl:1", "package-1", 0)
    meter = metered(tmp_path, Clock())
    good.write_text("2000000\n")
    record = meter.stop()
    assert record["joules"] == pytest.approx(2.0)
    assert "intel-rapl:0 package-0" in record["text"]


def test_a_power_is_added_up_between_looks(tmp_path: Path) -> None:
    folder = hwmon(tmp_path, 3, name="ina260_u14", power1_input=5_000_000, curr1_input=900,
                   in1_input=5000)  # fmt: skip
    clock = Clock()
    meter = metered(tmp_path, clock)
    clock.now += 2
    write(folder / "power1_input", 7_000_000)
    meter.sample()
    clock.now += 1
    record = meter.stop()
    assert record["joules"] == pytest.approx(2 * 6.0 + 1 * 7.0)
    assert [m["name"] for m in record["meters"]] == ["ina260_u14 power1"]


def test_volts_times_amperes_and_the_board_s_input_is_the_sum(tmp_path: Path) -> None:
    """An INA3221 as on Jetson boards: three rails, of which the first feeds the others."""
    hwmon(tmp_path, 1, name="ina3221", in1_input=19_000, in1_label="VDD_IN", curr1_input=500,
          in2_input=19_000, in2_label="VDD_CPU_GPU_CV", curr2_input=100,
          in3_input=19_000, curr3_input=50, in7_label="Sum of shunt voltages")  # fmt: skip
    clock = Clock()
    meter = metered(tmp_path, clock)
    clock.now += 10
    record = meter.stop()
    assert record["joules"] == pytest.approx(19 * 0.5 * 10)
    assert [(m["name"], m["counted"]) for m in record["meters"]] == [
        ("ina3221 VDD_IN", True), ("ina3221 VDD_CPU_GPU_CV", False), ("ina3221 in3", False),
    ]  # fmt: skip


def test_a_chip_s_counter_goes_before_the_board_s_sensor(tmp_path: Path) -> None:
    file = zone(tmp_path, "intel-rapl:0", "package-0", 0)
    hwmon(tmp_path, 0, name="amd_energy", energy1_input=0, energy1_label="Esocket0")
    clock = Clock()
    meter = metered(tmp_path, clock)
    file.write_text("4000000\n")
    write(tmp_path / "class/hwmon/hwmon0/energy1_input", 9_000_000)
    record = meter.stop()
    assert record["joules"] == pytest.approx(4.0)
    assert [m["counted"] for m in record["meters"]] == [True, False]


def test_sensors_of_one_name_are_kept_apart(tmp_path: Path) -> None:
    for number in (0, 1):
        hwmon(tmp_path, number, name="amdgpu", power1_average=10_000_000 * (number + 1))
    clock = Clock()
    meter = metered(tmp_path, clock)
    clock.now += 1
    assert [m["joules"] for m in meter.stop()["meters"]] == pytest.approx([10, 20])


def test_other_hwmon_chips_are_no_meters(tmp_path: Path) -> None:
    hwmon(tmp_path, 0, name="coretemp", temp1_input=45_000)
    hwmon(tmp_path, 1, name="nct6775", in0_input=1200, fan1_input=900, curr5_input=3)
    assert metered(tmp_path, Clock()).stop()["meters"] == []


NVML = """
#include <string.h>
static unsigned long long energy = 1000;
int nvmlInit_v2(void) { return 0; }
int nvmlDeviceGetCount_v2(unsigned* count) { *count = 2; return 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  *device = (void*)(unsigned long)(index + 1);
  return 0;
}
int nvmlDeviceGetName(void* device, char* name, unsigned length) {
  strncpy(name, "Made-up GPU", length);
  return 0;
}
int nvmlDeviceGetTotalEnergyConsumption(void* device, unsigned long long* millijoules) {
  if ((unsigned long)device == 2) return 3; /* NVML_ERROR_NOT_SUPPORTED */
  *millijoules = energy;
  return 0;
}
void spend(unsigned long long millijoules) { energy += millijoules; }
"""


def test_the_driver_s_library_is_asked_with_its_own_signatures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, library = tmp_path / "nvml.c", tmp_path / "libnvidia-ml.so.1"
    source.write_text(NVML)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
    monkeypatch.setattr(meters, "nvml_sensors", lambda: nvml_sensors(str(library)))
    meter = EnergyMeter(tmp_path / "empty", Clock())
    meter.start()
    ctypes.CDLL(str(library)).spend(ctypes.c_ulonglong(2500))
    record = meter.stop()
    assert record["joules"] == pytest.approx(2.5)
    assert [m["name"] for m in record["meters"]] == ["gpu0 Made-up GPU"], "the old one has none"
    assert record["text"].endswith("gpu0 Made-up GPU, of the whole machine, idling included")


def test_without_a_driver_there_is_no_gpu_meter(tmp_path: Path) -> None:
    assert list(nvml_sensors(str(tmp_path / "nowhere.so"))) == []
    assert list(nvml_sensors("libc.so.6")) == [], "a library that is none of NVIDIA's"
