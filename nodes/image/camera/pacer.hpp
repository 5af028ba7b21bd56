// SPDX-License-Identifier: Apache-2.0
/// \file When the camera sends which frame. Pure: time and events go in, decisions come out.
///
///   Pacer pacer({.pacing = Pacing::ack, .in_flight = 1, .frames = 600});
///   while (auto frame = pacer.due(now_ns)) send(*frame);
///   pacer.on_done(index);                                   // the sink is done with a frame
///   if (pacer.finished()) finish();
///
/// `ack`: as fast as the graph goes, with `in_flight` frames in flight, so that no time is spent in
/// queues. `asked`: whenever asked, whatever becomes of the frames; the caller's timer is the pace.
///
/// While the graph starts, frames can be lost (the next node does not listen yet). With `ack`, and
/// otherwise if somebody sends `done`, the first frame is therefore sent again until it is
/// acknowledged; with `ack` also each later frame that is overdue. The time-out doubles each time,
/// so a slow graph is not flooded. A frame sent again has its old index and stamp: the sink sees a
/// duplicate, not another frame.
///
/// `period_ns` is a brake for `ack`: a graph that computes nothing would send tens of thousands of
/// frames per second. Who comes late
/// gets one frame at once, and none that was missed.
#pragma once

#include <cstdint>
#include <optional>

namespace ligament::nodes::image {

enum class Pacing : std::uint8_t { ack, asked };

struct PacerOptions {
  Pacing pacing = Pacing::ack;
  std::uint64_t in_flight = 1;
  std::uint64_t frames = 0;  ///< 0: endless
  std::int64_t ack_timeout_ns = 500'000'000;
  std::int64_t period_ns = 0;  ///< between new frames at least; 0: no brake
};

class Pacer {
 public:
  explicit Pacer(const PacerOptions& options)
      : options_(options), timeout_ns_(options.ack_timeout_ns) {}

  struct Frame {
    std::uint64_t index;
    bool again;  ///< sent before, and not acknowledged
  };

  /// Whether somebody sends `done`. May change while nodes come and go.
  void set_acknowledged(bool somebody) { handshake_ = somebody; }

  /// The frame to send now, if any. Each answer counts as sent.
  [[nodiscard]] std::optional<Frame> due(std::int64_t now_ns);

  /// All frames up to `index` are done: frames leave the graph in order, so an earlier one that was
  /// not acknowledged is lost. An index that was never sent is ignored.
  void on_done(std::uint64_t index, std::int64_t now_ns);

  /// All frames are sent and, where it is known, acknowledged.
  [[nodiscard]] bool finished() const;

  [[nodiscard]] std::uint64_t sent() const { return next_; }
  [[nodiscard]] std::uint64_t acknowledged() const { return acknowledged_; }
  [[nodiscard]] std::uint64_t sent_again() const { return sent_again_; }

 private:
  [[nodiscard]] bool waits_for_first() const {
    return handshake_ && next_ > 0 && acknowledged_ == 0;
  }
  [[nodiscard]] bool waits_for_acks() const {
    return options_.pacing == Pacing::ack ? next_ - acknowledged_ >= options_.in_flight
                                          : waits_for_first();
  }
  [[nodiscard]] std::optional<Frame> overdue(std::int64_t now_ns);

  PacerOptions options_;
  std::uint64_t next_ = 0;          ///< index of the next new frame
  std::uint64_t acknowledged_ = 0;  ///< frames done: all below this index
  std::uint64_t sent_again_ = 0;
  std::int64_t waiting_since_ns_ = 0;
  std::int64_t not_before_ns_ = 0;  ///< of the next new frame
  std::int64_t timeout_ns_;
  bool handshake_ = true;
};

}  // namespace ligament::nodes::image
