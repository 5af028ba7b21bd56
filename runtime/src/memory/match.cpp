// SPDX-License-Identifier: Apache-2.0
#include "memory/match.hpp"

#include <fmt/format.h>

namespace ligament::pool {

namespace {

std::string sides(const EndpointDescription& writer, const EndpointDescription& reader) {
  return fmt::format("topic {}: publisher in {} and subscription in {} do not match: ",
                     writer.topic, writer.node.empty() ? "(no node)" : writer.node,
                     reader.node.empty() ? "(no node)" : reader.node);
}

std::string type_text(const EndpointDescription& writer, const EndpointDescription& reader) {
  if (writer.type_name != reader.type_name) {
    return fmt::format("it publishes {}, it wants {}", writer.type_name, reader.type_name);
  }
  return fmt::format("both say {}, but their definitions differ (type hashes are not equal)",
                     writer.type_name);
}

/// 0 means infinite: an offer must be at least as tight as the request.
bool is_tight_enough(std::int64_t offered, std::int64_t requested) {
  return requested == 0 || (offered != 0 && offered <= requested);
}

std::string qos_text(const QoSProfile& offered, const QoSProfile& requested) {
  switch (incompatible_policy(offered, requested)) {
    case QosPolicyKind::none:
      break;
    case QosPolicyKind::reliability:
      return "it offers best-effort, it wants reliable";
    case QosPolicyKind::durability:
      return "it offers volatile, it wants transient-local";
    case QosPolicyKind::deadline:
      return fmt::format("it offers a deadline of {} ns, it wants {} ns (0: none)",
                         offered.deadline_ns, requested.deadline_ns);
    case QosPolicyKind::liveliness:
      return "it offers automatic liveliness, it wants manual-by-topic";
    case QosPolicyKind::liveliness_lease:
      return fmt::format("it offers a liveliness lease of {} ns, it wants {} ns (0: none)",
                         offered.liveliness_lease_ns, requested.liveliness_lease_ns);
  }
  return {};
}

}  // namespace

QosPolicyKind incompatible_policy(const QoSProfile& offered, const QoSProfile& requested) {
  if (offered.reliability < requested.reliability) {
    return QosPolicyKind::reliability;
  }
  if (offered.durability < requested.durability) {
    return QosPolicyKind::durability;
  }
  if (!is_tight_enough(offered.deadline_ns, requested.deadline_ns)) {
    return QosPolicyKind::deadline;
  }
  if (offered.liveliness < requested.liveliness) {
    return QosPolicyKind::liveliness;
  }
  return is_tight_enough(offered.liveliness_lease_ns, requested.liveliness_lease_ns)
             ? QosPolicyKind::none
             : QosPolicyKind::liveliness_lease;
}

std::optional<Problem> mismatch(const EndpointDescription& writer,
                                const EndpointDescription& reader) {
  if (writer.type_name != reader.type_name || writer.type_hash != reader.type_hash) {
    return Problem{ProblemKind::type_mismatch, sides(writer, reader) + type_text(writer, reader)};
  }
  if (auto text = qos_text(writer.qos, reader.qos); !text.empty()) {
    return Problem{ProblemKind::qos_mismatch, sides(writer, reader) + text};
  }
  return std::nullopt;
}

bool is_paced(const EndpointDescription& writer, const EndpointDescription& reader) {
  const auto wants = [](const QoSProfile& qos) {
    return qos.history == HistoryPolicy::keep_all && qos.reliability == ReliabilityPolicy::reliable;
  };
  return wants(writer.qos) && wants(reader.qos);
}

}  // namespace ligament::pool
