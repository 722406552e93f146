#pragma once
/// Walks JSON text strictly, without padding and without a DOM, for texts that stand anywhere: tool
/// arguments and schemas. UTF-8 is taken as checked. The sink hears of every value:
///   open(key, array), close(), scalar(key, token); keys and string tokens stay escaped.
/// A key is empty for elements. Pure; never throws.

#include <array>
#include <cstddef>
#include <string_view>

namespace tidegate::protocol::gemini {

inline constexpr int scan_depth_max = 256;

struct no_sink {
  void open(std::string_view, bool) {}
  void close() {}
  void scalar(std::string_view, std::string_view) {}
};

template <class Sink>
class json_scan {
 public:
  json_scan(std::string_view text, Sink& sink)
      : at_(text.data()), end_(text.data() + text.size()), sink_(sink) {}

  /// Exactly one value with blanks around it.
  bool run() {
    blanks();
    if (!value({}, 0)) return false;
    blanks();
    return at_ == end_;
  }

 private:
  static constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static constexpr bool is_plain(char c) {
    return static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\';
  }

  void blanks() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\t' || *at_ == '\r')) ++at_;
  }
  bool take(char c) {
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }

  bool value(std::string_view key, int depth) {
    if (at_ == end_) return false;
    switch (*at_) {
      case '{':
        return depth < scan_depth_max && object(key, depth);
      case '[':
        return depth < scan_depth_max && array(key, depth);
      case '"':
        return scalar(key, &json_scan::string);
      case 't':
        return literal(key, "true");
      case 'f':
        return literal(key, "false");
      case 'n':
        return literal(key, "null");
      default:
        return scalar(key, &json_scan::number);
    }
  }

  bool scalar(std::string_view key, bool (json_scan::*read)()) {
    const char* const begin = at_;
    if (!(this->*read)()) return false;
    sink_.scalar(key, {begin, static_cast<std::size_t>(at_ - begin)});
    return true;
  }

  bool literal(std::string_view key, std::string_view word) {
    const std::string_view left{at_, static_cast<std::size_t>(end_ - at_)};
    if (!left.starts_with(word)) return false;
    at_ += word.size();
    sink_.scalar(key, word);
    return true;
  }

  bool object(std::string_view key, int depth) {
    ++at_;
    sink_.open(key, false);
    blanks();
    if (!take('}')) {
      do {
        blanks();
        const char* const begin = at_;
        if (!string()) return false;
        const std::string_view name{begin + 1, static_cast<std::size_t>(at_ - begin - 2)};
        blanks();
        if (!take(':')) return false;
        blanks();
        if (!value(name, depth + 1)) return false;
        blanks();
      } while (take(','));
      if (!take('}')) return false;
    }
    sink_.close();
    return true;
  }

  bool array(std::string_view key, int depth) {
    ++at_;
    sink_.open(key, true);
    blanks();
    if (!take(']')) {
      do {
        blanks();
        if (!value({}, depth + 1)) return false;
        blanks();
      } while (take(','));
      if (!take(']')) return false;
    }
    sink_.close();
    return true;
  }

  bool string() {
    if (!take('"')) return false;
    while (true) {
      while (at_ != end_ && is_plain(*at_)) ++at_;
      if (at_ == end_) return false;
      if (*at_ == '"') return take('"');
      if (*at_ != '\\' || !escape()) return false;
    }
  }

  bool escape() {
    ++at_;
    if (at_ == end_) return false;
    const char c = *at_++;
    if (c != 'u') return std::string_view{"\"\\/bfnrt"}.find(c) != std::string_view::npos;
    for (int i = 0; i < 4; ++i, ++at_) {
      if (at_ == end_) return false;
      const bool hex =
          is_digit(*at_) || (*at_ >= 'a' && *at_ <= 'f') || (*at_ >= 'A' && *at_ <= 'F');
      if (!hex) return false;
    }
    return true;
  }

  bool digits() {
    if (at_ == end_ || !is_digit(*at_)) return false;
    while (at_ != end_ && is_digit(*at_)) ++at_;
    return true;
  }

  bool number() {
    take('-');
    if (!take('0') && !digits()) return false;
    if (take('.') && !digits()) return false;
    if (take('e') || take('E')) {
      if (!take('+')) take('-');
      return digits();
    }
    return true;
  }

  const char* at_;
  const char* end_;
  Sink& sink_;
};

inline bool is_json_object(std::string_view text) {
  no_sink none;
  const auto first = text.find_first_not_of(" \n\t\r");
  return first != std::string_view::npos && text[first] == '{' && json_scan{text, none}.run();
}

inline bool is_json(std::string_view text) {
  no_sink none;
  return json_scan{text, none}.run();
}

}  // namespace tidegate::protocol::gemini
