// SPDX-License-Identifier: Apache-2.0
/// \file The directory of a process: who it is and which endpoints it has. Its own, written here;
/// and those of peers, read with suspicion.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "ligament/detail/pool.hpp"
#include "memory/layout.hpp"
#include "memory/os/system.hpp"

namespace ligament::pool {

/// Our bell page. Outlives the domain when a sample does, because releasing it may ring.
class Bells {
 public:
  [[nodiscard]] expected<void, os::SystemError> open(std::uint64_t nonce);
  [[nodiscard]] std::uint16_t acquire();  ///< 0: none left
  void release(std::uint16_t slot);
  [[nodiscard]] std::atomic<std::uint32_t>* word(std::uint16_t slot);
  /// Bit k: somebody may sleep on slot k. All a publisher reads of a process that does not sleep.
  [[nodiscard]] layout::Word& asleep();
  [[nodiscard]] const os::SharedMemory& page() const { return page_; }

 private:
  os::SharedMemory page_;
  std::mutex mutex_;
  std::array<bool, layout::bell_slots> used_{};
};

/// Our own directory. Guarded by the domain's mutex.
class Directory {
 public:
  struct Identity {
    std::string domain;
    std::string run_id;
    std::uint32_t slot = 0;
  };
  /// A row's place: segment and index within.
  struct Place {
    std::uint32_t segment = 0;
    std::uint32_t index = 0;
  };

  [[nodiscard]] expected<void, os::SystemError> open(const Identity& identity);
  [[nodiscard]] expected<Place, os::SystemError> add(const layout::EndpointRow& row);
  void set(Place place, const layout::EndpointRow& row);
  void remove(Place place);
  void set_state(layout::ProcessState state);
  /// While joining: another run, by its nonce, goes first; 0: nobody does.
  void defer_to(std::uint64_t nonce);
  /// "At `now` this process ran": for the leases of its writers.
  void say_alive(std::int64_t now) {
    shared_->alive.store(static_cast<std::uint64_t>(now), std::memory_order_relaxed);
  }
  /// Tells peers that look that something changed.
  void raise_generation();
  /// Of this process, from its directory's own inode: 0 before `open`.
  [[nodiscard]] std::uint64_t nonce() const { return nonce_; }
  [[nodiscard]] std::uint64_t inode() const { return page_.inode; }
  /// Number of its descriptor, for peers.
  [[nodiscard]] std::uint32_t fd() const { return static_cast<std::uint32_t>(page_.fd.get()); }
  [[nodiscard]] const std::shared_ptr<Bells>& bells() const { return bells_; }

 private:
  [[nodiscard]] expected<Place, os::SystemError> free_place();
  [[nodiscard]] expected<void, os::SystemError> add_rows();

  os::SharedMemory page_;
  layout::DirectoryPage* shared_ = nullptr;
  std::uint64_t nonce_ = 0;
  std::shared_ptr<Bells> bells_ = std::make_shared<Bells>();
  struct Rows {
    os::SharedMemory memory;
    std::vector<bool> used;
  };
  std::vector<Rows> rows_;
};

/// Why a process is not attached.
struct Refusal {
  std::string text;    ///< a sentence; empty: nobody needs to hear of it
  bool again = false;  ///< for lack of something of ours: try again
  /// It is in another pid namespace: it can be met over a connection (meeting.cpp), not so.
  bool is_foreign = false;

  [[nodiscard]] static Refusal of(std::int32_t pid, const os::SystemError& error);
};

/// Ends, each by the hash of its topic and kind. Two of one hash cost a needless look, no more.
class Ends {
 public:
  [[nodiscard]] static std::uint64_t hash(std::string_view topic, EndpointKind kind);
  void insert(std::string_view topic, EndpointKind kind) { hashes_.insert(hash(topic, kind)); }
  /// Those that an end of this kind may be matched with.
  void insert_partners(std::string_view topic, EndpointKind kind);
  void clear() { hashes_.clear(); }
  [[nodiscard]] bool contains(std::uint64_t hash) const { return hashes_.count(hash) != 0; }
  [[nodiscard]] bool empty() const { return hashes_.empty(); }

 private:
  std::unordered_set<std::uint64_t> hashes_;
};

/// A process of another pid namespace, by the connection to it.
struct ForeignProcess {
  std::int32_t pid = 0;        ///< its number here; 0: it has none
  std::uint64_t identity = 0;  ///< as the kernel says: `os::identity_of`
  std::shared_ptr<os::Passage> passage;
};

/// A peer's directory, mapped read-only. Every number in it is copied once and checked.
class PeerDirectory {
 public:
  using Rows = std::map<std::uint64_t, layout::EndpointRow>;

  /// Finds the directory among the descriptors of `pid`; `likely_fd` is looked at first.
  [[nodiscard]] static expected<std::unique_ptr<PeerDirectory>, Refusal> open(
      std::int32_t pid, const std::string& domain, std::uint32_t likely_fd = 0);
  /// The one that a process of another pid namespace has passed: its inode and number there.
  [[nodiscard]] static expected<std::unique_ptr<PeerDirectory>, Refusal> open_passed(
      const ForeignProcess& process, const std::string& domain, std::uint64_t inode,
      std::uint32_t fd);
  /// From its page, already mapped from there; null if that is no directory of this domain, or not
  /// that of this process. `identity`: of one in another pid namespace.
  [[nodiscard]] static std::unique_ptr<PeerDirectory> adopt(const os::ForeignMemory& where,
                                                            const std::string& domain,
                                                            os::Mapping page,
                                                            std::uint64_t identity = 0);

  [[nodiscard]] layout::ProcessState state() const;
  [[nodiscard]] std::uint64_t defers_to() const;
  [[nodiscard]] std::uint64_t alive() const {
    return shared_->alive.load(std::memory_order_relaxed);
  }
  /// Raised after each change of its rows.
  [[nodiscard]] std::uint64_t generation() const {
    return shared_->generation.load(std::memory_order_acquire);
  }
  /// Reads what the peer changed; true if `rows()` may be different now.
  [[nodiscard]] bool refresh();
  /// From the next refresh on, only rows of these ends are kept in `rows()`.
  void keep_only(std::shared_ptr<const Ends> wanted);
  [[nodiscard]] const Rows& rows() const { return rows_; }
  /// All rows that make sense, read now.
  [[nodiscard]] std::vector<layout::EndpointRow> all_rows();
  /// Whether it has one of them, as of the last refresh.
  [[nodiscard]] bool has_any(const Ends& ends) const;
  [[nodiscard]] std::size_t invalid_rows() const { return invalid_; }
  /// Something could not be read at the last refresh.
  [[nodiscard]] bool is_torn() const { return torn_; }
  [[nodiscard]] const layout::DirectoryPage* page() const { return shared_; }
  /// The peer's bell page, mapped writable on first use; null if that failed.
  [[nodiscard]] std::shared_ptr<const os::Mapping> bell_page();
  /// "process 12", in words for people.
  [[nodiscard]] std::string who() const;
  [[nodiscard]] bool is_foreign() const { return passage != nullptr; }

  std::int32_t pid = 0;                  ///< its number here; 0: it has none
  std::int32_t own_pid = 0;              ///< as it sees itself
  std::shared_ptr<os::Passage> passage;  ///< of a process in another pid namespace
  std::uint32_t fd = 0;                  ///< where its directory is
  std::uint64_t nonce = 0;
  std::uint32_t slot = 0;
  std::string run_id;

 private:
  struct SeenRow {
    std::uint64_t version = 0;
    std::uint64_t id = 0;   ///< 0: free, or makes no sense
    std::uint64_t end = 0;  ///< hash of topic and kind
    bool invalid = false;
  };
  struct Segment {
    os::Mapping mapping;
    std::vector<SeenRow> seen;
  };
  [[nodiscard]] bool read_page(const std::string& domain, std::uint64_t its_nonce);
  void map_row_segments();
  [[nodiscard]] bool refresh_row(const layout::SharedRow& row, SeenRow& seen);
  [[nodiscard]] bool is_wanted(const SeenRow& seen) const;
  [[nodiscard]] os::ForeignMemory locate(const layout::SegmentRef& segment) const;

  os::Mapping page_;
  const layout::DirectoryPage* shared_ = nullptr;
  std::vector<Segment> segments_;
  std::uint64_t generation_ = 0;
  bool torn_ = false;                   ///< something could not be read: again next time
  std::shared_ptr<const Ends> wanted_;  ///< null: all
  bool wants_other_ = false;            ///< `wanted_` changed since the last refresh
  Rows rows_;
  std::size_t invalid_ = 0;
  std::shared_ptr<const os::Mapping> bell_;
};

/// Description <-> row. `bad_row` is empty for a row that makes sense.
[[nodiscard]] layout::EndpointRow to_row(const EndpointDescription& description, EndpointKind kind);
[[nodiscard]] EndpointDescription to_description(const layout::EndpointRow& row);

}  // namespace ligament::pool
