// SPDX-License-Identifier: Apache-2.0
#include "transport/edge/status.hpp"

#include "transport/dds/engine_errors.hpp"

namespace ligament::edge {

namespace {

nlohmann::json topic_json(const TopicFigures& topic) {
  return {{"topic", topic.topic},
          {"publishers", topic.publishers},
          {"subscriptions", topic.subscriptions},
          {"remote_writers", topic.remote_writers},
          {"remote_readers", topic.remote_readers},
          {"sent", topic.out.sent},
          {"bytes_sent", topic.out.bytes},
          {"copied", topic.out.copied},
          {"lost", topic.out.lost},
          {"refused", topic.out.refused},
          {"unconfirmed", topic.out.unconfirmed},
          {"held_back", topic.out.held_back},
          {"received", topic.in.received},
          {"bytes_received", topic.in.bytes},
          {"repeated", topic.in.repeated},
          {"missing", topic.in.missing},
          {"no_room", topic.in.no_room},
          {"too_large", topic.in.too_large},
          {"big_endian", topic.in.big_endian},
          {"unknown_form", topic.in.unknown_form},
          {"unwanted", topic.in.unwanted}};
}

}  // namespace

nlohmann::json figures_line(const std::vector<TopicFigures>& figures) {
  nlohmann::json topics = nlohmann::json::array();
  for (const TopicFigures& topic : figures) {
    topics.push_back(topic_json(topic));
  }
  return {{"event", "edge"}, {"t_ns", pool::monotonic_now_ns()}, {"topics", std::move(topics)}};
}

StatusWriter::StatusWriter(container::StatusChannel& channel, Edge& edge, std::string origin)
    : channel_(channel),
      edge_(edge),
      origin_(std::move(origin)),
      problems_([this](LogLevel,
                       std::string_view text) { channel_.send_error(origin_, std::string(text)); },
                {.kinds = 8}, pool::monotonic_now_ns) {}

void StatusWriter::write() {
  dds::tell_engine_counts();
  if (!channel_.is_open()) {
    return;  // nobody reads: a thousand topics are half a millisecond each second
  }
  constexpr std::size_t most_told = 256;  // names in them are chosen by whoever is on the network
  if (told_.size() >= most_told) {
    told_.clear();
  }
  for (const std::string& problem : edge_.problems()) {
    if (told_.insert(problem).second) {
      problems_.write(LogLevel::error, problem);
    }
  }
  problems_.tick();
  auto figures = edge_.figures();
  const bool same = has_told_ && figures == told_figures_;
  if (same && told_twice_) {
    return;  // the last line still holds
  }
  channel_.send(figures_line(figures));
  told_figures_ = std::move(figures);
  has_told_ = true;
  told_twice_ = same;  // two equal lines: whoever looks at rates sees that they are 0 now
}

}  // namespace ligament::edge
