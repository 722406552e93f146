#pragma once
/// Answers in the grammar of each protocol: the whole body, or the frames of a stream in order.
/// Pure. Every text holds `id_marker` where the provider puts a unique id, so that a rendering is
/// made once and only the ids are written anew (plan.hpp).

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "app/sim/call.hpp"
#include "app/sim/script.hpp"

namespace tidegate::sim {

/// Sixteen bytes that a hexadecimal request number replaces.
inline constexpr std::string_view id_marker = "~sim-request-id~";

/// A stream; the last entry of `closing` is what the protocol ends with.
struct stream_frames {
  std::vector<std::string> opening;  ///< before the first text
  std::vector<std::string> content;  ///< one text chunk each
  std::vector<std::string> closing;  ///< never empty
};

/// What the renderers need to know of the request.
struct request_facts {
  std::string model;
  std::int64_t created = 0;  ///< unix seconds
  bool stream_usage = false;
  bool sse = true;
  std::size_t body_bytes = 0;
};

std::string render_body(const answer& what, operation asked, protocol::wire wire,
                        const request_facts& facts);
stream_frames render_stream(const answer& what, protocol::wire wire, const request_facts& facts);

/// At most `pieces` parts of about equal length that join to `text`; never inside a UTF-8
/// character or an `id_marker`, so short texts give fewer parts.
std::vector<std::string> split_text(std::string_view text, int pieces);

std::int64_t output_tokens(const answer& what);

// One pair per protocol; `render_body` and `render_stream` choose.
std::string responses_body(const answer& what, const request_facts& facts);
stream_frames responses_stream(const answer& what, const request_facts& facts);
std::string compaction_body(const answer& what, const request_facts& facts);
std::string chat_body(const answer& what, const request_facts& facts);
stream_frames chat_stream(const answer& what, const request_facts& facts);
std::string messages_body(const answer& what, const request_facts& facts);
stream_frames messages_stream(const answer& what, const request_facts& facts);
std::string gemini_body(const answer& what, const request_facts& facts);
stream_frames gemini_stream(const answer& what, const request_facts& facts);

/// JSON text of any value; broken UTF-8 becomes replacement characters.
std::string json_text(const nlohmann::ordered_json& value);
std::string sse_frame(std::string_view event, const nlohmann::ordered_json& data);

}  // namespace tidegate::sim
