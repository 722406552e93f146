#pragma once
/// An answer in no protocol's words, as a sequence of events: stream decoders make them, stream
/// encoders spell them, and a whole body is the fold of its events. Spec: translation.md 1.3.
///
/// Legal order (checked by event_order): one `start`; then items, each opened once, filled, closed
/// once, with indexes counting from 0 in the order of their opening; usage anywhere; one `finish`;
/// nothing behind it but usage. `failed` may stand anywhere behind nothing or anything, and ends it.
/// Several items may be open at once.

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "protocol/canonical/parts.hpp"

namespace tidegate::protocol {

enum class item_kind : std::uint8_t { text, reasoning, tool_call, image, refusal, server_tool };

enum class finish_reason : std::uint8_t {
  stop,
  stop_sequence,
  length,
  tool_use,
  content_filter,
  refusal,
  pause,
  context_exceeded,
  other,
};

/// Token counts; nullopt = not said. input_total includes cached tokens, output_total reasoning.
struct usage {
  std::optional<std::int64_t> input_total;
  std::optional<std::int64_t> cache_read;
  std::optional<std::int64_t> cache_write;
  std::optional<std::int64_t> output_total;
  std::optional<std::int64_t> reasoning;

  friend bool operator==(const usage&, const usage&) = default;
};

/// Texts of events are plain (unescaped) and owned: stream frames do not outlive their event.
struct start_event {
  std::string response_id;
  std::string model;               ///< as the provider calls it
  std::int64_t created = 0;        ///< unix seconds; 0 = unknown
  friend bool operator==(const start_event&, const start_event&) = default;
};
struct item_start {
  std::uint32_t index = 0;
  item_kind kind = item_kind::text;
  std::string id;                  ///< the item's own id; may be empty
  std::string call_id;             ///< tool calls
  std::string name;
  std::string name_space;
  tool_kind tool = tool_kind::function;
  friend bool operator==(const item_start&, const item_start&) = default;
};
struct text_delta {
  std::uint32_t index = 0;
  std::string text;
  friend bool operator==(const text_delta&, const text_delta&) = default;
};
/// `part` counts the summary parts of one reasoning item from 0.
struct reasoning_delta {
  std::uint32_t index = 0;
  std::uint32_t part = 0;
  std::string text;
  friend bool operator==(const reasoning_delta&, const reasoning_delta&) = default;
};
/// Argument text: JSON of a function, plain input of a custom tool.
struct arguments_delta {
  std::uint32_t index = 0;
  std::string text;
  friend bool operator==(const arguments_delta&, const arguments_delta&) = default;
};
struct image_chunk {
  std::uint32_t index = 0;
  bool partial = false;
  std::string mime;
  std::string base64;
  friend bool operator==(const image_chunk&, const image_chunk&) = default;
};
struct citation_added {
  std::uint32_t index = 0;
  std::string url;
  std::string title;
  std::optional<std::int64_t> begin;
  std::optional<std::int64_t> end;
  friend bool operator==(const citation_added&, const citation_added&) = default;
};
/// How likely the tokens of a text were: JSON objects as Chat has them, with commas between.
struct logprobs_event {
  std::uint32_t index = 0;
  std::string tokens;
  friend bool operator==(const logprobs_event&, const logprobs_event&) = default;
};
/// The last one before the item's end counts.
struct signature_event {
  std::uint32_t index = 0;
  token_owner owner = token_owner::unknown;
  bool redacted = false;
  std::string token;
  friend bool operator==(const signature_event&, const signature_event&) = default;
};
struct item_end {
  std::uint32_t index = 0;
  friend bool operator==(const item_end&, const item_end&) = default;
};
/// Later values win field by field.
struct usage_event {
  usage counts;
  friend bool operator==(const usage_event&, const usage_event&) = default;
};
struct finish_event {
  finish_reason reason = finish_reason::stop;
  std::string stop_sequence;
  std::string native;              ///< the provider's own word
  friend bool operator==(const finish_event&, const finish_event&) = default;
};
struct failed_event {
  int status = 0;                  ///< HTTP status that fits; 0 = unknown
  std::string type;
  std::string code;
  std::string message;
  friend bool operator==(const failed_event&, const failed_event&) = default;
};

using event = std::variant<start_event, item_start, text_delta, reasoning_delta, arguments_delta,
                           image_chunk, citation_added, logprobs_event, signature_event, item_end,
                           usage_event, finish_event, failed_event>;

}  // namespace tidegate::protocol
