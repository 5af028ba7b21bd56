// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <ligament/names.hpp>
#include <optional>

namespace ligament {
namespace {

struct Fault {
  NameFault fault;
  std::size_t position;
  std::string why;
};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

NameError error_for(std::string_view kind, std::string_view name, const Fault& fault) {
  std::string text = "'" + std::string(name) + "' is no " + std::string(kind) + ": " + fault.why;
  if (fault.position != 0) {
    text += " (character " + std::to_string(fault.position + 1) + ")";
  }
  return {fault.fault, fault.position, std::move(text)};
}

/// One part between slashes. `start`: where it begins in the whole name.
std::optional<Fault> token_fault(std::string_view token, std::size_t start) {
  if (token.empty()) {
    return Fault{NameFault::repeated_slash, start, "it must not contain //"};
  }
  if (const auto at = token.find("__"); at != std::string_view::npos) {
    return Fault{NameFault::repeated_underscore, start + at,
                 "it must not contain __ (two underscores are reserved)"};
  }
  if (is_digit(token.front())) {
    return Fault{NameFault::starts_with_digit, start,
                 "'" + std::string(token) + "' starts with a digit"};
  }
  const auto bad = std::find_if_not(token.begin(), token.end(), is_word);
  if (bad != token.end()) {
    return Fault{NameFault::bad_character, start + static_cast<std::size_t>(bad - token.begin()),
                 "'" + std::string(token) + "' may only contain letters, digits and _"};
  }
  return std::nullopt;
}

/// The parts of `path`, which begins at `offset` of the whole name.
std::optional<Fault> tokens_fault(std::string_view path, std::size_t offset) {
  std::size_t begin = 0;
  while (begin <= path.size()) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    if (auto fault = token_fault(path.substr(begin, end - begin), offset + begin)) {
      return fault;
    }
    begin = end + 1;
  }
  return std::nullopt;
}

/// Replaces {node}, {ns} and {namespace} by words of the same meaning.
std::optional<Fault> substitute(std::string& name, const NodePlace& place) {
  const std::string inner = place.node_namespace == "/" ? "" : place.node_namespace.substr(1);
  std::size_t at = 0;
  while ((at = name.find_first_of("{}", at)) != std::string::npos) {
    const std::size_t end = name.find('}', at);
    if (name[at] == '}' || end == std::string::npos) {
      return Fault{NameFault::bad_substitution, at, "its braces { } do not match"};
    }
    const std::string key = name.substr(at + 1, end - at - 1);
    if (key != "node" && key != "ns" && key != "namespace") {
      return Fault{NameFault::bad_substitution, at,
                   "{" + key + "} is unknown; there are {node}, {ns} and {namespace}"};
    }
    const std::string& value = key == "node" ? place.node_name : inner;
    name.replace(at, end - at + 1, value);
    at += value.size();
  }
  return std::nullopt;
}

std::optional<Fault> topic_fault(std::string_view name) {
  if (name.empty()) {
    return Fault{NameFault::empty, 0, "a name cannot be empty"};
  }
  if (name.size() > max_topic_name_length) {
    return Fault{NameFault::too_long, 0,
                 "it is " + std::to_string(name.size()) + " characters long, at most " +
                     std::to_string(max_topic_name_length) + " are allowed"};
  }
  if (name.back() == '/') {
    return Fault{NameFault::ends_with_slash, name.size() - 1, "it must not end with /"};
  }
  std::size_t offset = 0;
  if (name.front() == '~') {
    if (name.size() == 1) {
      return std::nullopt;
    }
    if (name[1] != '/') {
      return Fault{NameFault::misplaced_tilde, 1, "~ must be followed by /"};
    }
    offset = 2;
  } else if (name.front() == '/') {
    offset = 1;
  }
  if (const auto tilde = name.find('~', offset); tilde != std::string_view::npos) {
    return Fault{NameFault::misplaced_tilde, tilde, "~ may only stand at the start"};
  }
  return tokens_fault(name.substr(offset), offset);
}

}  // namespace

expected<void, NameError> validate_node_name(std::string_view name) {
  std::optional<Fault> fault;
  if (name.empty()) {
    fault = Fault{NameFault::empty, 0, "a name cannot be empty"};
  } else if (name.size() > max_node_name_length) {
    fault = Fault{NameFault::too_long, 0,
                  "it is " + std::to_string(name.size()) + " characters long, at most " +
                      std::to_string(max_node_name_length) + " are allowed"};
  } else {
    fault = token_fault(name, 0);
  }
  if (fault) {
    return unexpected<NameError>(error_for("node name", name, *fault));
  }
  return {};
}

expected<void, NameError> validate_namespace(std::string_view name) {
  std::optional<Fault> fault;
  if (name.empty() || name.front() != '/') {
    fault = Fault{NameFault::not_absolute, 0, "it must begin with /"};
  } else if (name != "/") {
    fault = topic_fault(name);
  }
  if (fault) {
    return unexpected<NameError>(error_for("namespace", name, *fault));
  }
  return {};
}

expected<void, NameError> validate_topic_name(std::string_view name) {
  std::string plain(name);
  auto fault = substitute(plain, {"/ns", "node"});
  if (!fault) {
    fault = topic_fault(plain);
  }
  if (fault) {
    return unexpected<NameError>(error_for("topic name", name, *fault));
  }
  return {};
}

std::string join_name(std::string_view name_space, std::string_view name) {
  std::string joined(name_space);
  if (joined.empty() || joined.back() != '/') {
    joined += '/';
  }
  return joined += name;
}

expected<std::string, NameError> expand_name(std::string_view name, const NodePlace& place) {
  std::string plain(name);
  auto fault = substitute(plain, place);
  if (!fault) {
    fault = topic_fault(plain);
  }
  if (fault) {
    return unexpected<NameError>(error_for("topic name", name, *fault));
  }
  if (plain.front() == '~') {
    const std::string node = join_name(place.node_namespace, place.node_name);
    plain = plain.size() == 1 ? node : join_name(node, plain.substr(2));
  } else if (plain.front() != '/') {
    plain = join_name(place.node_namespace, plain);
  }
  if (auto too_long = topic_fault(plain)) {
    return unexpected<NameError>(error_for("topic name", plain, *too_long));
  }
  return plain;
}

expected<void, NameError> RemapRules::add(std::string_view from, std::string_view to,
                                          const NodePlace& place) {
  auto full_from = expand_name(from, place);
  if (!full_from) {
    return unexpected<NameError>(full_from.error());
  }
  auto full_to = expand_name(to, place);
  if (!full_to) {
    return unexpected<NameError>(full_to.error());
  }
  rules_.emplace_back(std::move(*full_from), std::move(*full_to));
  return {};
}

const std::string& RemapRules::apply(const std::string& full_name) const {
  for (const auto& [from, to] : rules_) {
    if (from == full_name) {
      return to;
    }
  }
  return full_name;
}

expected<std::string, NameError> resolve_name(std::string_view name, const NodePlace& place,
                                              const RemapRules& rules) {
  auto full = expand_name(name, place);
  if (!full) {
    return full;
  }
  return rules.apply(*full);
}

}  // namespace ligament
