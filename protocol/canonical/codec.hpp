#pragma once
/// One protocol's side of a translation. Each protocol has one decoder and one encoder of requests,
/// of whole answers and of streams; nothing knows a pair of protocols.
/// Bodies that are decoded have simdjson's padding behind their end as spare capacity.
/// Pure; one thread at a time. Nothing throws; every input byte is hostile.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "protocol/canonical/event.hpp"
#include "protocol/canonical/request.hpp"
#include "protocol/canonical/tool_names.hpp"
#include "protocol/sse.hpp"

namespace tidegate::protocol {

/// What the target accepts; an encoder drops the rest by a named rule.
struct target_caps {
  token_owner owner = token_owner::unknown;  ///< whose opaque tokens the target reads
  bool call_ids = true;                      ///< Gemini: ids of calls and results are taken
  bool images = true;
  bool parallel_calls = true;
  bool structured_output = true;             ///< Messages: output_config.format is served
  std::int64_t default_max_output = 32'000;  ///< for Messages, which demands a limit
};

/// Rules that dropped something of a request, in order, each once; for the debug log and
/// docs/translation.md.
using lossy_notes = std::vector<std::string_view>;

struct encoded_request {
  std::string body;
  lossy_notes lost;
  tool_names names;                ///< for the decoder of the answer
};

/// What an answer's encoder needs of the request that it answers.
struct answer_context {
  std::string model;               ///< as the client wrote it
  bool stream_usage = false;       ///< Chat: the client asked for a usage chunk
  std::int64_t now = 0;            ///< unix seconds, for created
  std::string id;                  ///< made by the gateway, used where the provider gave none
  std::string_view request_body;   ///< the client's own; Responses echoes members of it
  std::int64_t input_estimate = 0; ///< Messages: shown at the start, before the provider counts
  bool codex_client = false;       ///< Responses: failures end as `response.failed`
};

class stream_decoder {
 public:
  virtual ~stream_decoder() = default;
  /// Appends what this frame says. A frame that is not this protocol's ends with failed_event.
  virtual void feed(const sse_frame& frame, std::vector<event>& into) = 0;
  /// The body has ended: closes what can be closed; failed_event when the answer is not whole.
  virtual void finish(std::vector<event>& into) = 0;
};

class stream_encoder {
 public:
  virtual ~stream_encoder() = default;
  /// Appends frames. After the terminal frame nothing is written any more.
  virtual void on(const event& what, std::string& into) = 0;
  /// No more events: the terminal frame, when it was not written yet.
  virtual void finish(std::string& into) = 0;
};

struct codec {
  wire form;
  /// errc::invalid_input names the member (`messages[3].content[0].type`) and what is wrong.
  result<canonical_request> (*decode_request)(const std::string& body, std::string_view model);
  encoded_request (*encode_request)(const canonical_request& what, std::string_view model,
                                    const target_caps& caps);
  std::unique_ptr<stream_decoder> (*make_decoder)(tool_names names);
  std::unique_ptr<stream_encoder> (*make_encoder)(answer_context with);
  /// A whole answer as events; errc::invalid_input when it is none.
  result<std::vector<event>> (*decode_answer)(const std::string& body, const tool_names& names);
  std::string (*encode_answer)(const std::vector<event>& events, const answer_context& with);
};

extern const codec chat_codec;
extern const codec responses_codec;
extern const codec messages_codec;
extern const codec gemini_codec;

const codec& codec_of(wire form);

}  // namespace tidegate::protocol
