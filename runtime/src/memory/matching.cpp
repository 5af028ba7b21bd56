// SPDX-License-Identifier: Apache-2.0
/// Matching: brings the links of our endpoints in step with what all directories say now. It is
/// idempotent and runs after every change, so no order of joins, deaths and notifications matters.
///
/// The two sides of a match need no lock between them: the writer's process maps the reader's
/// hold rows and only then writes the reader's id into its own match table; the reader's process
/// takes nothing before it has read its id there.
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

#include "memory/domain.hpp"
#include "memory/match.hpp"
#include "memory/waiter.hpp"

namespace ligament::pool {

namespace {

bool is_live(const layout::EndpointRow& row) {
  return row.state == static_cast<std::uint8_t>(layout::RowState::live);
}

bool wants_history(const EndpointDescription& writer, const EndpointDescription& reader) {
  return writer.qos.durability == DurabilityPolicy::transient_local &&
         reader.qos.durability == DurabilityPolicy::transient_local;
}

os::ForeignMemory segment_of(const Peer& peer, const layout::EndpointRow& row) {
  return {peer.directory->pid, row.fd, row.inode, row.bytes, peer.directory->passage};
}

/// A memory of a process in another pid namespace, which has been asked to pass it.
template <typename Expected>
bool is_on_its_way(const Peer& peer, const Expected& memory) {
  return peer.directory->is_foreign() && !memory && memory.error().code == EAGAIN;
}

}  // namespace

void DomainState::wake_reader(ReaderState& reader) { reader.waiter->ring(); }

void DomainState::report(ProblemKind kind, std::string text, std::uint64_t writer,
                         std::uint64_t reader) {
  unsettled_ = true;  // what stands in the way may pass without a notice
  problems_.push_back({kind, std::move(text), writer, reader});
}

/// The problem stands until it is gone; the event is one, however often we look.
void DomainState::report_mismatch(OwnWriter& own, const layout::EndpointRow& row, Problem problem) {
  if (own.refused.insert_or_assign(row.id, true).second) {
    const auto policy = incompatible_policy(own.state->description.qos, to_description(row).qos);
    own.state->events.note([&](WriterEvents& now) {
      problem.kind == ProblemKind::type_mismatch ? add(now.incompatible_type, 1)
                                                 : add(now.incompatible_qos, policy);
    });
  }
  report(problem.kind, std::move(problem.text), own.row.id, row.id);
}

void DomainState::report_mismatch(OwnReader& own, const layout::EndpointRow& row, Problem problem) {
  if (own.refused.insert_or_assign(row.id, true).second) {
    const auto policy = incompatible_policy(to_description(row).qos, own.state->description.qos);
    own.state->events.note([&](ReaderEvents& now) {
      problem.kind == ProblemKind::type_mismatch ? add(now.incompatible_type, 1)
                                                 : add(now.incompatible_qos, policy);
    });
  }
  report(problem.kind, std::move(problem.text), row.id, own.row.id);
}

void DomainState::match_all() {
  notify_concerned();
  // A link that we made can be what our own reader waits for; two rounds settle it.
  for (int round = 0; round < 4 && (news_ || unsettled_); ++round) {
    news_ = false;
    unsettled_ = false;
    again_ = false;
    match_once();
    if (!again_) {
      break;
    }
    news_ = true;
  }
  for (const OwnReader& own : readers_) {
    own.state->map_new_chunks();
  }
}

void DomainState::match_once() {
  problems_.clear();
  forget_seen();
  auto topics = own_topics();
  for (const auto& [nonce, peer] : peers_) {
    if (peer->directory->invalid_rows() != 0) {
      report(ProblemKind::refused_peer,
             fmt::format("{} announced {} endpoints that make no sense; they are ignored",
                         peer->directory->who(), peer->directory->invalid_rows()));
    }
    for (const auto& [id, row] : peer->directory->rows()) {
      consider_row(*peer, row, topics);
    }
  }
  drop_unseen();
}

std::unordered_map<std::string_view, DomainState::TopicEnds> DomainState::own_topics() {
  std::unordered_map<std::string_view, TopicEnds> topics;
  for (OwnWriter& own : writers_) {
    topics[own.state->description.topic].writers.push_back(&own);
  }
  for (OwnReader& own : readers_) {
    topics[own.state->description.topic].readers.push_back(&own);
  }
  return topics;
}

void DomainState::forget_seen() {
  const auto forget = [](auto& own) {
    for (auto& [id, match] : own.matches) {
      match.seen = false;
    }
    for (auto& [id, seen] : own.refused) {
      seen = false;
    }
  };
  std::for_each(writers_.begin(), writers_.end(), forget);
  std::for_each(readers_.begin(), readers_.end(), forget);
}

void DomainState::consider_row(Peer& peer, const layout::EndpointRow& row,
                               std::unordered_map<std::string_view, TopicEnds>& topics) {
  const auto ends = topics.find(std::string_view(row.topic));
  if (ends == topics.end()) {
    return;
  }
  if (row.kind == static_cast<std::uint8_t>(EndpointKind::reader)) {
    for (OwnWriter* own : ends->second.writers) {
      consider(*own, peer, row);
    }
  } else {
    for (OwnReader* own : ends->second.readers) {
      consider(*own, peer, row);
    }
  }
}

/// Of rows that are matched already nothing is copied: each look passes them all.
void DomainState::consider(OwnWriter& own, Peer& peer, const layout::EndpointRow& row) {
  if (const auto known = own.matches.find(row.id); known != own.matches.end()) {
    known->second.seen = true;
    if (!is_live(row) && !known->second.closing) {
      known->second.closing = true;
      own.state->mark_closing(row.id);
    }
    return;
  }
  if (!is_live(row)) {
    return;
  }
  const EndpointDescription theirs = to_description(row);
  if (auto problem = mismatch(own.state->description, theirs)) {
    report_mismatch(own, row, std::move(*problem));
    return;
  }
  link_reader(own, peer, row, theirs);
}

/// What a publish calls of a reader of this very process. Not of one of the writer's own node: that
/// knows what it publishes, and may hold locks of its own meanwhile.
OnPublish DomainState::on_publish_of(const OwnWriter& own, const Peer& peer,
                                     std::uint64_t reader) const {
  if (peer.directory->nonce != nonce_) {
    return nullptr;
  }
  const auto known = std::find_if(readers_.begin(), readers_.end(),
                                  [reader](const auto& entry) { return entry.row.id == reader; });
  const bool is_of_another =
      known != readers_.end() && known->state->description.node != own.state->description.node;
  return is_of_another ? known->state->on_publish : nullptr;
}

void DomainState::link_reader(OwnWriter& own, Peer& peer, const layout::EndpointRow& row,
                              const EndpointDescription& theirs) {
  auto link = std::make_unique<ReaderLink>();
  link->bell_page = peer.directory->bell_page();
  auto mapping = os::map_foreign(segment_of(peer, row), {});
  const std::size_t needed = layout::holds_offset + row.max_held * sizeof(layout::Word);
  if (is_on_its_way(peer, mapping) || (peer.directory->is_foreign() && !link->bell_page)) {
    unsettled_ = true;
    return;
  }
  if (!mapping || mapping->size() < needed || link->bell_page == nullptr || row.bell_slot == 0) {
    report(ProblemKind::refused_peer,
           fmt::format("topic {}: the subscription of {} cannot be reached{}", theirs.topic,
                       peer.directory->who(), mapping ? "" : " (" + mapping.error().text() + ")"),
           own.row.id, row.id);
    return;
  }
  if (has_no_room_for(own.row.id, mapping->as<const layout::ReaderSegment>()->cursors)) {
    report(ProblemKind::too_many_ends,
           fmt::format("topic {}: the subscription in {} ({}) has {} publishers already, the most "
                       "that there may be; the one in {} does not serve it",
                       theirs.topic, theirs.node, peer.directory->who(), layout::max_ends,
                       own.state->description.node),
           own.row.id, row.id);
    return;
  }
  link->reader = row.id;
  link->node = theirs.node;
  link->pid = peer.directory->pid;
  link->passage = peer.directory->passage;
  link->max_held = row.max_held;
  link->segment = std::move(*mapping);
  link->paced = is_paced(own.state->description, theirs);
  link->pace.own_executor = peer.directory->nonce == nonce_ && own.state->waiter != nullptr &&
                            own.state->waiter->bell_slot == row.bell_slot;
  link->bell_slot = row.bell_slot;
  link->on_publish = on_publish_of(own, peer, row.id);
  const bool history = wants_history(own.state->description, theirs);
  const bool all = theirs.qos.history == HistoryPolicy::keep_all;
  const auto depth = all ? static_cast<std::uint32_t>(layout::max_ring) : theirs.qos.depth;
  if (!own.state->link(std::move(link), history, depth)) {
    const bool is_full = own.state->matched() >= layout::max_ends;
    const std::string why =
        is_full ? fmt::format("it has {} already, the most that there may be", layout::max_ends)
                : "there is no memory for the samples it may hold";
    report(is_full ? ProblemKind::too_many_ends : ProblemKind::no_memory,
           fmt::format("topic {}: the publisher in {} cannot serve the subscription in {}: {}",
                       theirs.topic, own.state->description.node, theirs.node, why),
           own.row.id, row.id);
    return;
  }
  ++matches_changed_;
  own.matches.emplace(row.id, ReaderMatch{.is_device = (row.flags & layout::is_device) != 0,
                                          .process = peer.directory->nonce,
                                          .pid = peer.directory->pid});
  notify_.insert(peer.directory->slot);
  again_ = true;
}

void DomainState::consider(OwnReader& own, Peer& peer, const layout::EndpointRow& row) {
  auto known = own.matches.find(row.id);
  if (known == own.matches.end()) {
    const EndpointDescription theirs = to_description(row);
    // Also a writer that is closing already: it may have linked us, and published, before we saw
    // it.
    if (auto problem = mismatch(theirs, own.state->description)) {
      if (is_live(row)) {
        report_mismatch(own, row, std::move(*problem));
      }
      return;
    }
    open_writer(own, peer, row, theirs);
    known = own.matches.find(row.id);
    if (known == own.matches.end()) {
      return;
    }
  }
  known->second.seen = true;
  WriterMatch& match = known->second;
  if (!is_live(row) && !match.closing) {
    end_match(own, match);
    match.closing = true;
    own.state->mark_closing(row.id);
  }
  if (!match.active) {
    activate(own, row.id, match, to_description(row));
  }
}

void DomainState::open_writer(OwnReader& own, Peer& peer, const layout::EndpointRow& row,
                              const EndpointDescription& theirs) {
  auto link = WriterLink::open({peer.directory->nonce, row.id, row.type_hash, segment_of(peer, row),
                                row.lifespan_ns, is_paced(theirs, own.state->description),
                                (row.flags & layout::is_successor) != 0, theirs.node});
  if (is_on_its_way(peer, link)) {
    unsettled_ = true;
    return;
  }
  if (!link) {
    report(ProblemKind::refused_peer,
           fmt::format("topic {}: the publisher of {} cannot be reached ({})", theirs.topic,
                       peer.directory->who(), link.error().text()),
           row.id, own.row.id);
    return;
  }
  (*link)->map_chunks();
  own.matches[row.id].link = std::move(*link);
  LIGAMENT_CRASH_POINT("match.writer_opened");
}

void DomainState::report_full(const OwnReader& own, std::uint64_t writer,
                              const EndpointDescription& theirs) {
  report(ProblemKind::too_many_ends,
         fmt::format("topic {}: the subscription in {} has {} publishers already, the most that "
                     "there may be; the one in {} is ignored",
                     theirs.topic, own.state->description.node, layout::max_ends, theirs.node),
         writer, own.row.id);
}

void DomainState::activate(OwnReader& own, std::uint64_t writer, WriterMatch& match,
                           const EndpointDescription& theirs) {
  std::uint64_t start = 0;
  std::uint64_t granted = 0;
  if (!match.link->find_match(own.row.id, start, granted)) {
    unsettled_ = true;
    if (own.state->is_full()) {
      report_full(own, writer, theirs);
    } else if (match.link->serves_only_others(own.row.id)) {
      report(ProblemKind::too_many_ends,
             fmt::format("topic {}: the publisher in {} serves {} subscriptions already, the most "
                         "that there may be; the one in {} gets nothing from it",
                         theirs.topic, theirs.node, layout::max_ends, own.state->description.node),
             writer, own.row.id);
    }
    return;  // the writer's process has not looked yet, and will notify us; or we have no room
  }
  ++matches_changed_;
  match.link->map_chunks();
  match.link->closing = match.closing;
  if (!own.state->link(match.link, start, granted)) {
    report_full(own, writer, theirs);
    own.matches.erase(writer);
    return;
  }
  match.active = true;
  match.liveliness.manual = theirs.qos.liveliness == LivelinessPolicy::manual_by_topic;
  match.liveliness.lease_ns = theirs.qos.liveliness_lease_ns;
  match.liveliness.linked_ns = monotonic_now_ns();
  wake_reader(*own.state);
}

/// What a dead process held is free, unless a device may still read it.
void DomainState::end_match(OwnWriter& own, std::uint64_t reader, const ReaderMatch& match) {
  ++matches_changed_;
  if (match.is_device && is_idle_ && died_.count(match.process) != 0) {
    own.state->quarantine(reader);
    quarantined_.push_back({own.state, reader, match.pid});
  } else {
    own.state->unlink(reader);
  }
}

/// A writer that closes is neither alive nor lost; one that dies is lost, as in DDS.
void DomainState::end_match(OwnReader& own, WriterMatch& match) {
  ++matches_changed_;
  if (match.active && !match.closing) {
    const bool died = died_.count(match.link->source.process) != 0;
    using State = Liveliness::State;
    set_liveliness(own, match, died ? State::not_alive : State::unknown);
  }
}

void DomainState::drop_unseen() {
  for (OwnWriter& own : writers_) {
    std::erase_if(own.matches, [&](const auto& entry) {
      if (!entry.second.seen) {
        end_match(own, entry.first, entry.second);
      }
      return !entry.second.seen;
    });
    std::erase_if(own.refused, [](const auto& entry) { return !entry.second; });
  }
  for (OwnReader& own : readers_) {
    for (auto& [id, match] : own.matches) {
      if (!match.seen) {
        end_match(own, match);
        own.state->mark_gone(id);
      }
    }
    std::erase_if(own.matches, [](const auto& entry) { return !entry.second.seen; });
    std::erase_if(own.refused, [](const auto& entry) { return !entry.second; });
  }
}

}  // namespace ligament::pool
