// SPDX-License-Identifier: Apache-2.0
/// \file Which messages of several inputs a node with kernels works on together.
///
///   Pairing<Image, CameraInfo> pairing(PairRule::exact, 5, emit);
///   pairing.on_lead(std::move(image));          // the first input's
///   pairing.on_other<0>(std::move(info));       // calls emit(image, info) when a set is whole
///
/// `exact`: messages of one header.stamp, in whichever order they come; a message of the first
/// input whose set is not whole when a later one is, or when more than `queue` wait, is dropped.
/// `latest`: each message of the first input with the newest ones of the others.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <ligament/sample.hpp>
#include <memory>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

namespace ligament::gpu {

enum class PairRule : std::uint8_t { exact, latest };

[[nodiscard]] inline std::optional<PairRule> pair_rule(std::string_view name) {
  return name == "exact"    ? std::optional(PairRule::exact)
         : name == "latest" ? std::optional(PairRule::latest)
                            : std::nullopt;
}

/// Nanoseconds of a header's stamp; 0 for a message without one.
template <typename View>
[[nodiscard]] std::int64_t stamp_of(const View& view) {
  if constexpr (requires { view.header().stamp(); }) {
    constexpr std::int64_t second = 1'000'000'000;
    return std::int64_t{view.header().stamp().sec()} * second + view.header().stamp().nanosec();
  } else {
    return 0;
  }
}

template <typename Lead, typename... Others>
class Pairing {
 public:
  template <typename Message>
  using Shared = std::shared_ptr<const Sample<Message>>;
  /// The others are shared: a later set may have them too.
  using Emit = std::function<void(Sample<Lead>&& lead, Shared<Others>... others)>;

  Pairing(PairRule rule, std::size_t queue, Emit emit)
      : rule_(rule), queue_(std::max<std::size_t>(queue, 1)), emit_(std::move(emit)) {}

  void on_lead(Sample<Lead>&& sample) {
    const std::int64_t stamp = stamp_of(sample.view());
    leads_.push_back({stamp, std::move(sample)});
    if (is_whole(stamp)) {
      emit_lead(stamp);
    } else if (leads_.size() > queue_) {
      leads_.pop_front();
      ++dropped_;
    }
  }

  template <std::size_t place, typename Message>
  void on_other(Sample<Message>&& sample) {
    auto& others = std::get<place>(others_);
    const std::int64_t stamp = stamp_of(sample.view());
    if (others.size() >= queue_) {
      others.pop_front();
    }
    others.push_back({stamp, std::make_shared<const Sample<Message>>(std::move(sample))});
    if (rule_ == PairRule::exact) {
      if (has_lead(stamp) && is_whole(stamp)) {
        emit_lead(stamp);
      }
      return;
    }
    while (!leads_.empty() && is_whole(leads_.front().stamp)) {
      emit_lead(leads_.front().stamp);
    }
  }

  /// Messages of the first input that will never be worked on.
  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }

 private:
  struct Waiting {
    std::int64_t stamp;
    Sample<Lead> sample;
  };
  template <typename Message>
  struct Other {
    std::int64_t stamp;
    Shared<Message> sample;
  };
  using Places = std::index_sequence_for<Others...>;

  [[nodiscard]] bool has_lead(std::int64_t stamp) const { return find_lead(stamp) != leads_.end(); }
  [[nodiscard]] auto find_lead(std::int64_t stamp) const {
    return std::find_if(leads_.begin(), leads_.end(),
                        [&](const Waiting& waiting) { return waiting.stamp == stamp; });
  }

  /// The newest that goes with the stamp; null: none.
  template <std::size_t place>
  [[nodiscard]] auto find_other(std::int64_t stamp) const {
    const auto& others = std::get<place>(others_);
    const auto found = std::find_if(others.rbegin(), others.rend(), [&](const auto& other) {
      return rule_ == PairRule::latest || other.stamp == stamp;
    });
    using Found = std::remove_cvref_t<decltype(found->sample)>;
    return found == others.rend() ? Found() : found->sample;
  }

  [[nodiscard]] bool is_whole(std::int64_t stamp) const {
    return [&]<std::size_t... place>(std::index_sequence<place...>) {
      return ((find_other<place>(stamp) != nullptr) && ...);
    }
    (Places());
  }

  void emit_lead(std::int64_t stamp) {
    const auto found = find_lead(stamp);
    Sample<Lead> lead = std::move(const_cast<Waiting&>(*found).sample);
    leads_.erase(found);
    if (rule_ == PairRule::exact) {
      dropped_ += std::erase_if(leads_, [&](const Waiting& one) { return one.stamp < stamp; });
    }
    [&]<std::size_t... place>(std::index_sequence<place...>) {
      emit_(std::move(lead), find_other<place>(stamp)...);
    }
    (Places());
  }

  PairRule rule_;
  std::size_t queue_;
  Emit emit_;
  std::deque<Waiting> leads_;
  std::tuple<std::deque<Other<Others>>...> others_;
  std::uint64_t dropped_ = 0;
};

}  // namespace ligament::gpu
