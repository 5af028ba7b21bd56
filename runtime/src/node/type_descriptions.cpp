// SPDX-License-Identifier: Apache-2.0
#include "node/type_descriptions.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string>

#include "entry_of.hpp"
#include "node/node_state.hpp"

namespace ligament::detail {
namespace {

using type_description_interfaces::msg::Field;
using type_description_interfaces::msg::FieldType;
using type_description_interfaces::msg::IndividualTypeDescription;
using type_description_interfaces::msg::TypeDescription;
using type_description_interfaces::srv::GetTypeDescription;

/// Of single elements; for each other multiplicity ROS 2 has the same numbers again, higher.
std::uint8_t element_number(ElementKind kind) {
  static constexpr std::array<std::uint8_t, 15> numbers{
      FieldType::FIELD_TYPE_BOOLEAN,    FieldType::FIELD_TYPE_BYTE,
      FieldType::FIELD_TYPE_INT8,       FieldType::FIELD_TYPE_UINT8,
      FieldType::FIELD_TYPE_INT16,      FieldType::FIELD_TYPE_UINT16,
      FieldType::FIELD_TYPE_INT32,      FieldType::FIELD_TYPE_UINT32,
      FieldType::FIELD_TYPE_INT64,      FieldType::FIELD_TYPE_UINT64,
      FieldType::FIELD_TYPE_FLOAT,      FieldType::FIELD_TYPE_DOUBLE,
      FieldType::FIELD_TYPE_STRING,     FieldType::FIELD_TYPE_WSTRING,
      FieldType::FIELD_TYPE_NESTED_TYPE};
  return entry_of<ElementKind::message>(numbers, kind);
}

std::uint8_t type_number(const FieldEntry& field) {
  constexpr int to_bounded = FieldType::FIELD_TYPE_BOUNDED_STRING - FieldType::FIELD_TYPE_STRING;
  constexpr int block = FieldType::FIELD_TYPE_NESTED_TYPE_ARRAY - FieldType::FIELD_TYPE_NESTED_TYPE;
  const int bounded = field.string_bound == 0 ? 0 : to_bounded;
  return static_cast<std::uint8_t>(element_number(field.kind) + bounded +
                                   block * static_cast<int>(field.multiplicity));
}

IndividualTypeDescription describe_one(const TypeTable& table) {
  IndividualTypeDescription told;
  told.type_name = table.name;
  for (const FieldEntry& entry : table.fields) {
    Field& field = told.fields.emplace_back();
    field.name = entry.name;
    field.default_value = entry.default_value;
    field.type.type_id = type_number(entry);
    field.type.capacity = entry.count;
    field.type.string_capacity = entry.string_bound;
    field.type.nested_type_name = entry.nested == nullptr ? "" : entry.nested->name;
  }
  return told;
}

void add_nested(const TypeTable& table, std::map<std::string_view, const TypeTable*>& found) {
  for (const FieldEntry& field : table.fields) {
    if (field.nested != nullptr && found.emplace(field.nested->name, field.nested).second) {
      add_nested(*field.nested, found);
    }
  }
}

/// The type with this hash, of those that the node uses.
const TypeTable* find_type(const NodeState& node, const std::string& hash) {
  const std::lock_guard lock(node.mutex);
  const auto found =
      std::find_if(node.types.begin(), node.types.end(),
                   [&](const TypeTable* table) { return hash_text(table->type_hash) == hash; });
  return found == node.types.end() ? nullptr : *found;
}

void answer(const NodeState& node, const GetTypeDescription::Request& asked,
            GetTypeDescription::Response& told) {
  const TypeTable* table = find_type(node, asked.type_hash);
  if (table == nullptr) {
    told.failure_reason = "node '" + node.id + "' uses no type with the hash '" + asked.type_hash +
                          "'; expected RIHS01_ and 64 digits, of a type that it uses now";
    return;
  }
  if (!asked.type_name.empty() && asked.type_name != table->name) {
    told.failure_reason =
        "the hash is of " + std::string(table->name) + ", not of '" + asked.type_name + "'";
    return;
  }
  told.type_description = describe_type(*table);
  told.successful = true;
}

}  // namespace

void note_type(NodeState& node, const TypeTable* table) {
  if (table == nullptr) {
    return;
  }
  const std::lock_guard lock(node.mutex);
  if (std::find(node.types.begin(), node.types.end(), table) == node.types.end()) {
    node.types.push_back(table);
  }
}

TypeDescription describe_type(const TypeTable& table) {
  std::map<std::string_view, const TypeTable*> nested;
  add_nested(table, nested);
  TypeDescription told;
  told.type_description = describe_one(table);
  for (const auto& [name, type] : nested) {
    told.referenced_type_descriptions.push_back(describe_one(*type));
  }
  return told;
}

std::shared_ptr<ServiceBase> make_type_description_service(Node& node) {
  const auto state = node.shared_state();
  return node.create_service<GetTypeDescription>(
      "~/get_type_description",
      [state](const std::shared_ptr<GetTypeDescription::Request>& request,
              const std::shared_ptr<GetTypeDescription::Response>& response) {
        answer(*state, *request, *response);
      });
}

}  // namespace ligament::detail
