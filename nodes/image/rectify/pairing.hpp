// SPDX-License-Identifier: Apache-2.0
/// \file Which camera_info belongs to which image.
///
///   Pairing<Sample, Map> pairing(PairingMode::exact, 5);
///   pairing.on_camera_info(stamp, map, emit);     // emit(Sample&&, const Map&) when a pair is
///   whole pairing.on_image(stamp, std::move(sample), emit);
///
/// `exact` is what image_pipeline does: an image is processed with the camera_info of its own
/// stamp, so a calibration that changes while images are queued is never applied to an earlier
/// image. The two topics may arrive in either order and up to `queue_size` messages apart; an image
/// whose camera_info has not come when a later pair is whole, or when more than `queue_size` images
/// wait, is dropped and counted. `latest` takes the newest camera_info whatever its stamp: for
/// drivers that publish it once, latched.
///
/// What is kept per camera_info is a pointer to what the caller made from it (the rectify map);
/// equal calibrations share one. No heap is used after construction.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace ligament::nodes::image {

enum class PairingMode : std::uint8_t { exact, latest };

template <typename SampleT, typename InfoT>
class Pairing {
 public:
  using InfoPtr = std::shared_ptr<const InfoT>;

  Pairing(PairingMode mode, std::size_t queue_size) : mode_(mode), queue_size_(queue_size) {
    infos_.reserve(queue_size + 1);
    images_.reserve(queue_size + 1);
  }

  template <typename Emit>
  void on_camera_info(std::int64_t stamp_ns, InfoPtr info, Emit&& emit) {
    if (infos_.size() >= queue_size_) infos_.erase(infos_.begin());
    infos_.push_back({stamp_ns, std::move(info)});
    if (mode_ == PairingMode::latest) {
      emit_all(emit);
      return;
    }
    const auto found = std::find_if(images_.begin(), images_.end(),
                                    [&](const Image& i) { return i.stamp_ns == stamp_ns; });
    if (found == images_.end()) return;
    SampleT sample = std::move(found->sample);
    images_.erase(found);
    drop_older_than(stamp_ns);
    emit(std::move(sample), *infos_.back().info);
  }

  template <typename Emit>
  void on_image(std::int64_t stamp_ns, SampleT&& sample, Emit&& emit) {
    if (const InfoT* info = find_info(stamp_ns)) {
      drop_older_than(stamp_ns);
      emit(std::move(sample), *info);
      return;
    }
    images_.push_back({stamp_ns, std::move(sample)});
    if (images_.size() > queue_size_) {
      images_.erase(images_.begin());
      ++dropped_;
    }
  }

  [[nodiscard]] std::size_t waiting() const { return images_.size(); }
  /// Images that will never be processed.
  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }

 private:
  struct Info {
    std::int64_t stamp_ns;
    InfoPtr info;
  };
  struct Image {
    std::int64_t stamp_ns;
    SampleT sample;
  };

  [[nodiscard]] const InfoT* find_info(std::int64_t stamp_ns) const {
    if (infos_.empty()) return nullptr;
    if (mode_ == PairingMode::latest) return infos_.back().info.get();
    const auto found = std::find_if(infos_.rbegin(), infos_.rend(),
                                    [&](const Info& i) { return i.stamp_ns == stamp_ns; });
    return found == infos_.rend() ? nullptr : found->info.get();
  }
  template <typename Emit>
  void emit_all(Emit&& emit) {
    for (Image& image : images_) emit(std::move(image.sample), *infos_.back().info);
    images_.clear();
  }
  void drop_older_than(std::int64_t stamp_ns) {
    dropped_ += std::erase_if(images_, [&](const Image& i) { return i.stamp_ns < stamp_ns; });
  }

  PairingMode mode_;
  std::size_t queue_size_;
  std::vector<Info> infos_;
  std::vector<Image> images_;
  std::uint64_t dropped_ = 0;
};

}  // namespace ligament::nodes::image
