// SPDX-License-Identifier: Apache-2.0
/// \file What generated nodes with kernels have in common: the program, and telling once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ligament/gpu.hpp>
#include <ligament/gpu_expression.hpp>
#include <ligament/node.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ligament::gpu {

/// A node whose callback launches kernels. A node that could not open its program has an error that
/// says why; it never runs.
class KernelNode : public Node {
 public:
  KernelNode(const std::string& name, const NodeOptions& options,
             const ProgramDescription& description)
      : Node(name, options) {
    auto settings = settings_from_environment();
    auto program =
        settings ? Program::open(description, *settings)
                 : Result<std::unique_ptr<Program>>(unexpected<Error>(std::move(settings.error())));
    if (!program) {
      report_error(program.error().text);
      return;
    }
    program_ = std::move(*program);
  }

 protected:
  /// False, and told, where a launch failed: the message's output is dropped.
  bool run(std::span<const Launch> launches) {
    if (program_ == nullptr) {
      return false;
    }
    const auto done = program_->run(launches);
    if (!done) {
      refuse(done.error().text);
    }
    return done.has_value();
  }

  /// A message gives no output: reports the first of each reason.
  void refuse(const std::string& why) {
    for (const std::string& told : told_) {
      if (told == why) {
        return;
      }
    }
    constexpr std::size_t most_reasons = 32;
    if (told_.size() < most_reasons) {
      told_.push_back(why);
      report_error("a message gives no output: " + why);
    }
  }

  [[nodiscard]] const Program* program() const { return program_.get(); }

 private:
  std::unique_ptr<Program> program_;
  std::vector<std::string> told_;
};

}  // namespace ligament::gpu
