#include "protocol/text_tokens.hpp"

#include <algorithm>
#include <array>

#include "protocol/json_text.hpp"

namespace tidegate::protocol {
namespace {

/// Hundredths of a token; how they were found: docs/token-counting.md.
constexpr std::int64_t word_cost = 104;
constexpr std::int64_t late_letter_cost = 15;     ///< of a word, behind its sixth
constexpr std::int64_t capital_cost = 20;         ///< of a run of capitals, behind its first
constexpr std::int64_t foreign_letter_cost = 12;  ///< beyond ASCII, in or as a word
constexpr std::int64_t digits_cost = 100;         ///< for up to three
constexpr std::int64_t mark_run_cost = 80;
constexpr std::int64_t next_mark_cost = 45;
constexpr std::int64_t next_json_mark_cost = 15;  ///< of a run with a quotation mark in it
constexpr std::int64_t line_cost = 75;            ///< a run of line ends and blanks
constexpr std::int64_t indent_cost = 70;          ///< several blanks
constexpr std::int64_t ideograph_cost = 75;       ///< also kana and Hangul syllables
constexpr std::int64_t symbol_cost = 130;
constexpr std::size_t short_word_letters = 6;

bool is_small(char c) {
  return c >= 'a' && c <= 'z';
}
bool is_capital(char c) {
  return c >= 'A' && c <= 'Z';
}
bool is_letter(char c) {
  return is_small(c) || is_capital(c);
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_line_end(char c) {
  return c == '\n' || c == '\r';
}
bool is_text_space(char c) {
  return c == ' ' || c == '\t' || is_line_end(c);
}
bool is_foreign(char c) {
  return static_cast<unsigned char>(c) >= 0x80;
}
bool is_mark(char c) {
  return !is_letter(c) && !is_digit(c) && !is_text_space(c) && !is_foreign(c);
}

struct range {
  std::uint32_t first;
  std::uint32_t last;
};
/// Scripts that are written in words: Latin to Mongolian without the signs of Latin-1, and the
/// later blocks of the same scripts.
constexpr std::array letter_ranges{
    range{0xAA, 0xAA},     range{0xB5, 0xB5},    range{0xBA, 0xBA},     range{0xC0, 0xD6},
    range{0xD8, 0xF6},     range{0xF8, 0x1FFF},  range{0x2C00, 0x2DFF}, range{0xA640, 0xABFF},
    range{0xFB00, 0xFDFF}, range{0xFE70, 0xFEFC}};
constexpr std::array ideograph_ranges{
    range{0x3040, 0x31FF}, range{0x3400, 0x4DBF}, range{0x4E00, 0x9FFF},  range{0xAC00, 0xD7AF},
    range{0xF900, 0xFAFF}, range{0xFF66, 0xFF9F}, range{0x20000, 0x3FFFF}};

template <std::size_t N>
bool is_in(const std::array<range, N>& ranges, std::uint32_t point) {
  return std::ranges::any_of(
      ranges, [point](const range& one) { return point >= one.first && point <= one.last; });
}

/// `bytes` is one well-formed sequence of two to four bytes.
std::uint32_t code_point(std::string_view bytes) {
  const auto lead = static_cast<unsigned char>(bytes.front());
  std::uint32_t point = lead & (0xFFU >> (bytes.size() + 1));
  for (const char c : bytes.substr(1))
    point = (point << 6U) | (static_cast<unsigned char>(c) & 63U);
  return point;
}

}  // namespace

std::int64_t text_token_counter::count() {
  while (at_ < text_.size()) {
    const char next = text_[at_];
    if (is_letter(next) || foreign_letter()) {
      letters();
    } else if (is_text_space(next)) {
      blanks();
    } else if (is_digit(next)) {
      digits();
    } else if (is_mark(next)) {
      marks();
    } else {
      foreign();
    }
  }
  return text_.empty() ? 0 : std::max<std::int64_t>((cost_ + 50) / 100, 1);
}

void text_token_counter::blanks() {
  const std::size_t begin = at_;
  std::size_t line_ends = 0;
  std::size_t behind_line = begin;
  for (; at_ < text_.size() && is_text_space(text_[at_]); ++at_) {
    if (!is_line_end(text_[at_])) continue;
    ++line_ends;
    behind_line = at_ + 1;
  }
  if (line_ends != 0) cost_ += line_cost;
  if (at_ - behind_line > 1) cost_ += indent_cost;
  // A single blank belongs to the word behind it, but not to a number.
  if (at_ - behind_line == 1 && is_digit(at(at_))) cost_ += digits_cost;
}

void text_token_counter::digits() {
  const std::size_t begin = at_;
  while (is_digit(at(at_))) ++at_;
  cost_ += static_cast<std::int64_t>((at_ - begin + 2) / 3) * digits_cost;
}

void text_token_counter::marks() {
  const std::size_t begin = at_;
  while (at_ < text_.size() && is_mark(text_[at_])) ++at_;
  const std::size_t length = at_ - begin;
  // A single mark belongs to the word behind it.
  if (length == 1 && is_letter(at(at_))) return;
  const bool quotes = text_.substr(begin, length).find('"') != std::string_view::npos;
  const auto next_cost = quotes ? next_json_mark_cost : next_mark_cost;
  cost_ += mark_run_cost + static_cast<std::int64_t>(length - 1) * next_cost;
}

void text_token_counter::letters() {
  std::size_t small = 0;
  std::size_t capitals = 0;
  std::int64_t foreign_letters = 0;
  for (;;) {
    const char next = at(at_);
    if (is_capital(next)) {
      if (small != 0) break;
      if (capitals != 0 && is_small(at(at_ + 1))) break;
      ++capitals;
      ++at_;
    } else if (is_small(next)) {
      ++small;
      ++at_;
    } else if (foreign_letter()) {
      ++foreign_letters;
      at_ += utf8_length(text_.substr(at_));
    } else {
      break;
    }
  }
  cost_ += word_cost + foreign_letters * foreign_letter_cost;
  if (capitals > 1) cost_ += static_cast<std::int64_t>(capitals - 1) * capital_cost;
  const std::size_t plain = small + (capitals == 1 ? 1 : 0);
  if (plain > short_word_letters) {
    cost_ += static_cast<std::int64_t>(plain - short_word_letters) * late_letter_cost;
  }
}

bool text_token_counter::foreign_letter() {
  if (!is_foreign(at(at_))) return false;
  const std::size_t length = utf8_length(text_.substr(at_));
  return length != 0 && is_in(letter_ranges, code_point(text_.substr(at_, length)));
}

void text_token_counter::foreign() {
  const std::size_t length = utf8_length(text_.substr(at_));
  const bool ideograph =
      length != 0 && is_in(ideograph_ranges, code_point(text_.substr(at_, length)));
  cost_ += ideograph ? ideograph_cost : symbol_cost;
  at_ += std::max<std::size_t>(length, 1);
}

}  // namespace tidegate::protocol
