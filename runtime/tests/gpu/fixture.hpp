// SPDX-License-Identifier: Apache-2.0
/// \file What the tests of programs share: memory that a device takes, and each back-end with each
/// device model. CUDA runs on its twin (twin/twin.hpp) everywhere, and on a GPU where there is one;
/// OpenCL on the device that there is, and on that as if it were a GPU (opencl_shim.hpp).
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <ligament/gpu.hpp>
#include <memory>
#include <optional>
#include <string>

#include "gpu/cuda/driver.hpp"
#include "opencl_shim.hpp"
#include "twin/twin.hpp"

namespace ligament::gpu::test {

/// Device memory wants aligned pointers, as the pool's are.
struct alignas(4096) Bytes {
  std::array<std::byte, 4096> data{};
};

enum class Where : std::uint8_t { opencl, opencl_integrated, cuda_twin, cuda };

struct Target {
  const char* name = "";
  Where where = Where::opencl;
  Model model = Model::automatic;
};

/// A variable of the environment as whoever runs the tests has it.
class Inherited {
 public:
  explicit Inherited(const char* name, const char* otherwise = nullptr) : name_(name) {
    const char* value = std::getenv(name);
    value = value == nullptr ? otherwise : value;
    value_ = value == nullptr ? std::optional<std::string>() : std::optional<std::string>(value);
  }
  void restore() const { (void)(value_ ? ::setenv(name_, value_->c_str(), 1) : ::unsetenv(name_)); }

 private:
  const char* name_;
  std::optional<std::string> value_;
};
inline const Inherited cuda_driver("LIGAMENT_CUDA_DRIVER");
/// Else Python's, which dev/setup --test installs, else the system's.
inline const Inherited cuda_compiler("LIGAMENT_NVRTC",
                                     std::ifstream(NVRTC_LIBRARY) ? NVRTC_LIBRARY : nullptr);

/// The program's drivers from here on: the twin as `setup` says, else those that are installed.
inline void choose_drivers(Where where, const char* setup = "") {
  opencl_repair();
  opencl_looks(where == Where::opencl_integrated ? Looks::integrated : Looks::itself);
  if (where == Where::cuda_twin) {
    ::setenv("LIGAMENT_CUDA_DRIVER", CUDA_TWIN_LIBRARY, 1);
    ::setenv("LIGAMENT_NVRTC", CUDA_TWIN_LIBRARY, 1);
    ::setenv("CUDA_TWIN", setup, 1);
    cuda_twin_repair();
  } else {
    cuda_driver.restore();
    cuda_compiler.restore();
  }
}

/// Why there is nothing that CUDA's tests could run on; empty: there is. A compiler that is missing
/// or a program that does not open is no such reason, but a failure.
inline std::string lacks_gpu() {
  const auto driver = cuda::load_driver();
  int count = 0;
  const bool is_there = driver && (*driver)->device_count(&count) == cuda::status::success;
  return !driver                 ? driver.error().text
         : is_there && count > 0 ? ""
                                 : "the CUDA driver finds no device";
}

/// Why a GPU cannot work in place on what a subscription maps; empty: it can.
inline std::string lacks_read_only_memory() {
  const auto driver = cuda::load_driver();
  cuda::Ordinal device = 0;
  int value = 0;
  const bool is_known =
      driver && (*driver)->device_get(&device, 0) == cuda::status::success &&
      (*driver)->device_attribute(&value, cuda::Attribute::read_only_host_register, device) ==
          cuda::status::success;
  return is_known && value != 0
             ? ""
             : "the GPU here does not register memory that a process may only read, as a "
               "subscription's is";
}

inline bool is_opencl(Where where) {
  return where == Where::opencl || where == Where::opencl_integrated;
}

inline Settings settings_of(const Target& target) {
  Settings settings;
  settings.backend = is_opencl(target.where) ? Backend::opencl : Backend::cuda;
  settings.model = target.model;
  return settings;
}

inline constexpr const char* times_three = R"(
__kernel void triple(const __global uchar* in, __global uchar* out) {
  out[get_global_id(0)] = in[get_global_id(0)] * 3;
}
)";

/// Of one back-end, on a device by name.
inline Settings settings_on(Backend backend, const std::string& device = {}) {
  Settings settings;
  settings.backend = backend;
  settings.device = device;
  return settings;
}

class OnEachModel : public testing::TestWithParam<Target> {
 protected:
  void SetUp() override {
    choose_drivers(GetParam().where);
    if (GetParam().where != Where::cuda) {
      return;
    }
    if (const std::string lack = lacks_gpu(); !lack.empty()) {
      GTEST_SKIP() << lack;
    }
    const auto program = Program::open({}, settings_of(GetParam()));
    if (!program && program.error().code == ErrorCode::setting) {  // it has no such model
      GTEST_SKIP() << program.error().text;
    }
  }
  void TearDown() override { choose_drivers(Where::opencl); }

  static std::unique_ptr<Program> open(const ProgramDescription& description) {
    return open(description, settings_of(GetParam()));
  }
  static std::unique_ptr<Program> open(const ProgramDescription& description,
                                       const Settings& settings) {
    auto program = Program::open(description, settings);
    EXPECT_TRUE(program) << program.error().text;
    return program ? std::move(*program) : nullptr;
  }
};

inline const auto each_model =
    testing::Values(Target{"opencl_automatic", Where::opencl, Model::automatic},
                    Target{"opencl_standard_copy", Where::opencl, Model::standard_copy},
                    Target{"opencl_unified_memory", Where::opencl, Model::unified_memory},
                    Target{"opencl_integrated", Where::opencl_integrated, Model::zero_copy},
                    Target{"cuda_twin_zero_copy", Where::cuda_twin, Model::zero_copy},
                    Target{"cuda_twin_standard_copy", Where::cuda_twin, Model::standard_copy},
                    Target{"cuda_twin_unified_memory", Where::cuda_twin, Model::unified_memory},
                    Target{"cuda_zero_copy", Where::cuda, Model::zero_copy},
                    Target{"cuda_standard_copy", Where::cuda, Model::standard_copy},
                    Target{"cuda_unified_memory", Where::cuda, Model::unified_memory});
inline const auto each_in_place =
    testing::Values(Target{"opencl", Where::opencl, Model::automatic},
                    Target{"cuda_twin", Where::cuda_twin, Model::zero_copy},
                    Target{"cuda", Where::cuda, Model::zero_copy});
inline const auto name_of_model = [](const testing::TestParamInfo<Target>& target) {
  return std::string(target.param.name);
};

}  // namespace ligament::gpu::test
