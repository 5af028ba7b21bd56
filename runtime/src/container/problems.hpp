// SPDX-License-Identifier: Apache-2.0
/// \file Reading a JSON document against what is expected, collecting every mistake with its place.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace ligament::container {

using Json = nlohmann::json;

/// Sentences of the form `FILE: /nodes/0/library: expected a string, found 3`.
class Problems {
 public:
  explicit Problems(std::string file) : file_(std::move(file)) {}
  /// `pointer`: a JSON pointer; empty for the document itself.
  void add(const std::string& pointer, const std::string& text);
  [[nodiscard]] const std::vector<std::string>& sentences() const { return sentences_; }

 private:
  std::string file_;
  std::vector<std::string> sentences_;
};

/// `base` + `/key`, with the escapes of JSON pointers.
[[nodiscard]] std::string pointer_to(const std::string& base, std::string_view key);
/// The value as it stands, cut to a readable length.
[[nodiscard]] std::string shown(const Json& value);

/// One object being read. A key that nobody asks for is a mistake, told by finish().
class ObjectReader {
 public:
  /// The value is taken as an empty object, and a problem noted, if it is none.
  ObjectReader(const Json& value, std::string pointer, Problems& problems);

  /// Null where the key is missing; a problem is noted unless it may be.
  enum class Need : std::uint8_t { required, optional };
  const Json* member(const std::string& key, Need need);

  void text(const std::string& key, std::string& out, Need need = Need::required);
  /// One of `allowed`.
  void choice(const std::string& key, const std::vector<std::string>& allowed, std::string& out,
              Need need = Need::optional);
  /// Optional; false where it is left out.
  [[nodiscard]] bool flag(const std::string& key);
  void whole_number(const std::string& key, std::int64_t low, std::int64_t high, std::int64_t& out,
                    Need need = Need::optional);
  void number(const std::string& key, double low, double& out, Need need = Need::optional);
  /// Calls `read(element, pointer)` for each.
  using ReadElement = std::function<void(const Json&, const std::string&)>;
  void list(const std::string& key, const ReadElement& read, Need need = Need::required);
  /// Calls `read(name, value, pointer)` for each.
  using ReadEntry = std::function<void(const std::string&, const Json&, const std::string&)>;
  void map(const std::string& key, const ReadEntry& read, Need need = Need::required);

  void finish();
  [[nodiscard]] std::string at(std::string_view key) const { return pointer_to(pointer_, key); }
  void expected_but_found(const std::string& key, const std::string& what, const Json& found);

 private:
  /// Null where the key is missing or its value is of another type.
  const Json* member_of(Json::value_t type, const std::string& key, Need need);

  const Json* object_;
  std::string pointer_;
  Problems& problems_;
  std::vector<std::string> known_;
};

}  // namespace ligament::container
