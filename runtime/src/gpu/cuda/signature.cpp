// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/signature.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace ligament::gpu::cuda {
namespace {

using Tokens = std::vector<std::string_view>;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Behind a comment, a text or a line of the preprocessor that begins here; else `at`.
std::size_t behind_noise(std::string_view text, std::size_t at, bool is_line_begin) {
  const auto rest = text.substr(at);
  const auto behind = [&](std::string_view end, std::size_t from) {
    const auto found = text.find(end, at + from);
    return found == std::string_view::npos ? text.size() : found + end.size();
  };
  if (rest.starts_with("/*")) {
    return behind("*/", 2);
  }
  if (rest.starts_with("//") || (is_line_begin && rest.starts_with('#'))) {
    return behind("\n", 0) - 1;
  }
  if (rest.starts_with('"')) {
    std::size_t end = at + 1;
    while (end < text.size() && text[end] != '"') {
      end += text[end] == '\\' ? 2 : 1;
    }
    return std::min(end + 1, text.size());
  }
  return at;
}

Tokens tokens_of(std::string_view text) {
  Tokens tokens;
  bool is_line_begin = true;
  for (std::size_t at = 0; at < text.size();) {
    if (const auto behind = behind_noise(text, at, is_line_begin); behind > at) {
      at = behind;
      continue;
    }
    if (std::isspace(static_cast<unsigned char>(text[at])) != 0) {
      is_line_begin = is_line_begin || text[at] == '\n';
      ++at;
      continue;
    }
    is_line_begin = false;
    std::size_t end = at + 1;
    while (is_word(text[at]) && end < text.size() && is_word(text[end])) {
      ++end;
    }
    tokens.push_back(text.substr(at, end - at));
    at = end;
  }
  return tokens;
}

bool is_qualifier(std::string_view word) {
  constexpr std::array<std::string_view, 13> words{
      "const",      "volatile", "restrict", "__restrict__", "__restrict", "__global", "global",
      "__constant", "constant", "__local",  "local",        "__private",  "private"};
  return std::find(words.begin(), words.end(), word) != words.end();
}

Parameter parameter_of(std::span<const std::string_view> words) {
  Parameter parameter;
  std::string type;
  for (const std::string_view word : words) {
    parameter.is_buffer = parameter.is_buffer || word == "*" || word == "[";
  }
  const bool is_named = words.size() > 1 && is_word(words.back().front());
  for (const std::string_view word : is_named ? words.first(words.size() - 1) : words) {
    if (!is_qualifier(word)) {
      type += (type.empty() || word == "*" ? "" : " ") + std::string(word);
    }
  }
  parameter.name = is_named ? std::string(words.back()) : std::string();
  parameter.type = type;
  parameter.number = parameter.is_buffer ? NumberType::none : number_type(type);
  return parameter;
}

/// From behind the opening bracket.
std::vector<Parameter> parameters_of(std::span<const std::string_view> rest) {
  std::vector<Parameter> found;
  std::size_t begin = 0;
  std::size_t depth = 1;
  for (std::size_t i = 0; i < rest.size() && depth > 0; ++i) {
    depth += rest[i] == "(" ? 1U : 0U;
    depth -= rest[i] == ")" ? 1U : 0U;
    if (depth == 0 || (depth == 1 && rest[i] == ",")) {
      const auto words = rest.subspan(begin, i - begin);
      if (!words.empty() && !(words.size() == 1 && words.front() == "void")) {
        found.push_back(parameter_of(words));
      }
      begin = i + 1;
    }
  }
  return found;
}

bool is_mark(std::string_view word) {
  return word == "__kernel" || word == "kernel" || word == "__global__";
}

}  // namespace

std::vector<Signature> signatures_of(std::string_view text) {
  const Tokens tokens = tokens_of(text);
  const std::span all(tokens);
  std::vector<Signature> found;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!is_mark(tokens[i])) {
      continue;
    }
    // Attributes stand between the mark and `void`.
    const auto returned =
        std::find(tokens.begin() + static_cast<std::ptrdiff_t>(i), tokens.end(), "void");
    const auto name = static_cast<std::size_t>(returned - tokens.begin()) + 1;
    if (name + 1 < tokens.size() && tokens[name + 1] == "(") {
      found.push_back({std::string(tokens[name]), parameters_of(all.subspan(name + 2))});
    }
  }
  return found;
}

std::optional<Signature> find_signature(const std::vector<Signature>& all, std::string_view name) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Signature& one) { return one.name == name; });
  return found == all.end() ? std::nullopt : std::optional(*found);
}

}  // namespace ligament::gpu::cuda
