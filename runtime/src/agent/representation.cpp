// SPDX-License-Identifier: Apache-2.0
#include "agent/representation.hpp"

#include <array>

#include "agent/representation_forms.hpp"

namespace ligament::xrce {

namespace {

/// The tag of a kind's element; empty for kinds that cannot be created.
std::string_view tag_of(Kind kind) {
  constexpr std::array<std::string_view, 9> tags{
      "",          "participant", "topic", "publisher", "subscriber", "data_writer", "data_reader",
      "requester", "replier"};
  const auto number = static_cast<std::size_t>(kind);
  return number < tags.size() ? tags[number] : "";
}

/// What holds before a form says otherwise. As in DDS, a reader asks for little.
QoSProfile default_qos(Kind kind) {
  QoSProfile qos;
  if (kind == Kind::reader) {
    qos.reliability = ReliabilityPolicy::best_effort;
  }
  return qos;
}

const Element* find_below(const Element& within, std::string_view tag, std::string_view profile,
                          int depth) {  // NOLINT(misc-no-recursion): two levels at most
  for (const Element& child : within.children) {
    if (child.name == tag && child.attribute("profile_name") == profile) {
      return &child;
    }
    const Element* deeper = depth == 0 ? nullptr : find_below(child, tag, profile, depth - 1);
    if (deeper != nullptr) {
      return deeper;
    }
  }
  return nullptr;
}

expected<void, Refusal> read_xml(std::string_view text, EntityRequest& to) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    return {};
  }
  const auto root = parse_xml(text);
  if (!root) {
    return unexpected<Refusal>({Status::invalid_data, "its text is no XML"});
  }
  const std::string_view tag = tag_of(to.kind);
  const Element* element = root->name == tag ? &*root : root->child(tag);
  if (element == nullptr) {
    return unexpected<Refusal>(
        {Status::invalid_data, "its XML has no element <" + std::string(tag) + ">"});
  }
  return read_element(*element, to);
}

expected<void, Refusal> read_reference(std::string_view name, const Profiles& profiles,
                                       EntityRequest& to) {
  if (name.empty()) {
    return {};
  }
  const Element* element = profiles.find(tag_of(to.kind), name);
  if (element == nullptr) {
    return unexpected<Refusal>({Status::unknown_reference,
                                "it refers to <" + std::string(tag_of(to.kind)) +
                                    " profile_name=\"" + std::string(name) +
                                    "\">, which the profiles do not have: give the agent a file "
                                    "that has it (--profiles)"});
  }
  return read_element(*element, to);
}

}  // namespace

std::optional<Profiles> Profiles::parse(std::string_view text) {
  auto root = parse_xml(text);
  if (!root) {
    return std::nullopt;
  }
  Profiles profiles;
  profiles.root_ = std::move(*root);
  return profiles;
}

const Element* Profiles::find(std::string_view tag, std::string_view profile) const {
  return find_below(root_, tag, profile, 1);
}

expected<EntityRequest, Refusal> read_create(const Part& part, const Profiles& profiles) {
  CdrReader reader = part.reader();
  EntityRequest to;
  to.request = read_request(reader);
  to.kind = static_cast<Kind>(reader.u8());
  const auto form = static_cast<Form>(reader.u8());
  const Bytes value = reader.sequence();
  to.parent = to.kind == Kind::participant ? reader.u16() : reader.id();
  to.qos = default_qos(to.kind);
  if (!reader.is_good() || tag_of(to.kind).empty() || kind_of(to.request.object) != to.kind) {
    return unexpected<Refusal>({Status::invalid_data, "it is no representation of its kind"});
  }
  if (form == Form::binary) {
    const auto read = read_binary({value, (part.flags & flag::little_endian) != 0}, to);
    return read ? expected<EntityRequest, Refusal>(std::move(to))
                : unexpected<Refusal>(read.error());
  }
  std::string_view text(reinterpret_cast<const char*>(value.data()), value.size());
  text = text.substr(0, text.find('\0'));
  const auto read = form == Form::xml ? read_xml(text, to)
                    : form == Form::reference
                        ? read_reference(text, profiles, to)
                        : unexpected<Refusal>({Status::invalid_data, "its form is not known"});
  return read ? expected<EntityRequest, Refusal>(std::move(to)) : unexpected<Refusal>(read.error());
}

}  // namespace ligament::xrce
