#pragma once
/// What the gateway must know of a request body, found without building a DOM: simdjson walks the
/// top-level object once. The body stays as it is; edits are made by protocol/splice.hpp.
/// Rejects with errc::invalid_input: not a JSON object, a duplicate `model` or `stream`, a key that
/// spells a plain name with escapes, `model` not a string or over 1024 bytes. Never throws.
/// Trailing bytes after the object are rejected. What else is checked: protocol/json_object.hpp.
/// Session, first hit of: Claude Code's session inside metadata.user_id, session_id, sessionId,
/// prompt_cache_key, conversation (text or .id), metadata.user_id, conversation_id; trimmed; texts
/// over 256 bytes or with control characters are passed over (spec/quota.md 4.3).

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace tidegate::protocol {

/// One member of the top-level object: byte positions in the body.
struct member {
  std::string_view key;        ///< raw, between its quotes
  std::size_t key_offset = 0;  ///< of the opening quote of the key
  std::size_t value_offset = 0;
  std::size_t value_size = 0;  ///< raw JSON text of the value without surrounding blanks
};

struct envelope {
  std::string model;                 ///< decoded; empty when the body has none
  bool stream = false;               ///< literally true
  std::optional<std::string> session;  ///< decoded, without a kind prefix
  std::vector<member> members;       ///< in order; views into the body
  std::size_t object_begin = 0;      ///< offset of `{`
  std::size_t object_end = 0;        ///< offset of the matching `}`

  /// The first member with this key, or nullptr.
  const member* find(std::string_view key) const;
};

/// `body` must outlive the envelope. No requirement on padding: the reader copies when the string
/// has too little capacity behind its end.
result<envelope> read_envelope(const std::string& body);

}  // namespace tidegate::protocol
