#pragma once
/// Strings of the canonical model. A string that is only passed on stays as it was written: the
/// inside of a JSON string token, escapes included, as a view. Every protocol here is JSON, so an
/// encoder puts it between quotes again without looking at it.

#include <deque>
#include <string>
#include <string_view>

namespace tidegate::protocol {

/// The inside of a JSON string token: valid JSON escapes and UTF-8, no quotes around it. The view
/// points into the request's body, into a text_store, or at a literal without escapes.
struct raw_text {
  std::string_view escaped;

  bool empty() const { return escaped.empty(); }
  friend bool operator==(const raw_text&, const raw_text&) = default;
};

/// Owns texts that did not stand in the body. Views stay valid as long as the store.
class text_store {
 public:
  std::string_view keep(std::string text) { return texts_.emplace_back(std::move(text)); }
  /// Escapes plain text.
  raw_text keep_plain(std::string_view plain);

 private:
  std::deque<std::string> texts_;
};

/// The text that a raw_text stands for. Half surrogate pairs become U+FFFD.
std::string plain(raw_text text);

/// The inside of a JSON string token for plain text.
std::string escape(std::string_view plain);

}  // namespace tidegate::protocol
