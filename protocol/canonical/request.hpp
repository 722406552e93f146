#pragma once
/// A model call in no protocol's words: what decoders make and encoders spell. Views point into
/// the client's body, which must outlive it, or into `store`. Spec: translation.md 1.1.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/canonical/parts.hpp"
#include "protocol/surface.hpp"

namespace tidegate::protocol {

enum class turn_role : std::uint8_t {
  user,
  assistant,
  tool,           ///< only tool results
  inline_system,  ///< system text in the middle of a conversation
};

struct turn {
  turn_role role = turn_role::user;
  std::vector<part> parts;

  friend bool operator==(const turn&, const turn&) = default;
};

enum class system_origin : std::uint8_t { system, developer, instructions };

struct system_block {
  raw_text text;
  system_origin origin = system_origin::system;
  cache_mark cache;

  friend bool operator==(const system_block&, const system_block&) = default;
};

enum class server_tool : std::uint8_t {
  none,
  web_search,
  web_fetch,
  code_execution,
  image_generation,
  url_context,
  other,        ///< known only to its own protocol: `json` has it
};

struct tool {
  tool_kind kind = tool_kind::function;
  server_tool server = server_tool::none;
  raw_text name;
  raw_text name_space;             ///< of a Responses namespace
  raw_text description;
  std::string_view schema;         ///< parameters, raw JSON; empty = none
  std::string_view format;         ///< custom tools: raw JSON of `format`
  std::optional<bool> strict;
  cache_mark cache;
  std::string_view json;           ///< the declaration as it was written

  friend bool operator==(const tool&, const tool&) = default;
};

enum class choice_mode : std::uint8_t { unset, automatic, none, required, specific, subset };

struct tool_choice {
  choice_mode mode = choice_mode::unset;
  tool_kind kind = tool_kind::function;
  std::vector<raw_text> names;     ///< one for specific, some for subset
  raw_text name_space;             ///< of the specific one (Responses); empty = none
  bool subset_required = false;    ///< subset: must call one of them
  std::string_view json;           ///< as it was written

  friend bool operator==(const tool_choice&, const tool_choice&) = default;
};

/// Numbers as they were written, so that no digit changes; empty = not given.
struct sampling {
  std::string_view temperature;
  std::string_view top_p;
  std::string_view top_k;
  std::string_view n;
  std::string_view frequency_penalty;
  std::string_view presence_penalty;
  std::string_view seed;
  std::string_view logprobs;       ///< true or false
  std::string_view top_logprobs;

  friend bool operator==(const sampling&, const sampling&) = default;
};

enum class reasoning_mode : std::uint8_t { unset, off, automatic, level, budget };

struct reasoning_wish {
  reasoning_mode mode = reasoning_mode::unset;
  std::string_view level{};        ///< minimal, low, medium, high, xhigh, max
  std::int64_t budget = 0;         ///< tokens
  std::string_view summary{};      ///< auto, concise, detailed, none; empty = not given
  bool want_encrypted = false;
  bool show_thoughts = false;      ///< Gemini includeThoughts
  bool from_suffix = false;        ///< the amount stands behind the model's name

  friend bool operator==(const reasoning_wish&, const reasoning_wish&) = default;
};

enum class format_kind : std::uint8_t { text, json_object, json_schema };

struct response_format {
  format_kind kind = format_kind::text;
  raw_text name;
  raw_text description;
  std::string_view schema;         ///< raw JSON
  std::optional<bool> strict;
  std::string_view verbosity;

  friend bool operator==(const response_format&, const response_format&) = default;
};

/// How made images shall look: Chat's `image_config`, Gemini's `imageConfig`.
struct image_wish {
  raw_text aspect_ratio;           ///< 16:9
  raw_text size;                   ///< 1K, 2K, 4K

  bool empty() const { return aspect_ratio.empty() && size.empty(); }
  friend bool operator==(const image_wish&, const image_wish&) = default;
};

struct cache_hints {
  raw_text key;
  raw_text retention;

  friend bool operator==(const cache_hints&, const cache_hints&) = default;
};

struct canonical_request {
  wire source = wire::openai_chat;
  raw_text model;                  ///< as the client wrote it
  bool stream = false;
  bool stream_usage = false;       ///< Chat stream_options.include_usage
  std::vector<system_block> system;
  std::vector<turn> turns;
  std::vector<tool> tools;
  tool_choice choice;
  std::optional<bool> parallel_tool_calls;
  protocol::sampling sampling;
  std::optional<std::int64_t> max_output_tokens;
  std::vector<raw_text> stop;
  reasoning_wish reasoning;
  response_format format;
  cache_hints cache;
  raw_text service_tier;           ///< auto, default, flex, priority, fast
  std::string_view metadata;       ///< raw JSON object
  raw_text end_user;
  std::vector<raw_text> out_modalities;
  image_wish image;
  std::optional<bool> store;
  raw_text previous_response_id;
  /// Where it refers to a conversation that only a provider of its own protocol can know; empty =
  /// it stands alone. What is left of it would be another question.
  std::string kept_elsewhere;
  std::vector<std::string_view> unsaid;  ///< client_settings.hpp: what only its protocol has
  text_store texts;                ///< what the views point to when it is not the body
};

}  // namespace tidegate::protocol
