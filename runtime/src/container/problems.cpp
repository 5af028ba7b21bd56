// SPDX-License-Identifier: Apache-2.0
#include "container/problems.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "node/nearest.hpp"

namespace ligament::container {

void Problems::add(const std::string& pointer, const std::string& text) {
  sentences_.push_back(file_ + ": " + (pointer.empty() ? "" : pointer + ": ") + text);
}

std::string pointer_to(const std::string& base, std::string_view key) {
  std::string pointer = base + "/";
  for (const char c : key) {
    pointer += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  }
  return pointer;
}

std::string shown(const Json& value) {
  constexpr std::size_t longest = 60;
  std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  return text.size() <= longest ? text : text.substr(0, longest) + "...";
}

namespace {

const Json empty_object = Json::object();

}  // namespace

ObjectReader::ObjectReader(const Json& value, std::string pointer, Problems& problems)
    : object_(&value), pointer_(std::move(pointer)), problems_(problems) {
  if (!value.is_object()) {
    problems_.add(pointer_, "expected an object, found " + shown(value));
    object_ = &empty_object;
  }
}

const Json* ObjectReader::member(const std::string& key, Need need) {
  known_.push_back(key);
  const auto found = object_->find(key);
  if (found != object_->end()) {
    return &*found;
  }
  if (need == Need::required && object_ != &empty_object) {
    problems_.add(pointer_, "'" + key + "' is missing");
  }
  return nullptr;
}

void ObjectReader::expected_but_found(const std::string& key, const std::string& what,
                                      const Json& found) {
  problems_.add(at(key), "expected " + what + ", found " + shown(found));
}

void ObjectReader::text(const std::string& key, std::string& out, Need need) {
  const Json* value = member(key, need);
  if (value == nullptr) {
    return;
  }
  if (value->is_string()) {
    out = value->get<std::string>();
  } else {
    expected_but_found(key, "a string", *value);
  }
}

void ObjectReader::choice(const std::string& key, const std::vector<std::string>& allowed,
                          std::string& out, Need need) {
  const Json* value = member(key, need);
  if (value == nullptr) {
    return;
  }
  const std::string text = value->is_string() ? value->get<std::string>() : "";
  if (value->is_string() && std::find(allowed.begin(), allowed.end(), text) != allowed.end()) {
    out = text;
  } else {
    expected_but_found(key, "one of " + detail::listing(allowed), *value);
  }
}

bool ObjectReader::flag(const std::string& key) {
  const Json* value = member(key, Need::optional);
  if (value != nullptr && !value->is_boolean()) {
    expected_but_found(key, "true or false", *value);
  }
  return value != nullptr && value->is_boolean() && value->get<bool>();
}

void ObjectReader::whole_number(const std::string& key, std::int64_t low, std::int64_t high,
                                std::int64_t& out, Need need) {
  const Json* value = member(key, need);
  if (value == nullptr) {
    return;
  }
  // An unsigned number beyond the signed range is above every limit here.
  const bool fits = value->is_number_integer() &&
                    (!value->is_number_unsigned() ||
                     value->get<std::uint64_t>() <= static_cast<std::uint64_t>(high));
  if (fits && value->get<std::int64_t>() >= low && value->get<std::int64_t>() <= high) {
    out = value->get<std::int64_t>();
  } else {
    expected_but_found(key, fmt::format("a whole number from {} to {}", low, high), *value);
  }
}

void ObjectReader::number(const std::string& key, double low, double& out, Need need) {
  const Json* value = member(key, need);
  if (value == nullptr) {
    return;
  }
  if (value->is_number() && value->get<double>() >= low) {
    out = value->get<double>();
  } else {
    expected_but_found(key, fmt::format("a number, at least {}", low), *value);
  }
}

const Json* ObjectReader::member_of(Json::value_t type, const std::string& key, Need need) {
  const Json* value = member(key, need);
  if (value == nullptr || value->type() == type) {
    return value;
  }
  expected_but_found(key, type == Json::value_t::array ? "a list" : "an object", *value);
  return nullptr;
}

void ObjectReader::list(const std::string& key, const ReadElement& read, Need need) {
  if (const Json* value = member_of(Json::value_t::array, key, need)) {
    for (std::size_t i = 0; i < value->size(); ++i) {
      read((*value)[i], pointer_to(at(key), std::to_string(i)));
    }
  }
}

void ObjectReader::map(const std::string& key, const ReadEntry& read, Need need) {
  if (const Json* value = member_of(Json::value_t::object, key, need)) {
    for (const auto& [name, entry] : value->items()) {
      read(name, entry, pointer_to(at(key), name));
    }
  }
}

void ObjectReader::finish() {
  for (const auto& [key, value] : object_->items()) {
    if (std::find(known_.begin(), known_.end(), key) == known_.end()) {
      problems_.add(at(key), "there is no '" + key + "' here" + detail::did_you_mean(key, known_) +
                                 "; expected: " + detail::listing(known_));
    }
  }
}

}  // namespace ligament::container
