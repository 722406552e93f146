#pragma once
/// Surgical edits of a JSON text that is only passed on: unknown fields, key order, spacing and
/// number text survive. Produces pieces (views into the original and into the edits), so that a
/// large body is never copied. Of several edits of one key the last wins. A key that the body has
/// twice is set once, at its first place, and removed everywhere.
/// A removed member goes with the comma before it (the first one with the blanks behind it); new
/// members come after the last one that stays, in the order of the calls.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/envelope.hpp"

namespace tidegate::protocol {

/// A top-level member to set to raw JSON, or to remove.
struct member_edit {
  std::string key;
  std::optional<std::string> raw;

  friend bool operator==(const member_edit&, const member_edit&) = default;
};

class splice {
 public:
  /// Both must outlive the splice and its pieces.
  splice(std::string_view body, const envelope& head);

  /// Sets a top-level member to raw JSON text; appends it when it is not there.
  void set(std::string_view key, std::string raw_json);
  /// Removes a top-level member with its comma; no effect when it is not there.
  void remove(std::string_view key);
  void apply(const member_edit& change) { assign(change.key, change.raw); }
  /// Replaces bytes somewhere inside a value; must not overlap another replacement. Dropped when
  /// it lies in a member that is set or removed.
  void replace(std::size_t offset, std::size_t size, std::string text);

  /// The edited text as views, in order; they live until the next edit.
  std::vector<std::string_view> pieces() const;
  /// Total bytes of pieces().
  std::size_t size() const;
  /// The edited text in one string; for small bodies and tests.
  std::string str() const;

 private:
  /// What becomes of a member: new raw text, or removal when there is none.
  struct assignment {
    std::string key;
    std::string quoted_key;  ///< with the colon, for appending
    std::optional<std::string> raw;
  };
  struct edit {
    std::size_t offset = 0;
    std::size_t size = 0;
    std::string text;
  };
  /// Bytes taken out, and what stands there instead.
  struct cut {
    std::size_t offset = 0;
    std::size_t size = 0;
    std::vector<std::string_view> texts;
  };

  const assignment* find(std::string_view key) const;
  void assign(std::string_view key, std::optional<std::string> raw);
  std::vector<bool> kept_members() const;
  void cut_removed(const std::vector<bool>& kept, std::vector<cut>& cuts) const;
  void cut_set(const std::vector<bool>& kept, std::vector<cut>& cuts) const;
  void cut_appended(const std::vector<bool>& kept, std::vector<cut>& cuts) const;

  std::string_view body_;
  const envelope* head_;
  std::vector<assignment> assignments_;  ///< one per key, in the order of the first calls
  std::vector<edit> edits_;
};

/// `text` as a JSON string with its quotes; bytes that are no UTF-8 become U+FFFD.
std::string json_quote(std::string_view text);

}  // namespace tidegate::protocol
