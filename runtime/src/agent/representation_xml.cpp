// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <charconv>

#include "agent/representation_forms.hpp"

namespace ligament::xrce {

namespace {

using Result = expected<void, Refusal>;
constexpr std::int64_t second_ns = 1'000'000'000;
constexpr std::uint32_t keep_all_depth = 64;

Result refuse(Status status, std::string text) {
  return unexpected<Refusal>({status, std::move(text)});
}

/// The first of these children that there is.
const Element* any_of(const Element& element, std::string_view first, std::string_view second) {
  const Element* found = element.child(first);
  return found != nullptr ? found : element.child(second);
}

Result read_number(const Element& within, std::string_view name, std::uint32_t& to) {
  const Element* element = within.child(name);
  if (element == nullptr) {
    return {};
  }
  const char* const end = element->text.data() + element->text.size();
  const auto [rest, error] = std::from_chars(element->text.data(), end, to);
  const bool is_number = error == std::errc() && rest == end;
  return is_number ? Result{}
                   : refuse(Status::invalid_data,
                            "<" + std::string(name) + "> is no number: '" + element->text + "'");
}

/// `<sec>` and `<nanosec>`, or a word that means "no limit".
Result read_duration(const Element* element, std::int64_t& to) {
  if (element == nullptr || element->children.empty()) {
    return {};
  }
  const std::string_view text = element->text_of("sec");
  if (text.starts_with("DURATION_INF")) {
    to = 0;
    return {};
  }
  std::uint32_t seconds = 0;
  std::uint32_t nanoseconds = 0;
  const Result first = read_number(*element, "sec", seconds);
  const Result second = read_number(*element, "nanosec", nanoseconds);
  to = seconds * second_ns + nanoseconds;
  return first ? second : first;
}

Result read_history(const Element& topic, QoSProfile& qos) {
  const Element* history = any_of(topic, "historyQos", "history_qos");
  if (history == nullptr) {
    return {};
  }
  const bool keeps_all = history->text_of("kind") == "KEEP_ALL";
  qos.history = keeps_all ? HistoryPolicy::keep_all : HistoryPolicy::keep_last;
  qos.depth = keeps_all ? keep_all_depth : qos.depth;
  return read_number(*history, "depth", qos.depth);
}

/// Policies that the pool lacks, where they ask for more than nothing.
Result read_refused(const Element& qos) {
  const Element* ownership = qos.child("ownership");
  if (ownership != nullptr && ownership->text_of("kind") == "EXCLUSIVE") {
    return refuse(Status::incompatible, "it asks for exclusive ownership, which the pool lacks");
  }
  for (const char* name : {"partition", "userData", "groupData", "time_based_filter"}) {
    const Element* element = qos.child(name);
    if (element != nullptr && !element->children.empty()) {
      return refuse(Status::incompatible,
                    "it asks for <" + std::string(name) + ">, which the pool lacks");
    }
  }
  return {};
}

Result read_policies(const Element& qos, QoSProfile& to) {
  if (const Element* reliability = qos.child("reliability"); reliability != nullptr) {
    to.reliability = reliability->text_of("kind") == "RELIABLE" ? ReliabilityPolicy::reliable
                                                                : ReliabilityPolicy::best_effort;
  }
  if (const Element* durability = qos.child("durability"); durability != nullptr) {
    const std::string_view kind = durability->text_of("kind");
    if (kind != "VOLATILE" && kind != "TRANSIENT_LOCAL") {
      return refuse(Status::incompatible,
                    "it asks for the durability '" + std::string(kind) + "', which the pool lacks");
    }
    to.durability =
        kind == "VOLATILE" ? DurabilityPolicy::volatile_ : DurabilityPolicy::transient_local;
  }
  const Element* deadline = qos.child("deadline");
  const Element* lifespan = qos.child("lifespan");
  const Result first =
      deadline == nullptr ? Result{} : read_duration(deadline->child("period"), to.deadline_ns);
  const Result second =
      lifespan == nullptr ? Result{} : read_duration(lifespan->child("duration"), to.lifespan_ns);
  return !first ? first : !second ? second : read_refused(qos);
}

Result read_topic(const Element& topic, EntityRequest& to) {
  to.name = topic.text_of("name");
  const Element* type = any_of(topic, "dataType", "data_type");
  to.type = type == nullptr ? std::string() : type->text;
  return read_history(topic, to.qos);
}

Result read_end(const Element& element, EntityRequest& to) {
  const Element* topic = element.child("topic");
  if (topic != nullptr) {
    Result read = read_topic(*topic, to);
    if (!read) {
      return read;
    }
  }
  const Element* qos = element.child("qos");
  return qos == nullptr ? Result{} : read_policies(*qos, to.qos);
}

void read_service(const Element& element, EntityRequest& to) {
  to.name = element.attribute("service_name");
  to.request_type = element.attribute("request_type");
  to.reply_type = element.attribute("reply_type");
  to.request_topic = element.text_of("request_topic_name");
  to.reply_topic = element.text_of("reply_topic_name");
}

}  // namespace

expected<void, Refusal> read_element(const Element& element, EntityRequest& to) {
  switch (to.kind) {
    case Kind::participant: {
      const Element* rtps = element.child("rtps");
      to.name = rtps == nullptr ? std::string() : std::string(rtps->text_of("name"));
      return {};
    }
    case Kind::topic:
      return read_topic(element, to);
    case Kind::publisher:
    case Kind::subscriber: {
      const Element* qos = element.child("qos");
      return qos == nullptr ? Result{} : read_refused(*qos);
    }
    case Kind::writer:
    case Kind::reader:
      return read_end(element, to);
    default:
      read_service(element, to);
      return {};
  }
}

}  // namespace ligament::xrce
