// SPDX-License-Identifier: Apache-2.0
// What the generated round-trip program does with the bytes of one message, for any type.
#pragma once

#include <algorithm>
#include <cstring>
#include <ligament/message/generated.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace roundtrip {

using Bytes = std::vector<std::byte>;

/// What became of one message; `problem` is empty if everything agreed.
struct Outcome {
  std::string problem;
  Bytes from_struct;
  Bytes from_builder;
};

struct Entry {
  std::string_view name;
  Outcome (*run)(std::span<const std::byte> stored);
  Outcome (*swap)(std::span<const std::byte> stored);
};

/// Equal bit by bit, so that a NaN equals itself.
template <typename T>
bool same_value(T left, T right) {
  return std::memcmp(&left, &right, sizeof(T)) == 0;
}

template <typename View, typename Values>
bool same_array(const View& view, const Values& values) {
  if (view.size() != values.size()) {
    return false;
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!same_value<typename Values::value_type>(view[i], values[i])) {
      return false;
    }
  }
  return true;
}

template <typename View, typename Values>
bool same_texts(const View& view, const Values& values) {
  std::size_t index = 0;
  for (const auto& text : view) {
    if (index == values.size() || text != values[index++]) {
      return false;
    }
  }
  return index == values.size();
}

template <typename Builder, typename Values>
void fill_array(Builder&& builder, const Values& values) {
  if constexpr (requires { builder.set(0, values[0]); }) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      builder.set(i, values[i]);
    }
  } else {
    std::copy(values.begin(), values.end(), builder.begin());
  }
}

/// Specialised per type by the generated program: fill(builder, message), same(view, message).
template <typename T>
struct Fields;

template <typename Builder, typename T>
void fill(Builder& builder, const T& message) {
  Fields<T>::fill(builder, message);
}

template <typename View, typename T>
bool same(const View& view, const T& message) {
  return Fields<T>::same(view, message);
}

template <typename T>
std::string check_struct(std::span<const std::byte> stored, T& message, Bytes& out) {
  using Traits = ligament::MessageTraits<T>;
  if (auto read = Traits::deserialize(stored, message); !read) {
    return "deserialize: " + std::string(to_string(read.error()));
  }
  const auto layout = Traits::layout_of(message);
  if (!layout) {
    return "layout_of: " + std::string(to_string(layout.error()));
  }
  out.assign(layout->size, std::byte{0xAA});
  if (auto size = Traits::serialize(message, out); !size || *size != out.size()) {
    return "serialize disagrees with layout_of";
  }
  Bytes small(out.size() - 1);
  if (Traits::serialize(message, small)) {
    return "serialize wrote into too few bytes";
  }
  return {};
}

template <typename T>
std::string check_view(std::span<const std::byte> stored, const T& message) {
  using Traits = ligament::MessageTraits<T>;
  const auto view = Traits::View::parse(stored);
  if (!view) {
    return "parse: " + std::string(to_string(view.error()));
  }
  if constexpr (requires { view->chosen_bytes(); }) {
    const auto chosen = static_cast<std::size_t>(view->chosen_bytes().data() - stored.data());
    if (!view->chosen_bytes().empty() && chosen != Traits::layout_of(message)->chosen_offset) {
      return "the view's chosen array is not where the layout says";
    }
  }
  if (!same(*view, message)) {
    return "the view disagrees with the struct";
  }
  const auto size = validate(Traits::table(), stored);
  if (!size || *size != stored.size()) {
    return "validate disagrees";
  }
  return print(Traits::table(), stored) ? "" : "print failed";
}

template <typename T>
std::string check_builder(const T& message, Bytes& out) {
  using Traits = ligament::MessageTraits<T>;
  const auto shape = Traits::shape_of(message);
  const auto layout = Traits::layout(shape);
  if (!layout || *layout != *Traits::layout_of(message)) {
    return "layout(shape_of) disagrees with layout_of";
  }
  out.assign(layout->size, std::byte{0xAA});
  auto builder = Traits::Builder::create(out, shape);
  if (!builder) {
    return "create: " + std::string(to_string(builder.error()));
  }
  auto moved = std::move(*builder);  // builders travel inside loans
  fill(moved, message);
  if (auto size = moved.finish(); !size || *size != out.size()) {
    return "finish: " + std::string(size ? "wrong size" : to_string(size.error()));
  }
  return {};
}

template <typename T>
Outcome run(std::span<const std::byte> stored) {
  Outcome outcome;
  T message;
  outcome.problem = check_struct(stored, message, outcome.from_struct);
  if (outcome.problem.empty()) {
    outcome.problem = check_view(stored, message);
  }
  if (outcome.problem.empty()) {
    outcome.problem = check_builder(message, outcome.from_builder);
  }
  return outcome;
}

/// Big-endian bytes in, little-endian bytes out.
template <typename T>
Outcome swap(std::span<const std::byte> stored) {
  using Traits = ligament::MessageTraits<T>;
  Outcome outcome;
  outcome.from_struct.assign(stored.begin(), stored.end());
  T message;
  const auto refused = Traits::deserialize(stored, message);
  if (refused || refused.error() != ligament::CodecError::big_endian) {
    outcome.problem = "big-endian bytes were not refused by name";
  } else if (auto done = to_little_endian(Traits::table(), outcome.from_struct); !done) {
    outcome.problem = "to_little_endian: " + std::string(to_string(done.error()));
  }
  return outcome;
}

}  // namespace roundtrip
