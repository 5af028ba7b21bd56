// SPDX-License-Identifier: Apache-2.0
/// \file Stands in for the vendor's hls_stream.h: a queue. Natively nobody else runs while a
/// function does, so one that waits for a stream waits forever: `stuck` is thrown then, which
/// unwinds the function and tells what it waited for. A stream that is given a capacity refuses
/// write_nb when it is full; write is never refused, as in the vendor's simulation.
#ifndef LIG_HLS_NATIVE_HLS_STREAM_H
#define LIG_HLS_NATIVE_HLS_STREAM_H

#include <cstddef>
#include <deque>
#include <stdexcept>

namespace hls {

/// A function will never end; what() continues a sentence that begins with it.
class stuck : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// `Depth`: as in the vendor's header, where it is a hint to the hardware.
template <typename T, int Depth = 0>
class stream {
 public:
  explicit stream(std::size_t capacity = 0) : capacity_(capacity) {}
  explicit stream(const char* /*name*/) {}

  bool empty() const {
    if (!beats_.empty()) {
      return false;
    }
    if (++polls_ > most_polls) {
      throw stuck("asks a stream for more, again and again, on which nothing comes any more");
    }
    return true;
  }
  bool full() const { return capacity_ != 0 && beats_.size() >= capacity_; }
  std::size_t size() const { return beats_.size(); }
  /// More than that no good function leaves in it; one more write is `stuck`. 0: no limit.
  void set_limit(std::size_t most) { most_ = most; }

  T read() {
    if (beats_.empty()) {
      throw stuck("waits for more of a stream on which nothing comes any more");
    }
    const T beat = beats_.front();
    beats_.pop_front();
    return beat;
  }
  bool read_nb(T& beat) { return !empty() && (beat = read(), true); }
  void write(const T& beat) {
    if (most_ != 0 && beats_.size() >= most_) {
      throw stuck("gives more than the longest message has");
    }
    polls_ = 0;
    beats_.push_back(beat);
  }
  bool write_nb(const T& beat) { return !full() && (write(beat), true); }

 private:
  /// Of a function that looks at a stream for each pixel of a large image: not so often.
  static const std::size_t most_polls = 1U << 26;

  std::size_t capacity_ = 0;
  std::size_t most_ = 0;
  mutable std::size_t polls_ = 0;
  std::deque<T> beats_;
};

}  // namespace hls

#endif
