// SPDX-License-Identifier: Apache-2.0
/// \file The parameters of one node: declared ones with their values, and overrides waiting for
/// their declaration.
#pragma once

#include <ligament/parameter.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace ligament::detail {

class ParameterSet {
 public:
  /// A later override of the same name wins, as with ROS 2's files.
  void add_override(ParameterOverride value);

  /// Before the parameter is declared.
  void add_rule(const std::string& name, ParameterRule rule);

  /// The value in force, which keeps the rule: the override where there is one, else the default.
  /// The error is one sentence; the parameter is then declared with its default.
  expected<void, std::string> declare(const std::string& name, const ParameterValue& initial,
                                      const ParameterDescriptor& descriptor);
  [[nodiscard]] bool has(const std::string& name) const;
  /// The value, or a sentence with the nearest declared name.
  [[nodiscard]] expected<ParameterValue, std::string> get(const std::string& name) const;
  /// What is known of a declared parameter.
  struct Description {
    ParameterValue value;
    ParameterType type = ParameterType::not_set;
    ParameterDescriptor descriptor;  ///< completed by the rule
    ParameterRule rule;
  };
  [[nodiscard]] std::optional<Description> describe(const std::string& name) const;
  [[nodiscard]] SetParametersResult set(const std::vector<Parameter>& parameters);

  void add_callback(const std::shared_ptr<OnSetParametersCallback>& callback);
  [[nodiscard]] std::vector<std::string> names() const;
  /// One sentence for each override that the node never declared.
  [[nodiscard]] std::vector<std::string> undeclared_overrides() const;

 private:
  using Entry = Description;
  [[nodiscard]] expected<ParameterValue, std::string> checked(const std::string& name,
                                                              const Entry& entry,
                                                              const ParameterValue& value) const;
  expected<void, std::string> take_override(const std::string& name, Entry& entry);
  [[nodiscard]] expected<std::vector<ParameterValue>, std::string> all_checked(
      const std::vector<Parameter>& parameters) const;
  [[nodiscard]] std::string unknown(const std::string& name) const;

  mutable std::recursive_mutex mutex_;  // callbacks may read parameters
  std::map<std::string, Entry> entries_;
  std::map<std::string, ParameterOverride> overrides_;
  std::map<std::string, ParameterRule> rules_;
  std::vector<std::weak_ptr<OnSetParametersCallback>> callbacks_;
};

}  // namespace ligament::detail
