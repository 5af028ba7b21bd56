// SPDX-License-Identifier: Apache-2.0
/// \file A core of this chip that Linux starts and stops: remoteproc's folder in sysfs, as
/// /sys/class/remoteproc/remoteproc0. To write there a program needs rights.
#pragma once

#include <ligament/expected.hpp>
#include <string>

namespace ligament::xrce {

class Remoteproc {
 public:
  explicit Remoteproc(std::string folder) : folder_(std::move(folder)) {}

  /// "offline", "running", "crashed" and what else Linux knows; empty: it cannot be read.
  [[nodiscard]] std::string state() const;
  /// Starts it with an image, which Linux looks for in its firmware folders (/lib/firmware). One
  /// that runs, or has crashed, is stopped before.
  [[nodiscard]] expected<void, std::string> start(const std::string& firmware) const;
  [[nodiscard]] expected<void, std::string> stop() const;
  [[nodiscard]] const std::string& folder() const { return folder_; }

 private:
  [[nodiscard]] expected<void, std::string> write(const char* attribute,
                                                  const std::string& value) const;
  std::string folder_;
};

}  // namespace ligament::xrce
