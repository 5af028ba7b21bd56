// SPDX-License-Identifier: Apache-2.0
/// \file What the tests of programs share: memory that a device takes, and each device model.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <ligament/gpu.hpp>
#include <memory>

namespace ligament::gpu::test {

/// Device memory wants aligned pointers, as the pool's are.
struct alignas(4096) Bytes {
  std::array<std::byte, 4096> data{};
};

class OnEachModel : public testing::TestWithParam<Model> {
 protected:
  static std::unique_ptr<Program> open(const ProgramDescription& description) {
    Settings settings;
    settings.model = GetParam();
    auto program = Program::open(description, settings);
    EXPECT_TRUE(program) << program.error().text;
    return program ? std::move(*program) : nullptr;
  }
};

inline const auto each_model = testing::Values(Model::automatic, Model::standard_copy);
inline const auto name_of_model = [](const testing::TestParamInfo<Model>& model) {
  return model.param == Model::automatic ? "automatic" : "standard_copy";
};

}  // namespace ligament::gpu::test
