// SPDX-License-Identifier: Apache-2.0
/// \file Stands in for the vendor's hls_stream.h: a queue. Natively nobody else runs, so reading an
/// empty one can only wait for ever: that is told, and ends the program. A stream that is given a
/// capacity refuses write_nb when it is full; write is never refused, as in the vendor's
/// simulation.
#ifndef LIG_HLS_NATIVE_HLS_STREAM_H
#define LIG_HLS_NATIVE_HLS_STREAM_H

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <deque>

namespace hls {

template <typename T>
class stream {
 public:
  explicit stream(std::size_t capacity = 0) : capacity_(capacity) {}

  bool empty() const { return beats_.empty(); }
  bool full() const { return capacity_ != 0 && beats_.size() >= capacity_; }
  std::size_t size() const { return beats_.size(); }

  T read() {
    if (beats_.empty()) {
      std::fprintf(stderr,
                   "hls::stream: read of an empty stream, which nobody can fill any more\n");
      std::abort();
    }
    const T beat = beats_.front();
    beats_.pop_front();
    return beat;
  }
  bool read_nb(T& beat) { return !beats_.empty() && (beat = read(), true); }
  void write(const T& beat) { beats_.push_back(beat); }
  bool write_nb(const T& beat) { return !full() && (write(beat), true); }

 private:
  std::size_t capacity_;
  std::deque<T> beats_;
};

}  // namespace hls

#endif
