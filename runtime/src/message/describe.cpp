// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <ligament/type_table.hpp>
#include <vector>

namespace ligament {
namespace {

constexpr std::array<std::string_view, 14> kind_names{
    "bool",   "byte",  "int8",   "uint8",   "int16",   "uint16", "int32",
    "uint32", "int64", "uint64", "float32", "float64", "string", "wstring"};

/// `package/Name`, as .msg files write it; services' and actions' parts keep their kind.
std::string short_name(std::string_view name) {
  std::string text(name);
  if (const auto kind = text.find("/msg/"); kind != std::string::npos) {
    text.erase(kind, 4);
  }
  return text;
}

std::string type_text(const FieldEntry& field) {
  std::string text = field.nested != nullptr
                         ? short_name(field.nested->name)
                         : std::string(kind_names[static_cast<std::size_t>(field.kind)]);
  if (field.string_bound != 0) {
    text += "<=" + std::to_string(field.string_bound);
  }
  switch (field.multiplicity) {
    case Multiplicity::single:
      return text;
    case Multiplicity::array:
      return text + "[" + std::to_string(field.count) + "]";
    case Multiplicity::bounded_sequence:
      return text + "[<=" + std::to_string(field.count) + "]";
    case Multiplicity::sequence:
      return text + "[]";
  }
  return text;
}

void add_nested(const TypeTable& table, std::vector<const TypeTable*>& found) {
  for (const FieldEntry& field : table.fields) {
    if (field.nested != nullptr &&
        std::find(found.begin(), found.end(), field.nested) == found.end()) {
      found.push_back(field.nested);
      add_nested(*field.nested, found);
    }
  }
}

void add_fields(const TypeTable& table, std::string& text) {
  for (const FieldEntry& field : table.fields) {
    text += type_text(field) + " " + std::string(field.name) + "\n";
  }
}

}  // namespace

std::string describe(const TypeTable& table) {
  std::string text;
  add_fields(table, text);
  std::vector<const TypeTable*> nested;
  add_nested(table, nested);
  for (const TypeTable* type : nested) {
    text += std::string(80, '=') + "\nMSG: " + short_name(type->name) + "\n";
    add_fields(*type, text);
  }
  return text;
}

}  // namespace ligament
