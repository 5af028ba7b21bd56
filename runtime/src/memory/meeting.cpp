// SPDX-License-Identifier: Apache-2.0
/// Processes of one user in different pid namespaces: neither finds the other's memory by its
/// number, so each passes it over a connection that stays (spec/wire/pid-namespaces.md). The one
/// that found the other calls. Each maps the other's directory before it counts the other as a
/// peer, and only then says so: nobody serves a process that cannot reach it.
#include <fmt/format.h>
#include <sys/epoll.h>

#include <algorithm>

#include "memory/domain.hpp"

namespace ligament::pool {

namespace {

// Connections of processes that have not said who they are, or of one that opens many.
constexpr std::size_t most_unsettled = 64;
constexpr std::size_t most_unsettled_of_one = 4;
constexpr std::size_t most_unanswered = 256;

std::string shown(const os::PeerCredentials& who) {
  return who.pid > 0 ? fmt::format("process {} (in another pid namespace)", who.pid)
                     : std::string("a process of another pid namespace");
}

}  // namespace

/// What we lack now may be there later: full slots are asked again.
void DomainState::call_again(std::uint32_t slot) {
  if (std::count(full_slots_.begin(), full_slots_.end(), slot) == 0) {
    full_slots_.push_back(slot);
  }
}

/// It was found in this slot.
void DomainState::call(std::uint32_t slot) {
  auto called = rendezvous_.call(slot);
  if (!called) {
    if (os::may_pass(called.error())) {
      call_again(slot);
    }
    return;  // else it has gone
  }
  Meeting meeting;
  meeting.who = called->who;
  meeting.slot = slot;
  meeting.is_called = true;
  if (begin_meeting(std::move(called->connection), std::move(meeting))) {
    introduce(meetings_.back());
  }
}

/// It has found us. A greeting only looks who is there: a call follows.
void DomainState::receive(os::Visitor visitor) {
  constexpr auto greeting = static_cast<std::uint32_t>(os::NoteKind::greeting);
  if (visitor.connection && (visitor.greeting.nonce == 0 || visitor.greeting.kind != greeting)) {
    Meeting meeting;
    meeting.who = visitor.who;
    (void)begin_meeting(std::move(visitor.connection), std::move(meeting));
  }
}

bool DomainState::begin_meeting(os::Connection connection, Meeting meeting) {
  auto pidfd = os::process_behind(connection);
  if (meeting.who.uid != ::geteuid() || (pidfd && !os::process_alive(*pidfd))) {
    return false;
  }
  const bool is_short = !pidfd && os::is_want_of_descriptors(pidfd.error());
  meeting.identity = pidfd ? os::identity_of(*pidfd) : 0;
  if (meeting.identity == 0 && !is_short) {
    if (!can_meet_foreign_processes()) {  // else it has ended already
      refuse(fmt::format(
          "{} is in domain '{}', but this kernel does not say which process it is (that needs "
          "Linux 6.9): memory is not shared with it",
          shown(meeting.who), options.name));
    }
    return false;
  }
  meeting.passage = std::make_shared<os::Passage>(std::move(connection));
  const auto watched = meeting.passage->watched();
  if (is_short ||
      !std::all_of(watched.begin(), watched.end(), [this](int fd) { return watch(fd, 0); })) {
    refuse(
        fmt::format("{} cannot be joined yet: no descriptor is left here (raise the limit: "
                    "`ulimit -n`, LimitNOFILE= of a service)",
                    shown(meeting.who)));
    turn_away(meeting, true);
    return false;
  }
  meeting.pidfd = std::move(*pidfd);
  make_room_for(meeting.identity);
  meetings_.push_back(std::move(meeting));
  return true;
}

/// Who opens many connections is one process, and loses its own. Whom we have called does not
/// count: there are no more of them than slots, and a newcomer calls them all at once.
void DomainState::make_room_for(std::uint64_t identity) {
  const auto drop_oldest = [this](std::size_t most, auto&& is_counted) {
    const auto count = std::count_if(meetings_.begin(), meetings_.end(), is_counted);
    if (static_cast<std::size_t>(count) >= most) {
      const auto oldest = std::find_if(meetings_.begin(), meetings_.end(), is_counted);
      turn_away(*oldest, true);  // one that means it calls again
      meetings_.erase(oldest);
    }
  };
  const auto is_unsettled = [](const Meeting& one) { return one.nonce == 0 && !one.is_called; };
  drop_oldest(most_unsettled_of_one,
              [&](const Meeting& one) { return is_unsettled(one) && one.identity == identity; });
  drop_oldest(most_unsettled, is_unsettled);
}

/// For good, or to be called again.
void DomainState::turn_away(Meeting& meeting, bool again) {
  if (again && meeting.is_called) {
    call_again(meeting.slot);
  }
  (void)meeting.passage->send({again ? 1U : 0U, 0, os::NoteKind::refused});
  meeting.is_over = true;
}

/// What we pass first: where all else is found from.
void DomainState::introduce(Meeting& meeting) {
  const std::uint64_t inode = directory_.inode();
  const bool is_sent = meeting.passage->pass(inode, directory_.fd()) == os::PassResult::passed &&
                       meeting.passage->send({inode, directory_.fd(), os::NoteKind::hello});
  meeting.is_over = meeting.is_over || !is_sent;
}

/// True: there is something to do though nobody says so.
bool DomainState::attend_meetings() {
  bool owing = false;
  for (Meeting& meeting : meetings_) {
    owing = attend(meeting) || owing;
  }
  std::erase_if(meetings_, [](const Meeting& one) { return one.is_over; });
  return owing;
}

bool DomainState::attend(Meeting& meeting) {
  news_ = meeting.passage->receive() || news_;
  auto notes = std::exchange(meeting.unanswered, {});
  const auto more = meeting.passage->take_notes();
  notes.insert(notes.end(), more.begin(), more.end());
  for (const os::Note& note : notes) {
    if (!meeting.is_over) {
      answer(meeting, note);
    }
  }
  if (meeting.passage->has_ended()) {
    if (meeting.passage->has_passed_foreign()) {
      refuse(fmt::format("{} cannot be joined: it passes what is no memory of a pool",
                         shown(meeting.who)));
    }
    const bool is_mute = meeting.is_called && meeting.nonce == 0 && !meeting.is_over;
    if (is_mute && os::process_alive(meeting.pidfd)) {
      refuse(fmt::format("{} is in domain '{}', but does not answer: it may be of an older version",
                         shown(meeting.who), options.name));
    }
    meeting.is_over = true;
  }
  if (meeting.is_over) {
    meeting.passage->end();
  }
  return !meeting.unanswered.empty() || meeting.passage->keeps_memory();
}

void DomainState::answer(Meeting& meeting, const os::Note& note) {
  const bool is_known = meeting.nonce != 0 || meeting.met != nullptr;
  switch (note.kind) {
    case os::NoteKind::hello:
      return is_known ? void() : meet(meeting, note);
    case os::NoteKind::confirmed:
      return meeting.met == nullptr ? void() : settle(meeting, std::move(meeting.met));
    case os::NoteKind::wanted:
      if (is_known) {
        return hand_over(meeting, note);
      }
      meeting.is_over = meeting.is_over || !meeting.is_called;  // it has not said who it is
      return;
    case os::NoteKind::refused:
      return meeting.nonce != 0 ? void() : accept_refusal(meeting, note.word != 0);
    default:  // a process that only looks who is there, or nonsense
      meeting.is_over = meeting.is_over || meeting.nonce == 0;
      return;
  }
}

void DomainState::hand_over(Meeting& meeting, const os::Note& wanted) {
  if (meeting.passage->pass(wanted.word, wanted.fd) == os::PassResult::no_room &&
      meeting.unanswered.size() < most_unanswered) {
    meeting.unanswered.push_back(wanted);
  }
}

void DomainState::accept_refusal(Meeting& meeting, bool again) {
  meeting.is_over = true;
  if (again && meeting.is_called) {
    call_again(meeting.slot);
  } else if (!again) {
    refuse(
        fmt::format("{} does not share domain '{}' with this one: our memory does not get "
                    "through to it, or it is of another run; its own problems say why",
                    shown(meeting.who), options.name));
  }
}

/// Its hello. Whom we can reach we answer; who has answered us knows that it reaches us.
void DomainState::meet(Meeting& meeting, const os::Note& hello) {
  auto directory =
      PeerDirectory::open_passed({meeting.who.pid, os::identity_of(meeting.pidfd), meeting.passage},
                                 options.name, hello.word, hello.fd);
  if (!os::process_alive(meeting.pidfd)) {
    meeting.is_over = true;
    return;
  }
  if (!directory || is_other_run((*directory)->run_id)) {
    refuse(directory ? text_of_other_run(**directory) : directory.error().text);
    turn_away(meeting, !directory && directory.error().again);
    return;
  }
  auto peer = std::make_unique<Peer>();
  peer->pidfd = std::move(meeting.pidfd);
  peer->directory = std::move(*directory);
  if (meeting.is_called) {
    meeting.is_over = !meeting.passage->send({0, 0, os::NoteKind::confirmed});
    return meeting.is_over ? void() : settle(meeting, std::move(peer));
  }
  meeting.met = std::move(peer);
  introduce(meeting);
}

/// Both have reached each other. Two that found each other at once have two connections: what
/// comes over either is the peer's.
void DomainState::settle(Meeting& meeting, std::unique_ptr<Peer> peer) {
  const std::uint64_t nonce = peer->directory->nonce;
  meeting.passage->settle();
  const auto known = peers_.find(nonce);
  if (known != peers_.end()) {
    // Where the other one has ended nobody reads any more what comes.
    const auto& passage = known->second->directory->passage;
    if (passage != nullptr && !passage->has_ended()) {
      passage->merge(*meeting.passage);
    }
    meeting.is_over = true;
    return;
  }
  if (!os::process_alive(peer->pidfd) || !adopt(std::move(peer))) {
    meeting.is_over = true;
    return;
  }
  meeting.nonce = nonce;
  newcomers_.push_back(nonce);
}

/// What it has passed can still be taken by those who read what it published.
void DomainState::end_meetings_with(std::uint64_t nonce) {
  for (Meeting& meeting : meetings_) {
    if (meeting.nonce == nonce) {
      meeting.passage->end();
    }
  }
  std::erase_if(meetings_, [nonce](const Meeting& one) { return one.nonce == nonce; });
}

}  // namespace ligament::pool
