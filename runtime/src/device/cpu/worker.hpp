// SPDX-License-Identifier: Apache-2.0
/// \file One program of the CPU device: its ports, and what its thread does.
#pragma once

#include <ligament/device_program.h>

#include <ligament/device.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "device/work_thread.hpp"

namespace ligament::device {

class Worker final : public WorkThread {
 public:
  Worker(ProgramId id, std::string path, const ligament_program_t& program)
      : id_(id), path_(std::move(path)), program_(program) {}

  [[nodiscard]] std::vector<Port> ports() const;
  [[nodiscard]] Result<void> bind(pool::Domain& domain, const Binding& binding);
  [[nodiscard]] Result<void> check_bound() const;

 private:
  bool work() override;
  void process(pool::HeldSample sample);
  void fail(ErrorCode code, const std::string& why) { report(code, "'" + path_ + "' " + why); }

  ProgramId id_;
  std::string path_;
  const ligament_program_t& program_;
  std::unique_ptr<pool::Reader> reader_;
  std::unique_ptr<pool::Writer> writer_;
  std::string input_topic_;
  std::string output_topic_;
};

}  // namespace ligament::device
