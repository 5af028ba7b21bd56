// SPDX-License-Identifier: Apache-2.0
#include "agent/names.hpp"

#include <algorithm>

#include "transport/dds/names.hpp"

namespace ligament::xrce {

namespace {

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }
std::string_view without_slash(std::string_view service) {
  return service.starts_with('/') ? service.substr(1) : service;
}

}  // namespace

std::string topic_name(std::string_view dds_name) {
  return dds::topic_from_dds(dds_name).value_or(std::string(dds_name));
}

std::string type_name(std::string_view dds_name) {
  return dds::type_from_dds(dds_name).value_or(std::string(dds_name));
}

bool is_ros_type(std::string_view type_name) {
  return std::count(type_name.begin(), type_name.end(), '/') == 2;
}

std::string node_name(std::string_view participant, std::string_view fallback) {
  std::string name;
  for (const char c : participant) {
    const bool begins_part = name.empty() || name.back() == '/';
    if (c == '/' && begins_part) {
      continue;
    }
    if (begins_part && is_digit(c)) {
      name += '_';
    }
    name += c == '/' || is_word(c) ? c : '_';
  }
  while (name.ends_with('/')) {
    name.pop_back();
  }
  return "/" + (name.empty() ? std::string(fallback) : name);
}

std::string request_topic(std::string_view service) {
  return "rq/" + std::string(without_slash(service)) + "Request";
}
std::string reply_topic(std::string_view service) {
  return "rr/" + std::string(without_slash(service)) + "Reply";
}

}  // namespace ligament::xrce
