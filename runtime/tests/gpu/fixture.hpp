// SPDX-License-Identifier: Apache-2.0
/// \file What the tests of programs share: memory that a device takes, and each back-end with each
/// device model. CUDA runs on its twin (twin/twin.hpp) everywhere, and on a GPU where there is one;
/// OpenCL on the device that there is, and on that as if it were a GPU (opencl_shim.hpp).
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <ligament/gpu.hpp>
#include <memory>

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
    ::unsetenv("LIGAMENT_CUDA_DRIVER");
    ::unsetenv("LIGAMENT_NVRTC");
  }
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
    if (GetParam().where == Where::cuda) {
      const auto program = Program::open({}, settings_of(GetParam()));
      if (!program && (program.error().code == ErrorCode::unavailable ||
                       program.error().code == ErrorCode::setting)) {
        GTEST_SKIP() << program.error().text;
      }
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
