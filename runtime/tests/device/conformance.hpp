// SPDX-License-Identifier: Apache-2.0
/// \file The conformance suite of the device contract (spec/device/contract.md). Generic over
/// back-ends: a back-end says how it is opened and where its build of the reference program lies;
/// each check returns nothing, or what is wrong.
///
///   The reference program has the ports `in` and `out`, both std_msgs/msg/String. It answers each
///   text in capital letters, fails on a text that begins with '!', and takes 300 ms (of its own
///   time) on one that begins with '~'.
#pragma once

#include <functional>
#include <ligament/device.hpp>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace ligament::device::conformance {

/// A back-end under judgement.
struct Subject {
  std::string name;
  std::function<Result<std::unique_ptr<Device>>(const OpenOptions&)> open;
  Artefact program;               ///< the reference program
  std::vector<Artefact> invalid;  ///< files that exist, and are no artefacts of this device
};

inline void PrintTo(const Subject& subject, std::ostream* out) { *out << subject.name; }

/// What is wrong, or nothing.
using Verdict = std::optional<std::string>;

struct Check {
  const char* name;  ///< a word of the contract's table
  Verdict (*run)(const Subject&);
};

inline void PrintTo(const Check& check, std::ostream* out) { *out << check.name; }

/// All checks, in the order of the contract's page.
[[nodiscard]] const std::vector<Check>& checks();

}  // namespace ligament::device::conformance
