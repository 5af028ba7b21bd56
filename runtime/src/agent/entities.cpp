// SPDX-License-Identifier: Apache-2.0
#include "agent/entities.hpp"

#include <algorithm>

#include "agent/names.hpp"

namespace ligament::xrce {

namespace {

constexpr std::size_t most_entities = 256;
constexpr int greatest_domain = 232;
constexpr std::uint16_t agents_domain = 255;  // micro-ROS: "the one that the agent has"
constexpr std::uint32_t least_ring = 10;  // as rmw_ligament_cpp: a reader reads its writer's ring
constexpr std::uint32_t service_depth = 10;
constexpr std::uint32_t max_held = 2;
constexpr std::size_t longest_told = 80;  // of what a client names

unexpected<Refusal> refuse(Status status, std::string text) {
  return unexpected<Refusal>({status, std::move(text)});
}

/// Nothing is wrong for clients among themselves, so it is no refusal.
std::string unseen_by_ros(const std::string& type) {
  return "the type " + type.substr(0, longest_told) +
         " is none of ROS 2 (package/msg/Name): no ROS 2 node hears it";
}

/// The kind that an entity's parent must have.
Kind parent_of(Kind kind) {
  return kind == Kind::writer   ? Kind::publisher
         : kind == Kind::reader ? Kind::subscriber
                                : Kind::participant;
}

}  // namespace

Entity* Entities::find(std::uint16_t id) {
  const auto found = entities_.find(id);
  return found == entities_.end() ? nullptr : &found->second;
}

std::vector<std::pair<std::uint16_t, Entity*>> Entities::readings() {
  std::vector<std::pair<std::uint16_t, Entity*>> found;
  for (auto& [id, entity] : entities_) {
    if (entity.reading) {
      found.emplace_back(id, &entity);
    }
  }
  return found;
}

Entities::Answer Entities::create(const Part& part) {
  CdrReader head(part.payload, true);
  const Answer answer{read_request(head), Status::ok, {}};
  const bool reuses = (part.flags & flag::reuse) != 0;
  const bool replaces = (part.flags & flag::replace) != 0;
  const Entity* old = find(answer.request.object);
  if (old != nullptr && !reuses && !replaces) {
    return {answer.request, Status::already_exists, "an object of this id exists"};
  }
  auto asked = read_create(part, profiles_);
  if (!asked) {
    return {answer.request, asked.error().status, asked.error().text};
  }
  asked->request = {{}, answer.request.object};  // another request may ask for the same object
  if (old != nullptr && reuses && *asked == old->asked) {
    return {answer.request, Status::ok_matched, {}};
  }
  if (old != nullptr && !replaces) {
    return {answer.request, Status::mismatch, "an object of this id exists, and is another one"};
  }
  remove_with_children(answer.request.object);
  if (entities_.size() >= most_entities) {
    return {answer.request, Status::resources, "the client has 256 objects already"};
  }
  auto made = make(*asked);
  if (!made) {
    return {answer.request, made.error().status, made.error().text};
  }
  made->kind = asked->kind;
  made->serial = ++made_;
  made->parent = asked->kind == Kind::participant ? std::uint16_t{0} : asked->parent;
  made->asked = *asked;
  const bool is_end = made->reader || made->writer;
  const std::string foreign = is_end && !is_ros_type(made->type) ? made->type : "";
  entities_.insert_or_assign(answer.request.object, std::move(*made));
  return {answer.request, Status::ok, foreign.empty() ? "" : unseen_by_ros(foreign)};
}

Entities::Answer Entities::remove(const Request& request) {
  if (find(request.object) == nullptr) {
    return {request, Status::unknown_reference, "there is no such object"};
  }
  remove_with_children(request.object);
  return {request, Status::ok, {}};
}

void Entities::remove_with_children(std::uint16_t id) {  // NOLINT(misc-no-recursion): three levels
  if (entities_.erase(id) == 0) {
    return;
  }
  std::vector<std::uint16_t> children;
  for (const auto& [other, entity] : entities_) {
    if (entity.parent == id) {
      children.push_back(other);
    }
  }
  for (const std::uint16_t child : children) {
    remove_with_children(child);
  }
}

Entities::Made Entities::make(const EntityRequest& asked) {
  if (asked.kind == Kind::participant) {
    return make_participant(asked);
  }
  const Entity* parent = find(asked.parent);
  if (parent == nullptr || parent->kind != parent_of(asked.kind)) {
    return refuse(Status::unknown_reference, "what it shall belong to does not exist");
  }
  switch (asked.kind) {
    case Kind::topic:
      return make_topic(asked, *parent);
    case Kind::publisher:
    case Kind::subscriber: {
      Entity entity;
      entity.domain = parent->domain;
      entity.node = parent->node;
      return entity;
    }
    case Kind::writer:
    case Kind::reader:
      return make_end(asked, *parent);
    default:
      return make_service(asked, *parent);
  }
}

Entities::Made Entities::make_participant(const EntityRequest& asked) {
  Entity entity;
  entity.domain = asked.parent == agents_domain ? options_.own_domain : asked.parent;
  if (entity.domain > greatest_domain) {
    return refuse(Status::invalid_data, "domain ids are 0 to 232, or 255 for the agent's own");
  }
  entity.node = node_name(asked.name, options_.fallback_node);
  auto marker = bus_.make_node(entity.domain, entity.node);
  if (!marker) {
    return unexpected<Refusal>(marker.error());
  }
  entity.marker = std::move(*marker);
  return entity;
}

Entities::Made Entities::make_topic(const EntityRequest& asked, const Entity& parent) {
  if (asked.name.empty()) {
    return refuse(Status::invalid_data, "a topic needs a name");
  }
  Entity entity;
  entity.domain = parent.domain;
  entity.node = parent.node;
  entity.topic = topic_name(asked.name);
  entity.type = type_name(asked.type);
  return entity;
}

expected<pool::EndpointDescription, Refusal> Entities::describe(const Entity& entity,
                                                                const QoSProfile& qos) {
  pool::EndpointDescription what{entity.topic, entity.type, entity.node, {}, qos};
  if (is_ros_type(entity.type)) {
    const auto hash = bus_.hash_of(entity.domain, entity.type);
    if (!hash) {
      return refuse(Status::unknown_reference,
                    "the definition of " + entity.type +
                        " is not known: give the agent the folder of its package (--types)");
    }
    what.type_hash = *hash;
  }
  what.qos.max_held = max_held;
  return what;
}

Entities::Made Entities::make_end(const EntityRequest& asked, const Entity& parent) {
  Entity entity;
  entity.domain = parent.domain;
  entity.node = parent.node;
  entity.topic = topic_name(asked.name);
  entity.type = type_name(asked.type);
  if (asked.topic_id != 0) {
    const Entity* topic = find(asked.topic_id);
    if (topic == nullptr || topic->kind != Kind::topic) {
      return refuse(Status::unknown_reference, "its topic does not exist");
    }
    entity.topic = topic->topic;
    entity.type = topic->type;
  }
  auto what = describe(entity, asked.qos);
  if (!what) {
    return unexpected<Refusal>(what.error());
  }
  if (asked.kind == Kind::reader) {
    auto reader = bus_.make_reader(entity.domain, *what);
    if (!reader) {
      return unexpected<Refusal>(reader.error());
    }
    entity.reader = std::move(*reader);
    return entity;
  }
  if (what->qos.durability == DurabilityPolicy::volatile_) {
    what->qos.depth = std::max(what->qos.depth, least_ring);
  }
  auto writer = bus_.make_writer(entity.domain, *what);
  if (!writer) {
    return unexpected<Refusal>(writer.error());
  }
  entity.writer = std::move(*writer);
  return entity;
}

/// What comes in is opened first: whoever sees the way out can answer it.
Entities::Made Entities::make_service(const EntityRequest& asked, const Entity& parent) {
  QoSProfile qos;
  qos.history = HistoryPolicy::keep_all;
  qos.depth = service_depth;
  Entity in;
  in.domain = parent.domain;
  in.node = parent.node;
  Entity out;
  out.domain = in.domain;
  out.node = in.node;
  const bool asks = asked.kind == Kind::requester;
  Entity& request = asks ? out : in;
  Entity& reply = asks ? in : out;
  request.topic = asked.request_topic.empty() ? request_topic(asked.name) : asked.request_topic;
  request.type = type_name(asked.request_type);
  reply.topic = asked.reply_topic.empty() ? reply_topic(asked.name) : asked.reply_topic;
  reply.type = type_name(asked.reply_type);
  const auto what_comes = describe(in, qos);
  const auto what_goes = describe(out, qos);
  if (!what_comes || !what_goes) {
    return unexpected<Refusal>(what_comes ? what_goes.error() : what_comes.error());
  }
  auto reader = bus_.make_reader(in.domain, *what_comes);
  if (!reader) {
    return unexpected<Refusal>(reader.error());
  }
  auto writer = bus_.make_writer(out.domain, *what_goes);
  if (!writer) {
    return unexpected<Refusal>(writer.error());
  }
  in.reader = std::move(*reader);
  in.writer = std::move(*writer);
  return in;
}

}  // namespace ligament::xrce
