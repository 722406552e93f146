#pragma once
/// What a turn of a conversation is made of. A closed set: a new kind of part is added here and in
/// every codec. Spec: translation.md 1.2. Views: see text.hpp.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "protocol/canonical/text.hpp"

namespace tidegate::protocol {

/// Who can read an opaque token; it is never sent to anybody else.
enum class token_owner : std::uint8_t { unknown, claude, gpt, gemini, grok, kimi };

/// Which neighbour a token belongs to.
enum class token_bind : std::uint8_t { standalone, next, previous };
enum class token_target : std::uint8_t { any, text, function };

/// A signature or encrypted reasoning.
struct opaque_token {
  token_owner owner = token_owner::unknown;
  token_bind bind = token_bind::standalone;
  token_target target = token_target::any;
  raw_text bytes;

  friend bool operator==(const opaque_token&, const opaque_token&) = default;
};

/// `cache_control` of Messages, also as an extension of Chat and Responses; its raw JSON object.
using cache_mark = std::optional<std::string_view>;

struct citation {
  raw_text url;
  raw_text title;
  std::optional<std::int64_t> begin;  ///< characters into the text, when known
  std::optional<std::int64_t> end;

  friend bool operator==(const citation&, const citation&) = default;
};

struct text_part {
  raw_text text;
  std::vector<citation> citations;
  cache_mark cache;
  std::optional<opaque_token> signature;  ///< Gemini signs text parts too

  friend bool operator==(const text_part&, const text_part&) = default;
};

/// Where the bytes of a medium are; exactly one of the three is set.
struct media_source {
  raw_text base64;
  raw_text mime;      ///< of `base64`; may be empty for the others
  raw_text url;       ///< http, https, gs
  raw_text file_id;

  friend bool operator==(const media_source&, const media_source&) = default;
};

enum class media_kind : std::uint8_t { image, file, audio, video };

struct media_part {
  media_kind kind = media_kind::image;
  media_source source;
  raw_text detail;    ///< images: low, high, auto
  raw_text name;      ///< file name or title
  raw_text format;    ///< audio: wav, mp3
  cache_mark cache;

  friend bool operator==(const media_part&, const media_part&) = default;
};

/// Thinking. Several texts are the parts of one summary.
struct reasoning_part {
  std::vector<raw_text> texts;
  std::optional<opaque_token> token;
  raw_text id;
  bool redacted = false;  ///< Claude's redacted_thinking: only the token means something
  bool summary = false;   ///< the texts are a summary of it

  friend bool operator==(const reasoning_part&, const reasoning_part&) = default;
};

enum class tool_kind : std::uint8_t { function, custom, server };

struct tool_call_part {
  raw_text id;
  raw_text name;          ///< in the client's spelling, without its namespace
  raw_text name_space;    ///< Responses `namespace`; empty = none
  tool_kind kind = tool_kind::function;
  /// function, server: JSON text exactly as it was written (empty = none). custom: plain input as
  /// a raw_text's inside.
  std::string_view arguments;
  std::optional<opaque_token> signature;
  cache_mark cache;

  friend bool operator==(const tool_call_part&, const tool_call_part&) = default;
};

/// What may stand inside a tool result, in order.
using result_content = std::variant<text_part, media_part>;

struct tool_result_part {
  raw_text call_id;
  raw_text name;                        ///< empty where the protocol has none
  tool_kind kind = tool_kind::function;
  std::vector<result_content> content;
  /// The result as JSON text when it is not text: an object or array that is no list of parts.
  /// With media beside it, `content` holds it as text in front of them.
  std::string_view json;
  bool is_error = false;
  cache_mark cache;

  friend bool operator==(const tool_result_part&, const tool_result_part&) = default;
};

struct refusal_part {
  raw_text text;

  friend bool operator==(const refusal_part&, const refusal_part&) = default;
};

/// Something of one protocol that no other can spell; kept for a target of the same protocol and
/// otherwise dropped by a named rule.
struct unknown_part {
  std::string_view type;
  std::string_view json;
  bool in_message = false;  ///< Responses: it stood in a message's content, not beside the messages
  raw_text words{};         ///< what it says, where that is plain text: others get it as such

  friend bool operator==(const unknown_part&, const unknown_part&) = default;
};

/// Order is meaning.
using part = std::variant<text_part, media_part, reasoning_part, tool_call_part, tool_result_part,
                          refusal_part, unknown_part>;

inline bool is_empty_text(const part& p) {
  const auto* const text = std::get_if<text_part>(&p);
  return text != nullptr && text->text.empty();
}

}  // namespace tidegate::protocol
