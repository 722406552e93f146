#pragma once
/// Writes JSON straight into a buffer: commas are set, nothing is checked. The caller keeps begin
/// and end in pairs.

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/canonical/text.hpp"

namespace tidegate::protocol {

class json_out {
 public:
  explicit json_out(std::string& into) : out_(into) {}

  json_out& begin_object() { return open('{'); }
  json_out& end_object() { return close('}'); }
  json_out& begin_array() { return open('['); }
  json_out& end_array() { return close(']'); }

  /// `name` needs no escapes.
  json_out& key(std::string_view name) {
    separate();
    out_.append(1, '"').append(name).append("\":");
    fresh_ = true;
    return *this;
  }
  json_out& text(raw_text value) {
    separate();
    out_.append(1, '"').append(value.escaped).append(1, '"');
    return *this;
  }
  json_out& plain(std::string_view value);  ///< escapes
  json_out& number(std::int64_t value) {
    separate();
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    out_.append(digits, end);
    return *this;
  }
  json_out& boolean(bool value) { return raw(value ? "true" : "false"); }
  json_out& null() { return raw("null"); }
  /// JSON text already.
  json_out& raw(std::string_view json) {
    separate();
    out_.append(json);
    return *this;
  }

  /// Takes back what was written behind the first `size` bytes, where a value could begin or had
  /// just ended.
  void take_back(std::size_t size) {
    out_.resize(size);
    fresh_ = out_.empty() || std::string_view{"{[:"}.find(out_.back()) != std::string_view::npos;
  }

  /// Members with their key; nothing is written for an empty value.
  json_out& member_if(std::string_view name, raw_text value) {
    return value.empty() ? *this : key(name).text(value);
  }
  json_out& member_raw_if(std::string_view name, std::string_view json) {
    return json.empty() ? *this : key(name).raw(json);
  }

 private:
  json_out& open(char c) {
    separate();
    out_ += c;
    fresh_ = true;
    return *this;
  }
  json_out& close(char c) {
    out_ += c;
    fresh_ = false;
    return *this;
  }
  void separate() {
    if (!fresh_) out_ += ',';
    fresh_ = false;
  }

  std::string& out_;
  bool fresh_ = true;  ///< no comma before the next value
};

}  // namespace tidegate::protocol
