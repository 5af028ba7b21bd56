// SPDX-License-Identifier: Apache-2.0
/// \file The inside of a domain: own endpoints, peers, and the one housekeeping thread that matches
/// them. Nothing here is on the data path.
#pragma once

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

#include "ligament/detail/pool.hpp"
#include "memory/directory.hpp"
#include "memory/os/passage.hpp"
#include "memory/os/system.hpp"
#include "memory/qos_watch.hpp"
#include "memory/reader.hpp"
#include "memory/rendezvous.hpp"
#include "memory/writer.hpp"

namespace ligament::pool {

struct DomainState {
  explicit DomainState(const DomainOptions& options_in);
  ~DomainState();
  DomainState(const DomainState&) = delete;
  DomainState& operator=(const DomainState&) = delete;

  [[nodiscard]] expected<void, DomainError> join();

  [[nodiscard]] expected<std::shared_ptr<WriterState>, EndpointError> add_writer(
      const EndpointDescription& description, const WriterOptions& options,
      std::shared_ptr<WaiterState> waiter);
  [[nodiscard]] expected<std::shared_ptr<ReaderState>, EndpointError> add_reader(
      const EndpointDescription& description, const ReaderOptions& options,
      std::shared_ptr<WaiterState> waiter);
  [[nodiscard]] expected<Directory::Place, EndpointError> show(
      const EndpointDescription& description, EndpointKind kind);
  void hide(Directory::Place place, std::string_view topic);
  void remove(const std::shared_ptr<WriterState>& writer);
  void remove(const std::shared_ptr<ReaderState>& reader);

  [[nodiscard]] std::vector<EndpointInfo> endpoints();
  [[nodiscard]] std::vector<Problem> problems();
  [[nodiscard]] std::vector<std::int32_t> peer_pids();
  [[nodiscard]] std::size_t foreign_peers();
  [[nodiscard]] std::uint64_t version();
  [[nodiscard]] std::shared_ptr<void> watch(std::function<void()> changed);
  void match_now();
  void say_working();
  void set_quarantine(std::function<bool(std::uint64_t, std::int32_t)> is_idle);
  [[nodiscard]] const std::shared_ptr<Bells>& bells() const { return directory_.bells(); }

  const DomainOptions options;

 private:
  /// One of our endpoints; `S` is its state, `Match` what we know of each end it is matched with.
  template <typename S, typename Match>
  struct Own {
    std::shared_ptr<S> state;
    Directory::Place place;
    layout::EndpointRow row;
    std::map<std::uint64_t, Match> matches;
    std::map<std::uint64_t, bool> refused;  ///< ends that do not match, and whether still there
    DeadlineCount deadline;
    Liveliness liveliness;  ///< writers: their own view
  };
  struct ReaderMatch {
    bool seen = true;
    bool closing = false;
    bool is_device = false;
    std::uint64_t process = 0;
    std::int32_t pid = 0;
  };
  struct WriterMatch {
    bool seen = true;
    bool closing = false;
    bool active = false;  ///< the writer has said that it reads our holds
    std::shared_ptr<WriterLink> link;
    Liveliness liveliness;
  };
  /// What is looked at of a peer at every wake, side by side: with 200 peers, what lies elsewhere
  /// costs a cache miss each.
  struct Sentry {
    const layout::DirectoryPage* page = nullptr;
    std::uint64_t nonce = 0;
    std::uint64_t generation = 0;  ///< as of the last refresh
    bool again = true;             ///< refresh it whatever its generation
    Peer* peer = nullptr;
  };
  using OwnWriter = Own<WriterState, ReaderMatch>;
  using OwnReader = Own<ReaderState, WriterMatch>;
  struct RestingWriter {
    std::shared_ptr<WriterState> state;
    Directory::Place place;
    bool announced = true;         ///< its row still stands, so that readers can map what is new
    std::int64_t deadline_ns = 0;  ///< for them
  };
  struct Quarantined {  ///< its process is dead, but its device may still read
    std::shared_ptr<WriterState> writer;
    std::uint64_t reader = 0;
    std::int32_t pid = 0;
  };
  /// With a process of another pid namespace (spec/wire/pid-namespaces.md).
  struct Meeting {
    std::shared_ptr<os::Passage> passage;
    os::Fd pidfd;
    os::PeerCredentials who;
    std::uint64_t identity = 0;        ///< which process it is, as the kernel says
    std::uint32_t slot = 0;            ///< of one that we have called
    bool is_called = false;            ///< it answers our hello, else we its
    std::unique_ptr<Peer> met;         ///< we have reached it, and do not know yet whether it us
    std::uint64_t nonce = 0;           ///< of the peer, once it is one
    std::vector<os::Note> unanswered;  ///< there was no room
    bool is_over = false;
  };
  struct TopicEnds {
    std::vector<OwnWriter*> writers;
    std::vector<OwnReader*> readers;
  };

  using Watcher = std::function<void()>;

  // joining.cpp
  /// Another run of the graph's name; the domains of ROS 2 are shared by whoever comes.
  [[nodiscard]] bool is_other_run(const std::string& run_id) const;
  void give_up();
  [[nodiscard]] expected<void, DomainError> adopt_peers();
  [[nodiscard]] expected<void, DomainError> adopt_found(const FoundProcess& process);
  [[nodiscard]] expected<void, DomainError> settle_conflict(const Peer& peer);
  [[nodiscard]] expected<void, os::SystemError> open_events();
  [[nodiscard]] bool adopt(std::unique_ptr<Peer> peer);
  void refuse(std::string text);
  [[nodiscard]] std::string text_of_other_run(const PeerDirectory& directory) const;

  // meeting.cpp
  void call(std::uint32_t slot);
  void receive(os::Visitor visitor);
  [[nodiscard]] bool begin_meeting(os::Connection connection, Meeting meeting);
  void make_room_for(std::uint64_t identity);
  void turn_away(Meeting& meeting, bool again);
  void call_again(std::uint32_t slot);
  [[nodiscard]] bool attend_meetings();
  [[nodiscard]] bool attend(Meeting& meeting);
  void answer(Meeting& meeting, const os::Note& note);
  void hand_over(Meeting& meeting, const os::Note& wanted);
  void accept_refusal(Meeting& meeting, bool again);
  void introduce(Meeting& meeting);
  void meet(Meeting& meeting, const os::Note& hello);
  void settle(Meeting& meeting, std::unique_ptr<Peer> peer);
  void end_meetings_with(std::uint64_t nonce);

  // domain.cpp
  [[nodiscard]] expected<Directory::Place, EndpointError> publish_row(
      layout::EndpointRow& row, const os::SharedMemory& segment, std::uint64_t counter);
  /// Under mutex_: a row of this topic changed.
  void own_change(std::string_view topic, EndpointKind kind);
  void follow_own_ends();

  // housekeeping.cpp
  void run();
  [[nodiscard]] bool wait_for_events(std::int64_t until_ns);
  [[nodiscard]] int look(bool told);
  [[nodiscard]] bool watch(int fd, std::uint64_t key);
  void watch_listener(bool on);
  void meet_newcomers();
  void wake_who_missed_data();
  void greet(os::Visitor visitor);
  void greet_found(const FoundProcess& process);
  void welcome(expected<std::unique_ptr<Peer>, Refusal> peer, os::Visitor visitor);
  void greet_later(os::Visitor visitor);
  void greet_again();
  void ask_full_slots();
  void bury_the_dead();
  void look_for_news();
  [[nodiscard]] std::uint64_t sum_of_generations() const;
  [[nodiscard]] std::uint64_t sum_of_seen_generations() const;
  [[nodiscard]] std::vector<std::shared_ptr<const Watcher>> concerned_watchers();
  void notify_concerned();
  void notify_watchers_of_graph();
  void send_notifications();
  [[nodiscard]] bool sweep();
  void sweep_writers();
  void sweep_readers();
  void ask_quarantine();
  void linger();
  void leave();
  void poke();  ///< wakes the housekeeping thread
  void arm_clock_watch();

  // matching.cpp
  void match_all();
  void match_once();
  [[nodiscard]] std::unordered_map<std::string_view, TopicEnds> own_topics();
  void forget_seen();
  void consider_row(Peer& peer, const layout::EndpointRow& row,
                    std::unordered_map<std::string_view, TopicEnds>& topics);
  void consider(OwnWriter& own, Peer& peer, const layout::EndpointRow& row);
  void consider(OwnReader& own, Peer& peer, const layout::EndpointRow& row);
  [[nodiscard]] OnPublish on_publish_of(const OwnWriter& own, const Peer& peer,
                                        std::uint64_t reader) const;
  void link_reader(OwnWriter& own, Peer& peer, const layout::EndpointRow& row,
                   const EndpointDescription& theirs);
  void open_writer(OwnReader& own, Peer& peer, const layout::EndpointRow& row,
                   const EndpointDescription& theirs);
  void activate(OwnReader& own, std::uint64_t writer, WriterMatch& match,
                const EndpointDescription& theirs);
  void report_full(const OwnReader& own, std::uint64_t writer, const EndpointDescription& theirs);
  void drop_unseen();
  void end_match(OwnWriter& own, std::uint64_t reader, const ReaderMatch& match);
  void end_match(OwnReader& own, WriterMatch& match);
  void report(ProblemKind kind, std::string text, std::uint64_t writer = 0,
              std::uint64_t reader = 0);
  void report_mismatch(OwnWriter& own, const layout::EndpointRow& row, Problem problem);
  void report_mismatch(OwnReader& own, const layout::EndpointRow& row, Problem problem);
  static void wake_reader(ReaderState& reader);

  // qos_watch.cpp
  [[nodiscard]] std::int64_t watch_qos();
  [[nodiscard]] std::int64_t keep_alive(std::int64_t now);
  [[nodiscard]] std::int64_t watch_writer(OwnWriter& own, std::int64_t now);
  [[nodiscard]] std::int64_t watch_reader(OwnReader& own, std::int64_t now);
  [[nodiscard]] std::int64_t watch_match(OwnReader& own, WriterMatch& match, std::int64_t published,
                                         std::int64_t now);
  static void set_liveliness(OwnReader& own, WriterMatch& match, Liveliness::State state);

  std::mutex mutex_;  ///< guards everything below but the events and the thread
  Rendezvous rendezvous_;
  Directory directory_;
  std::uint64_t nonce_ = 0;  ///< from `join` on
  std::uint64_t counter_ = 0;
  std::map<std::uint64_t, std::unique_ptr<Peer>> peers_;  ///< by nonce, ourselves among them
  std::list<OwnWriter> writers_;
  std::list<OwnReader> readers_;
  std::vector<RestingWriter> resting_writers_;  ///< closed; readers map, or loans are still out
  std::vector<OwnReader> resting_readers_;      ///< closed; samples are still held
  std::vector<Problem> problems_;               ///< rebuilt by each matching
  std::vector<Problem> refusals_;               ///< processes that may not join; newest 32
  std::vector<Quarantined> quarantined_;
  std::function<bool(std::uint64_t, std::int32_t)> is_idle_;  ///< the quarantine's check, or none
  std::set<std::uint64_t> died_;           ///< processes, by nonce, since the last matching
  std::set<std::uint32_t> notify_;         ///< slots to notify
  std::vector<std::uint32_t> full_slots_;  ///< somebody is there, but has not let us in yet
  std::vector<os::Visitor> to_greet_;      ///< for whom we had no descriptors
  std::vector<Meeting> meetings_;
  bool crowded_ = false;          ///< there may be more newcomers; the housekeeping thread's alone
  bool listener_watched_ = true;  ///< not while we have no descriptor to accept with
  std::vector<Sentry> sentries_;  ///< one per peer
  std::vector<std::uint64_t> ended_;      ///< nonces of peers that died or leave, it seems
  std::vector<std::uint64_t> newcomers_;  ///< may have read our directory before our last changes
  std::size_t unwatched_ = 0;             ///< peers whose death is no event: we ask
  std::shared_ptr<const Ends> partners_ = std::make_shared<Ends>();  ///< of our endpoints
  bool partners_stale_ = false;                                      ///< one came or went
  Ends changed_;             ///< partners of rows that we changed since we last looked at our peers
  Ends telling_;             ///< the same before that look: who has one is notified
  bool graph_owed_ = false;  ///< who watches the graph does not know of our last changes
  std::int64_t graph_due_ns_ = 0;  ///< when it may be told
  std::vector<std::weak_ptr<const Watcher>> watchers_;
  std::uint64_t matches_changed_ = 0;  ///< of our endpoints: made and ended, ever
  std::uint64_t late_rows_ = 0;        ///< times that rows were read later than their generation
  std::uint64_t told_version_ = 0;     ///< to the watchers
  bool news_ = true;                   ///< matching may find something to do
  bool unsettled_ = false;             ///< it must look again though nobody says so
  int rest_ms_ = 0;                    ///< between two looks that nobody has asked for
  bool again_ = false;  ///< matching changed something that we must look at ourselves

  os::Fd epoll_;
  os::Fd poke_;
  os::Fd clock_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace ligament::pool
