// SPDX-License-Identifier: Apache-2.0
#include "agent/representation_forms.hpp"

namespace ligament::xrce {

namespace {

using Result = expected<void, Refusal>;
constexpr std::int64_t millisecond_ns = 1'000'000;
constexpr std::uint32_t keep_all_depth = 64;

Result refuse(Status status, std::string text) {
  return unexpected<Refusal>({status, std::move(text)});
}
Result incompatible(std::string_view what) {
  return refuse(Status::incompatible,
                "it asks for " + std::string(what) + ", which the pool lacks");
}

/// "A bool, and a string if it is true".
std::string_view optional_string(CdrReader& reader) {
  return reader.boolean() ? reader.string() : std::string_view();
}

Result read_group(CdrReader& reader) {
  (void)optional_string(reader);
  if (!reader.boolean()) {
    return {};
  }
  if (reader.boolean()) {
    const std::uint32_t partitions = reader.u32();
    if (partitions != 0) {
      return incompatible("partitions");
    }
  }
  return reader.boolean() && !reader.sequence().empty() ? incompatible("group data") : Result{};
}

Result read_flags(std::uint16_t flags, QoSProfile& qos) {
  if ((flags & qos_flag::exclusive) != 0) {
    return incompatible("exclusive ownership");
  }
  if ((flags & (qos_flag::transient | qos_flag::persistent)) != 0) {
    return incompatible("a durability above transient local");
  }
  qos.reliability = (flags & qos_flag::reliable) != 0 ? ReliabilityPolicy::reliable
                                                      : ReliabilityPolicy::best_effort;
  qos.durability = (flags & qos_flag::transient_local) != 0 ? DurabilityPolicy::transient_local
                                                            : DurabilityPolicy::volatile_;
  const bool keeps_all = (flags & qos_flag::keep_last) == 0;
  qos.history = keeps_all ? HistoryPolicy::keep_all : HistoryPolicy::keep_last;
  qos.depth = keeps_all ? keep_all_depth : qos.depth;
  return {};
}

Result read_qos(CdrReader& reader, QoSProfile& qos) {
  Result flags = read_flags(reader.u16(), qos);
  if (!flags) {
    return flags;
  }
  if (reader.boolean()) {
    const std::uint16_t depth = reader.u16();
    qos.depth = depth == 0 ? qos.depth : depth;
  }
  if (reader.boolean()) {
    qos.deadline_ns = reader.u32() * millisecond_ns;
  }
  if (reader.boolean()) {
    qos.lifespan_ns = reader.u32() * millisecond_ns;
  }
  return reader.boolean() && !reader.sequence().empty() ? incompatible("user data") : Result{};
}

Result read_end(CdrReader& reader, EntityRequest& to) {
  to.topic_id = reader.id();
  if (!reader.boolean()) {
    return {};
  }
  Result qos = read_qos(reader, to.qos);
  if (!qos) {
    return qos;
  }
  if (to.kind == Kind::writer) {
    if (reader.boolean()) {
      (void)reader.u64();  // of exclusive ownership only
    }
    return {};
  }
  if (reader.boolean() && reader.u32() != 0) {
    return incompatible("a least time between samples");
  }
  return optional_string(reader).empty() ? Result{} : incompatible("a content filter");
}

void read_service(CdrReader& reader, EntityRequest& to) {
  to.name = reader.string();
  to.request_type = reader.string();
  to.reply_type = reader.string();
  to.request_topic = optional_string(reader);
  to.reply_topic = optional_string(reader);
}

Result read_kind(CdrReader& reader, EntityRequest& to) {
  switch (to.kind) {
    case Kind::participant:
      (void)optional_string(reader);
      to.name = optional_string(reader);
      return {};
    case Kind::topic:
      to.name = reader.string();
      (void)optional_string(reader);
      to.type = optional_string(reader);
      return {};
    case Kind::publisher:
    case Kind::subscriber:
      return read_group(reader);
    case Kind::writer:
    case Kind::reader:
      return read_end(reader, to);
    default:
      read_service(reader, to);
      return {};
  }
}

}  // namespace

expected<void, Refusal> read_binary(CdrReader reader, EntityRequest& to) {
  Result read = read_kind(reader, to);
  if (!reader.is_good()) {
    return refuse(Status::invalid_data, "its bytes end too early, or are no values");
  }
  return read;
}

}  // namespace ligament::xrce
