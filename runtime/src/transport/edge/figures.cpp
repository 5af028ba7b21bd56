// SPDX-License-Identifier: Apache-2.0
/// What the edge says: the graph to others, figures and problems of its own.
#include <fmt/format.h>

#include <algorithm>

#include "memory/match.hpp"
#include "transport/dds/names.hpp"
#include "transport/edge/edge.hpp"

namespace ligament::edge {

namespace {

/// Of one topic, that are told.
constexpr std::size_t most_problems = 32;

pool::EndpointDescription described(const dds::RemoteEndpoint& remote, const std::string& topic,
                                    const pool::EndpointDescription& local) {
  pool::EndpointDescription description;
  description.topic = topic;
  description.type_name = dds::type_from_dds(remote.type).value_or(remote.type);
  description.node = "another participant";
  description.type_hash = local.type_hash;  // they do not decide: has_other_definition
  description.qos = remote.qos;
  return description;
}

/// Between ROS 2 nodes type hashes do not decide who matches, and some announce none (or zeros).
/// But who means another definition by the name reads each other's messages wrongly, if at all.
bool has_other_definition(const dds::RemoteEndpoint& remote,
                          const pool::EndpointDescription& local) {
  const auto theirs = dds::hash_in_user_data(remote.user_data);
  constexpr dds::TypeHash unknown{};
  return theirs && *theirs != unknown && local.type_hash != unknown && *theirs != local.type_hash;
}

/// "/a/b/node" -> {"/a/b", "node"}.
NodeInfo node_info(const std::string& full_name) {
  const std::size_t slash = full_name.rfind('/');
  if (slash == std::string::npos) {
    return {"/", full_name, {}, {}};
  }
  return {slash == 0 ? "/" : full_name.substr(0, slash), full_name.substr(slash + 1), {}, {}};
}

}  // namespace

/// Under mutex_.
GraphInfo Edge::describe_graph() const {
  std::map<std::string, NodeInfo> nodes;
  const auto node_of = [&nodes](const pool::EndpointDescription& description) -> NodeInfo& {
    return nodes.try_emplace(description.node, node_info(description.node)).first->second;
  };
  for (const auto& [name, topic] : topics_) {
    for (const auto& [id, writer] : topic.writers) {
      node_of(writer.description).writers.push_back(writer.proxy->gid());
    }
    for (const auto& [id, reader] : topic.readers) {
      node_of(reader.description).readers.push_back(reader.proxy->gid());
    }
  }
  GraphInfo info;
  info.participant = participant_->gid();
  for (auto& [name, node] : nodes) {
    info.nodes.push_back(std::move(node));
  }
  return info;
}

/// Under mutex_. Each pair of ends that the engine will not match, with the reason.
void Edge::find_problems() {
  problems_.clear();
  if (participant_->ignored_endpoints() != 0) {
    problems_.push_back(fmt::format(
        "the network announces more endpoints than the edge keeps ({}), or some with names or "
        "user data beyond 512 bytes: those are not looked at for problems and services",
        options_.participant.most_remote));
  }
  if (has_twin_) {
    problems_.push_back(
        "another edge serves this graph: what is sent and received passes twice; each pool has one "
        "edge, as a process or within one container");
  }
  for (const auto& [name, topic] : topics_) {
    const std::size_t before = problems_.size();
    for (const dds::RemoteEndpoint& remote : participant_->remote_endpoints(name_in_dds(name))) {
      if (problems_.size() - before >= most_problems) {
        problems_.push_back(
            fmt::format("{}: more ends on the network may not fit; they are not looked at", name));
        break;  // there may be thousands
      }
      judge_remote(name, topic, remote);
    }
  }
}

void Edge::judge_remote(const std::string& name, const Topic& topic,
                        const dds::RemoteEndpoint& remote) {
  if (!remote.is_plain) {
    problems_.push_back(fmt::format(
        "{}: another participant {} XCDR2 alone, and ROS 2's nodes speak XCDR1: nothing passes",
        name, remote.is_writer ? "offers" : "asks for"));
    return;
  }
  const auto judge = [&](const pool::EndpointDescription& local) {
    const auto theirs = described(remote, name, local);
    if (auto problem =
            remote.is_writer ? pool::mismatch(theirs, local) : pool::mismatch(local, theirs)) {
      problems_.push_back(std::move(problem->text));
    } else if (has_other_definition(remote, local)) {
      problems_.push_back(fmt::format(
          "{}: {} and another participant both say {}, but their definitions differ (type hashes "
          "are not equal): messages pass, and are read wrongly or refused",
          name, local.node, local.type_name));
    }
  };
  if (remote.is_writer) {
    for (const auto& [id, reader] : topic.readers) {
      judge(reader.description);
    }
  } else {
    for (const auto& [id, writer] : topic.writers) {
      judge(writer.description);
    }
  }
}

std::vector<std::string> Edge::problems() {
  const std::lock_guard guard(mutex_);
  std::vector<std::string> all = problems_;
  all.insert(all.end(), failures_.begin(), failures_.end());
  return all;
}

TopicFigures Edge::figures_of(const std::string& name, const Topic& topic) {
  TopicFigures figures;
  figures.topic = name;
  figures.publishers = topic.writers.size();
  figures.subscriptions = topic.readers.size();
  for (const auto& [id, writer] : topic.writers) {
    figures.remote_readers = std::max<std::size_t>(figures.remote_readers, writer.proxy->matched());
  }
  for (const auto& [id, reader] : topic.readers) {
    figures.remote_writers = std::max<std::size_t>(figures.remote_writers, reader.proxy->matched());
  }
  figures.out = topic.past_out;
  for (const auto& [kind, route] : topic.out) {
    if (route.open != nullptr) {
      figures.out.add(route.open->figures());
    }
  }
  figures.in = topic.past_in;
  if (topic.in != nullptr) {
    figures.in.add(topic.in->figures());
  }
  return figures;
}

std::vector<TopicFigures> Edge::figures() {
  const std::lock_guard guard(mutex_);
  std::vector<TopicFigures> all;
  for (const auto& [name, topic] : topics_) {
    all.push_back(figures_of(name, topic));
  }
  for (const auto& [name, figures] : gone_) {
    all.push_back(figures);
  }
  return all;
}

}  // namespace ligament::edge
