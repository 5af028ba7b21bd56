// SPDX-License-Identifier: Apache-2.0
#include "agent/xml.hpp"

#include <array>
#include <cstddef>

namespace ligament::xrce {

namespace {

constexpr std::size_t most_elements = 10'000;
constexpr int greatest_depth = 16;

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool ends_name(char c) {
  return is_space(c) || c == '>' || c == '/' || c == '=' || c == '<' || c == '"' || c == '\'';
}

std::string unescaped(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, char>, 5> names{
      {{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}}};
  std::string plain;
  while (!text.empty()) {
    std::size_t used = 1;
    char c = text.front();
    for (const auto& [name, meant] : names) {
      if (text.starts_with(name)) {
        used = name.size();
        c = meant;
      }
    }
    plain += c;
    text.remove_prefix(used);
  }
  return plain;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  std::optional<Element> document() {
    Element root;
    if (!skip_to_element() || !element(root, 0) || skip_to_element()) {
      return std::nullopt;
    }
    return text_.empty() ? std::optional(std::move(root)) : std::nullopt;
  }

 private:
  void skip_space() {
    while (!text_.empty() && is_space(text_.front())) {
      text_.remove_prefix(1);
    }
  }
  bool eat(std::string_view what) {
    const bool is_there = text_.starts_with(what);
    text_.remove_prefix(is_there ? what.size() : 0);
    return is_there;
  }
  /// Comments, declarations and the like; false where one does not end.
  bool skip_remark(bool& skipped) {
    skipped = true;
    for (const auto& [begin, end] : {std::pair<std::string_view, std::string_view>{"<!--", "-->"},
                                     {"<?", "?>"},
                                     {"<!", ">"}}) {
      if (text_.starts_with(begin)) {
        const std::size_t at = text_.find(end, begin.size());
        text_.remove_prefix(at == std::string_view::npos ? text_.size() : at + end.size());
        return at != std::string_view::npos;
      }
    }
    skipped = false;
    return true;
  }
  /// Whether an element begins here, after space and remarks.
  bool skip_to_element() {
    for (bool skipped = true; skipped;) {
      skip_space();
      if (!skip_remark(skipped)) {
        return false;
      }
    }
    return text_.starts_with('<');
  }
  std::string_view name() {
    std::size_t size = 0;
    while (size < text_.size() && !ends_name(text_[size])) {
      ++size;
    }
    const std::string_view found = text_.substr(0, size);
    text_.remove_prefix(size);
    return found;
  }
  bool attributes(Element& to) {
    for (skip_space(); !text_.empty() && text_.front() != '>' && text_.front() != '/';
         skip_space()) {
      const std::string_view key = name();
      skip_space();
      if (key.empty() || !eat("=")) {
        return false;
      }
      skip_space();
      const char quote = text_.empty() ? '\0' : text_.front();
      const std::size_t end = text_.find(quote, 1);
      if ((quote != '"' && quote != '\'') || end == std::string_view::npos) {
        return false;
      }
      to.attributes.emplace_back(key, unescaped(text_.substr(1, end - 1)));
      text_.remove_prefix(end + 1);
    }
    return true;
  }
  bool element(Element& to, int depth) {  // NOLINT(misc-no-recursion): bounded by greatest_depth
    if (depth == greatest_depth || ++elements_ > most_elements || !eat("<")) {
      return false;
    }
    to.name = name();
    if (to.name.empty() || !attributes(to)) {
      return false;
    }
    return eat("/>") || (eat(">") && content(to, depth));
  }
  bool content(Element& to, int depth) {  // NOLINT(misc-no-recursion)
    for (;;) {
      const std::size_t end = text_.find('<');
      if (end == std::string_view::npos) {
        return false;
      }
      to.text += unescaped(text_.substr(0, end));
      text_.remove_prefix(end);
      bool skipped = false;
      if (!skip_remark(skipped)) {
        return false;
      }
      if (skipped) {
        continue;
      }
      if (eat("</")) {
        return close(to);
      }
      to.children.emplace_back();
      if (!element(to.children.back(), depth + 1)) {
        return false;
      }
    }
  }
  bool close(Element& to) {
    const bool is_same = name() == to.name;
    skip_space();
    while (!to.text.empty() && is_space(to.text.back())) {
      to.text.pop_back();
    }
    std::size_t begin = 0;
    while (begin < to.text.size() && is_space(to.text[begin])) {
      ++begin;
    }
    to.text.erase(0, begin);
    return is_same && eat(">");
  }

  std::string_view text_;
  std::size_t elements_ = 0;
};

}  // namespace

const Element* Element::child(std::string_view child_name) const {
  for (const Element& candidate : children) {
    if (candidate.name == child_name) {
      return &candidate;
    }
  }
  return nullptr;
}

std::string_view Element::text_of(std::string_view child_name) const {
  const Element* found = child(child_name);
  return found == nullptr ? std::string_view() : std::string_view(found->text);
}

std::string_view Element::attribute(std::string_view attribute_name) const {
  for (const auto& [key, value] : attributes) {
    if (key == attribute_name) {
      return value;
    }
  }
  return {};
}

std::optional<Element> parse_xml(std::string_view text) { return Parser(text).document(); }

}  // namespace ligament::xrce
