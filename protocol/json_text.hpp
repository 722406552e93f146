#pragma once
/// JSON written and read a token at a time: small objects with a fixed key order, and the text of
/// one string token. Pure; never throws. The quoting function is in protocol/splice.hpp.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tidegate::protocol {

/// Writes one object without blanks; the members keep the order of the calls.
class object_writer {
 public:
  object_writer& text(std::string_view key, std::string_view value);
  object_writer& number(std::string_view key, std::int64_t value);
  object_writer& boolean(std::string_view key, bool value);
  /// `value` is JSON text already.
  object_writer& raw(std::string_view key, std::string_view value);
  /// The object with its braces.
  std::string str() const { return body_ + '}'; }

 private:
  void key(std::string_view name);
  std::string body_ = "{";
};

/// The text that a JSON string token (with its quotes) stands for; nullopt when it is no such
/// token, has a bad escape or half a surrogate pair.
std::optional<std::string> decode_json_string(std::string_view token);

/// Length of the well-formed UTF-8 sequence at the start of `text`; 0 when there is none.
std::size_t utf8_length(std::string_view text);

/// The first `code_points_max` characters of a text; the whole text when it has fewer.
std::string_view utf8_prefix(std::string_view text, std::size_t code_points_max);

}  // namespace tidegate::protocol
