// SPDX-License-Identifier: Apache-2.0
#include "filter_text.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

namespace rmw_ligament_cpp {

namespace {

using ligament::expected;
using ligament::unexpected;
using Kind = FilterNode::Kind;

enum class TokenKind : std::uint8_t {
  end,
  word,  ///< a name, or a word of the language
  number,
  text,       ///< in single quotes, without them
  parameter,  ///< %n
  relation,   ///< = < > ...
  sign,       ///< ( ) [ ] .
};

struct Token {
  TokenKind kind = TokenKind::end;
  std::string_view text;
  std::size_t place = 0;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// Words of the language have no case.
bool is_word(const Token& token, std::string_view word) {
  if (token.kind != TokenKind::word || token.text.size() != word.size()) {
    return false;
  }
  for (std::size_t i = 0; i < word.size(); ++i) {
    const char c = token.text[i];
    if ((c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c) != word[i]) {
      return false;
    }
  }
  return true;
}

/// What can be shown of bytes that may be anything.
std::string shown(std::string_view text) {
  constexpr std::size_t most = 40;
  std::string out;
  for (const char c : text.substr(0, most)) {
    out += c >= ' ' && c <= '~' ? c : '?';
  }
  return out + (text.size() > most ? "..." : "");
}

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  [[nodiscard]] expected<Token, std::string> next() {
    while (at_ < text_.size() && is_space(text_[at_])) {
      ++at_;
    }
    const std::size_t begin = at_;
    if (begin == text_.size()) {
      return Token{TokenKind::end, {}, begin};
    }
    const char c = text_[begin];
    if (is_letter(c)) {
      skip([](char one) { return is_letter(one) || is_digit(one); });
      return token(TokenKind::word, begin);
    }
    if (is_number_start()) {
      return number();
    }
    return c == '\'' ? quoted() : sign();
  }

 private:
  [[nodiscard]] char peek(std::size_t ahead) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  template <typename Is>
  void skip(const Is& is) {
    while (at_ < text_.size() && is(text_[at_])) {
      ++at_;
    }
  }
  [[nodiscard]] Token token(TokenKind kind, std::size_t begin) const {
    return {kind, text_.substr(begin, at_ - begin), begin};
  }
  [[nodiscard]] bool is_number_start() const {
    const std::size_t signs = peek(0) == '-' || peek(0) == '+' ? 1 : 0;
    return is_digit(peek(signs)) || (peek(signs) == '.' && is_digit(peek(signs + 1)));
  }

  Token number() {
    const std::size_t begin = at_++;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      const char before = text_[at_ - 1];
      const bool is_exponent_sign = (c == '-' || c == '+') && (before == 'e' || before == 'E');
      if (!is_digit(c) && !is_letter(c) && c != '.' && !is_exponent_sign) {
        break;
      }
    }
    return token(TokenKind::number, begin);
  }

  expected<Token, std::string> quoted() {
    const std::size_t begin = at_;
    const std::size_t end = text_.find('\'', begin + 1);
    if (end == std::string_view::npos) {
      return unexpected<std::string>(
          fmt::format("the text that begins at character {} has no closing quote (')", begin));
    }
    at_ = end + 1;
    return Token{TokenKind::text, text_.substr(begin + 1, end - begin - 1), begin};
  }

  expected<Token, std::string> sign() {
    const std::size_t begin = at_;
    const char c = text_[at_++];
    switch (c) {
      case '(':
      case ')':
      case '[':
      case ']':
      case '.':
        return token(TokenKind::sign, begin);
      case '%':
        skip(is_digit);
        return token(TokenKind::parameter, begin);
      case '=':
        return token(TokenKind::relation, begin);
      case '<':
      case '>':
      case '!':
        at_ += peek(0) == '=' || (c == '<' && peek(0) == '>') ? 1U : 0U;
        return token(TokenKind::relation, begin);
      default:
        return unexpected<std::string>(fmt::format("character {} ('{}') begins nothing known",
                                                   begin, shown(text_.substr(begin, 1))));
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

template <typename Number, typename... Format>
std::optional<Number> whole(std::string_view text, Format... format) {
  Number value{};
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, format...);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value)
                                                                  : std::nullopt;
}

std::optional<FilterLiteral> number_of(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  const std::string_view digits = is_negative || text.starts_with('+') ? text.substr(1) : text;
  if (digits.starts_with("0x") || digits.starts_with("0X")) {
    const auto value = is_negative ? std::nullopt : whole<std::uint64_t>(digits.substr(2), 16);
    return value ? std::optional<FilterLiteral>(*value) : std::nullopt;
  }
  if (const auto value = whole<std::int64_t>(is_negative ? text : digits)) {
    return FilterLiteral(*value);
  }
  if (const auto value = whole<std::uint64_t>(digits); value && !is_negative) {
    return FilterLiteral(*value);
  }
  // from_chars also knows words (inf, nan), which the language does not.
  const bool is_number = !digits.empty() && (is_digit(digits[0]) || digits[0] == '.');
  const auto value = is_number ? whole<double>(is_negative ? text : digits) : std::nullopt;
  return value && std::isfinite(*value) ? std::optional<FilterLiteral>(*value) : std::nullopt;
}

std::optional<FilterOperator> relation_of(const Token& token) {
  constexpr std::pair<std::string_view, FilterOperator> known[] = {
      {"=", FilterOperator::equal},
      {"<>", FilterOperator::not_equal},
      {"!=", FilterOperator::not_equal},
      {"<", FilterOperator::less},
      {"<=", FilterOperator::less_or_equal},
      {">", FilterOperator::greater},
      {">=", FilterOperator::greater_or_equal}};
  for (const auto& [text, relation] : known) {
    if (token.kind == TokenKind::relation && token.text == text) {
      return relation;
    }
  }
  return is_word(token, "LIKE") ? std::optional(FilterOperator::like) : std::nullopt;
}

/// Recursive descent; the first fault ends it. OR binds least, then AND, then NOT.
class Parser {
 public:
  Parser(std::string_view text, const std::vector<std::string>& parameters)
      : scanner_(text), parameters_(parameters) {}

  expected<FilterTree, std::string> parse() {
    advance();
    (void)either();
    if (error_.empty() && now_.kind != TokenKind::end) {
      expect("AND, OR or the end");
    }
    if (!error_.empty()) {
      return unexpected<std::string>(error_);
    }
    return std::move(tree_);
  }

 private:
  using Place = std::uint32_t;

  void advance() {
    if (!error_.empty()) {
      return;
    }
    auto token = scanner_.next();
    if (token) {
      now_ = *token;
    } else {
      stop(token.error());
    }
  }
  /// Whatever comes next is the end, so that all loops end.
  void stop(std::string why) {
    if (error_.empty()) {
      error_ = std::move(why);
    }
    now_ = {};
  }
  void expect(std::string_view what) {
    stop(now_.kind == TokenKind::end
             ? fmt::format("it ends where {} was expected", what)
             : fmt::format("at character {} stands '{}', where {} was expected", now_.place,
                           shown(now_.text), what));
  }
  bool take_sign(char sign) {
    const bool is_it = now_.kind == TokenKind::sign && now_.text[0] == sign;
    if (is_it) {
      advance();
    }
    return is_it;
  }
  bool take_word(std::string_view word) {
    const bool is_it = is_word(now_, word);
    if (is_it) {
      advance();
    }
    return is_it;
  }

  Place add(FilterNode node) {
    tree_.nodes.push_back(node);
    return static_cast<Place>(tree_.nodes.size() - 1);
  }
  Place add(FilterComparison comparison) {
    if (tree_.comparisons.size() == most_filter_comparisons) {
      stop(fmt::format("it has more than {} comparisons", most_filter_comparisons));
      return 0;
    }
    tree_.comparisons.push_back(std::move(comparison));
    return add({Kind::comparison, static_cast<Place>(tree_.comparisons.size() - 1), 0});
  }

  Place either() {
    Place left = both();
    while (take_word("OR")) {
      const Place right = both();
      left = add({Kind::either, left, right});
    }
    return left;
  }
  Place both() {
    Place left = condition();
    while (take_word("AND")) {
      const Place right = condition();
      left = add({Kind::both, left, right});
    }
    return left;
  }

  Place condition() {
    if (depth_ == most_filter_depth) {
      stop(fmt::format("parentheses and NOT are deeper than {}", most_filter_depth));
      return 0;
    }
    ++depth_;
    Place found = 0;
    if (take_word("NOT")) {
      found = add({Kind::negation, condition(), 0});
    } else if (take_sign('(')) {
      found = either();
      if (!take_sign(')')) {
        expect("')'");
      }
    } else {
      found = predicate();
    }
    --depth_;
    return found;
  }

  Place predicate() {
    FilterTerm left = term();
    const bool is_negated = take_word("NOT");
    if (take_word("BETWEEN")) {
      const Place found = between(std::move(left));
      return is_negated ? add({Kind::negation, found, 0}) : found;
    }
    const auto relation = relation_of(now_);
    if (!relation || is_negated) {
      expect(is_negated ? "BETWEEN" : "a comparison (= <> < <= > >= LIKE BETWEEN)");
      return 0;
    }
    advance();
    FilterTerm right = term();
    return add(FilterComparison{std::move(left), *relation, std::move(right)});
  }

  Place between(FilterTerm field) {
    FilterTerm low = term();
    if (!take_word("AND")) {
      expect("AND and the upper bound");
      return 0;
    }
    FilterTerm high = term();
    const Place from =
        add(FilterComparison{field, FilterOperator::greater_or_equal, std::move(low)});
    const Place to =
        add(FilterComparison{std::move(field), FilterOperator::less_or_equal, std::move(high)});
    return add({Kind::both, from, to});
  }

  FilterTerm term() {
    if (now_.kind == TokenKind::parameter) {
      return parameter();
    }
    if (auto found = literal(now_)) {
      advance();
      return std::move(*found);
    }
    if (now_.kind == TokenKind::word) {
      return field();
    }
    expect("a field, a value or a parameter");
    return FilterLiteral(false);
  }

  static std::optional<FilterLiteral> literal(const Token& token) {
    if (is_word(token, "TRUE") || is_word(token, "FALSE")) {
      return FilterLiteral(is_word(token, "TRUE"));
    }
    if (token.kind == TokenKind::text) {
      return FilterLiteral(std::string(token.text));
    }
    return token.kind == TokenKind::number ? number_of(token.text) : std::nullopt;
  }

  /// The value of %n is written as it would be in its place.
  FilterTerm parameter() {
    const auto number = whole<std::size_t>(now_.text.substr(1));
    if (!number || *number >= most_filter_parameters) {
      expect("a parameter, %0 to %99");
      return FilterLiteral(false);
    }
    if (*number >= parameters_.size()) {
      stop(fmt::format("it names %{}, but there are {} parameters", *number, parameters_.size()));
      return FilterLiteral(false);
    }
    const std::string& given = parameters_[*number];
    Scanner scanner(given);
    const auto token = scanner.next();
    auto value = token ? literal(*token) : std::nullopt;
    const auto rest = scanner.next();
    if (!value || !rest || rest->kind != TokenKind::end) {
      stop(
          fmt::format("parameter %{} is {}, which is no value: text stands in single quotes ('{}')",
                      *number, given.empty() ? "empty" : shown(given), shown(given)));
      return FilterLiteral(false);
    }
    advance();
    return std::move(*value);
  }

  FilterTerm field() {
    FilterField found;
    do {
      if (now_.kind != TokenKind::word || found.steps.size() == most_path_steps) {
        expect("the name of a field");
        return found;
      }
      FilterStep step{std::string(now_.text), false, 0};
      advance();
      if (take_sign('[')) {
        const auto index =
            now_.kind == TokenKind::number ? whole<std::size_t>(now_.text) : std::nullopt;
        if (!index) {
          expect("the number of an element");
          return found;
        }
        step.has_index = true;
        step.index = *index;
        advance();
        if (!take_sign(']')) {
          expect("']'");
        }
      }
      found.steps.push_back(std::move(step));
    } while (take_sign('.'));
    return found;
  }

  Scanner scanner_;
  const std::vector<std::string>& parameters_;
  Token now_;
  std::size_t depth_ = 0;
  std::string error_;
  FilterTree tree_;
};

}  // namespace

std::string FilterField::text() const {
  std::string out;
  for (const FilterStep& step : steps) {
    out += (out.empty() ? "" : ".") + step.name;
    out += step.has_index ? fmt::format("[{}]", step.index) : "";
  }
  return out;
}

expected<FilterTree, std::string> parse_filter(std::string_view text,
                                               const std::vector<std::string>& parameters) {
  if (text.size() > most_filter_bytes) {
    return unexpected<std::string>(
        fmt::format("it has {} characters, and may have {}", text.size(), most_filter_bytes));
  }
  if (parameters.size() > most_filter_parameters) {
    return unexpected<std::string>(fmt::format("it has {} parameters, and may have {}",
                                               parameters.size(), most_filter_parameters));
  }
  for (const std::string& one : parameters) {
    if (one.size() > most_filter_bytes) {
      return unexpected<std::string>(fmt::format("a parameter has {} characters, and may have {}",
                                                 one.size(), most_filter_bytes));
    }
  }
  return Parser(text, parameters).parse();
}

}  // namespace rmw_ligament_cpp
