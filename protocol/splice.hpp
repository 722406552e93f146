#pragma once
/// Surgical edits of a JSON text that is only passed on: unknown fields, key order, spacing and
/// number text survive. Produces pieces (views into the original and into the edits), so that a
/// large body is never copied.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/envelope.hpp"

namespace tidegate::protocol {

class splice {
 public:
  /// Both must outlive the splice and its pieces.
  splice(std::string_view body, const envelope& head);

  /// Sets a top-level member to raw JSON text; appends it when it is not there.
  void set(std::string_view key, std::string raw_json);
  /// Removes a top-level member with its comma; no effect when it is not there.
  void remove(std::string_view key);
  /// Replaces bytes somewhere inside; must not overlap another edit.
  void replace(std::size_t offset, std::size_t size, std::string text);

  /// The edited text as views, in order. Call once, last.
  std::vector<std::string_view> pieces();
  /// Total bytes of pieces().
  std::size_t size() const;
  /// The edited text in one string; for small bodies and tests.
  std::string str();

 private:
  struct edit {
    std::size_t offset = 0;
    std::size_t size = 0;
    std::string text;
  };
  std::string_view body_;
  const envelope* head_;
  std::vector<edit> edits_;
  std::vector<std::string> removed_;  ///< keys taken out, for the comma rule
};

/// `text` as a JSON string with its quotes.
std::string json_quote(std::string_view text);

}  // namespace tidegate::protocol
