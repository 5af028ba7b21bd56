// SPDX-License-Identifier: Apache-2.0
#include "status.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <list>
#include <map>
#include <mutex>
#include <new>
#include <thread>

#include "rmw_ligament_cpp/trace.h"
#include "tracing.hpp"

namespace rmw_ligament_cpp::status {

namespace {

namespace pool = ligament::pool;

/// Names of topics that do without ROS 2's rules may hold anything.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    if (byte == '"' || byte == '\\') {
      out += '\\';
      out += character;
    } else if (byte < 0x20 || byte >= 0x7F) {
      out += fmt::format("\\u{:04x}", byte);
    } else {
      out += character;
    }
  }
  return out + "\"";
}

struct Entry {
  std::string node;
  std::string topic;
  const pool::Writer* writer = nullptr;
  const pool::Reader* reader = nullptr;  ///< both null: the node itself
  const Counts* counts = nullptr;
};

std::string publisher_figures(const Entry& entry) {
  const auto figures = entry.writer->stats();
  return fmt::format(
      R"({{"topic":{},"published":{},"bytes":{},"loans_failed":{},"serialised":{},)"
      R"("bytes_serialised":{},"waits":{},"overrun":{},"stalled":{},"deadline_missed":{},)"
      R"("blocks":{},"blocks_free":{},"memory_bytes":{},"matched":{}}})",
      quoted(entry.topic), figures.published, figures.bytes,
      figures.loans_failed + entry.counts->failed.load(std::memory_order_relaxed),
      entry.counts->walks.load(std::memory_order_relaxed),
      entry.counts->bytes.load(std::memory_order_relaxed), figures.waits, figures.overrun,
      figures.stalled, figures.deadline_missed, figures.blocks, figures.blocks_free,
      figures.memory_bytes, entry.writer->matched_readers());
}

std::string subscription_figures(const Entry& entry) {
  const auto figures = entry.reader->stats();
  return fmt::format(
      R"({{"topic":{},"taken":{},"lost":{},"expired":{},"deadline_missed":{},"history":{},)"
      R"("age_ns_p50":0,"age_ns_p99":0,"copies":{},"bytes_copied":{},"invalid":{},)"
      R"("held_back":0,"matched":{}}})",
      quoted(entry.topic), figures.taken, figures.lost, figures.expired, figures.deadline_missed,
      figures.history_granted, entry.counts->walks.load(std::memory_order_relaxed),
      entry.counts->bytes.load(std::memory_order_relaxed),
      entry.counts->failed.load(std::memory_order_relaxed), entry.reader->matched_writers());
}

std::int64_t cpu_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

void append(std::string& list, const std::string& entry) {
  list.append(list.empty() ? "" : ",").append(entry);
}

class Board {
 public:
  Board() {
    const char* folder = std::getenv("LIGAMENT_RUN_DIR");
    is_wanted_ = folder != nullptr && *folder != 0;
    const char* said = std::getenv("LIGAMENT_STATUS");
    if (!is_wanted_ || (said != nullptr && std::strcmp(said, "own") == 0)) {
      return;
    }
    // Without O_CREAT: where there is no such file, no run is in progress.
    file_ = ::open((std::string(folder) + "/status.jsonl").c_str(),
                   O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
    if (file_ >= 0) {
      const char* given = std::getenv("LIGAMENT_CONTAINER");
      const bool is_given = given != nullptr && *given != 0;
      name_ = quoted(is_given ? given : fmt::format("{}-{}", tracing::program_name(), ::getpid()));
      write(fmt::format(R"({{"event":"ready","pid":{},"container":{}}})", ::getpid(), name_));
      thread_ = std::thread([this] { run(); });
    }
  }
  ~Board() {
    if (thread_.joinable()) {
      {
        const std::lock_guard guard(mutex_);
        stop_ = true;
      }
      wake_.notify_one();
      thread_.join();
      write(fmt::format(R"({{"event":"stopped","container":{}}})", name_));
    }
    if (file_ >= 0) {
      ::close(file_);
    }
  }
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;

  [[nodiscard]] Shown add(Entry entry) {
    if (!is_wanted_) {
      return nullptr;
    }
    const std::lock_guard guard(mutex_);
    const auto place = entries_.insert(entries_.end(), std::move(entry));
    return {nullptr, [this, place](void*) {
              const std::lock_guard inner(mutex_);
              entries_.erase(place);
            }};
  }

  /// The array `nodes` of a status line.
  [[nodiscard]] std::string nodes() {
    const std::lock_guard guard(mutex_);
    return nodes_locked();
  }
  [[nodiscard]] bool is_wanted() const { return is_wanted_; }

  void tell() {
    if (file_ >= 0) {
      std::unique_lock lock(mutex_);
      tell_locked(lock);
    }
  }

 private:
  struct NodeText {
    std::string publishers;
    std::string subscriptions;
  };

  std::string nodes_locked() {
    std::map<std::string, NodeText> nodes;
    for (const Entry& entry : entries_) {
      NodeText& text = nodes[entry.node];
      if (entry.writer != nullptr) {
        append(text.publishers, publisher_figures(entry));
      } else if (entry.reader != nullptr) {
        append(text.subscriptions, subscription_figures(entry));
      }
    }
    // Which node used the time is not known here: each has an equal share.
    const std::int64_t share =
        cpu_ns() / static_cast<std::int64_t>(std::max<std::size_t>(1, nodes.size()));
    std::string list;
    for (const auto& [name, text] : nodes) {
      append(list, fmt::format(R"({{"id":{},"cpu_ns":{},"busy_ns":0,"callbacks":0,)"
                               R"("callback_running_ns":0,"heap_allocs":0,"publishers":[{}],)"
                               R"("subscriptions":[{}]}})",
                               quoted(name), share, text.publishers, text.subscriptions));
    }
    return "[" + list + "]";
  }

  void run() {
    std::unique_lock lock(mutex_);
    for (bool is_last = false; !is_last;) {
      is_last = wake_.wait_for(lock, std::chrono::seconds(1), [this] { return stop_; });
      tell_locked(lock);
    }
  }

  void tell_locked(std::unique_lock<std::mutex>& lock) {
    if (entries_.empty()) {
      return;
    }
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    const std::string line = fmt::format(
        R"({{"event":"status","t_ns":{},"peak_rss_bytes":{},"nodes":{},"container":{}}})",
        pool::monotonic_now_ns(), std::int64_t{usage.ru_maxrss} * 1024, nodes_locked(), name_);
    lock.unlock();
    write(line);
    lock.lock();
  }

  /// In one call, so that lines of several processes do not mix. A full disk loses lines.
  void write(const std::string& line) const {
    const std::string text = line + "\n";
    const ssize_t written = ::write(file_, text.data(), text.size());
    (void)written;
  }

  bool is_wanted_ = false;
  int file_ = -1;
  std::string name_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stop_ = false;  ///< guarded by mutex_, as the next
  std::list<Entry> entries_;
  std::thread thread_;
};

Board& board() {
  static Board only;
  return only;
}

}  // namespace

void begin() { (void)board(); }
void tell() {
  try {
    board().tell();
  } catch (const std::bad_alloc&) {  // a line less
  }
}

Shown show_node(const std::string& full_name) { return board().add({full_name, {}}); }

Shown show(const pool::Writer& writer, const Counts& counts, const pool::EndpointDescription& end) {
  return board().add({end.node, end.topic, &writer, nullptr, &counts});
}

Shown show(const pool::Reader& reader, const Counts& counts, const pool::EndpointDescription& end) {
  return board().add({end.node, end.topic, nullptr, &reader, &counts});
}

}  // namespace rmw_ligament_cpp::status

extern "C" size_t rmw_ligament_status_nodes(char* buffer, size_t size) {
  using rmw_ligament_cpp::status::board;
  if (!board().is_wanted()) {
    return 0;
  }
  try {
    const std::string nodes = board().nodes();
    if (size != 0) {
      const std::size_t fitting = std::min(nodes.size(), size - 1);
      std::memcpy(buffer, nodes.data(), fitting);
      buffer[fitting] = 0;
    }
    return nodes.size();
  } catch (const std::bad_alloc&) {
    return 0;
  }
}
