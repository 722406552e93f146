#pragma once
/// One client's protocol in front of one provider's, as the gateway joins them.

#include <simdjson.h>

#include <nlohmann/json.hpp>

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "protocol/canonical/codec.hpp"
#include "protocol/canonical/event_order.hpp"
#include "protocol/sse.hpp"
#include "tests/support/catch.hpp"

namespace tidegate::golden {

using protocol::event;

struct side {
  std::string_view name;
  const protocol::codec& codec;
  protocol::token_owner owner;  ///< of the provider that speaks it
  std::string_view model;       ///< of the provider
};

inline const std::array<side, 4>& sides() {
  using protocol::token_owner;
  static const std::array<side, 4> all{
      side{"chat", protocol::chat_codec, token_owner::unknown, "qwen3-coder"},
      side{"responses", protocol::responses_codec, token_owner::gpt, "gpt-5.2-codex"},
      side{"messages", protocol::messages_codec, token_owner::claude, "claude-sonnet-4-5"},
      side{"gemini", protocol::gemini_codec, token_owner::gemini, "gemini-3-flash"}};
  return all;
}

inline constexpr std::string_view client_model = "agent-model";

/// A body as the server keeps it: with padding behind its end.
inline std::string padded(std::string_view text) {
  std::string out;
  out.reserve(text.size() + simdjson::SIMDJSON_PADDING);
  return out.append(text);
}

/// A request that was read; its views point into `body`.
struct decoded_request {
  std::unique_ptr<std::string> body;
  result<protocol::canonical_request> what;
};

inline decoded_request decode(const side& from, std::string_view text) {
  auto body = std::make_unique<std::string>(padded(text));
  auto what = from.codec.decode_request(*body, client_model);
  return {std::move(body), std::move(what)};
}

inline protocol::encoded_request encode(const side& to, const protocol::canonical_request& what) {
  protocol::target_caps caps;
  caps.owner = to.owner;
  return to.codec.encode_request(what, to.model, caps);
}

inline protocol::answer_context context_of(std::string_view model) {
  protocol::answer_context with;
  with.model = model;
  with.now = 1'800'000'000;
  with.id = "gw01";
  with.stream_usage = true;
  with.request_body = "{}";
  return with;
}

/// What is wrong with the order of these events; empty = nothing.
inline std::string order_fault(const std::vector<event>& events) {
  protocol::event_order order;
  for (const event& one : events) {
    if (const auto wrong = order.check(one)) return *wrong;
  }
  return order.check_end().value_or("");
}

using pieces = std::vector<std::string_view>;

inline pieces pieces_of(std::string_view bytes, std::size_t size) {
  pieces out;
  for (std::size_t at = 0; at < bytes.size(); at += size) out.push_back(bytes.substr(at, size));
  return out;
}

/// Calls `take` with each frame of a stream that arrives in these pieces.
template <class Take>
void split(const pieces& stream, Take take) {
  constexpr std::size_t frame_bytes_max = 1 << 20;
  protocol::sse_splitter splitter(frame_bytes_max);
  protocol::sse_frame frame;
  for (const std::string_view piece : stream) {
    if (!splitter.feed(piece)) FAIL("a frame outgrew its bound");
    while (splitter.next(frame)) take(frame);
  }
}

/// `event` and `data` of every frame.
inline std::vector<std::string> frames_of(const pieces& stream) {
  std::vector<std::string> out;
  split(stream, [&out](const protocol::sse_frame& frame) {
    out.emplace_back(frame.event);
    out.emplace_back(frame.data);
  });
  return out;
}

inline std::vector<event> events_of(const side& from, const protocol::tool_names& names,
                                    const pieces& stream) {
  const auto decoder = from.codec.make_decoder(names);
  std::vector<event> out;
  split(stream, [&](const protocol::sse_frame& frame) { decoder->feed(frame, out); });
  decoder->finish(out);
  return out;
}

inline std::string stream_of(const side& to, const std::vector<event>& events,
                             const protocol::answer_context& with) {
  const auto encoder = to.codec.make_encoder(with);
  std::string out;
  for (const event& one : events) encoder->on(one, out);
  encoder->finish(out);
  return out;
}

/// The client's whole answer.
inline nlohmann::json answered(const side& client, const side& provider, std::string_view body) {
  const auto events = provider.codec.decode_answer(padded(body), {});
  INFO(body);
  if (!events) FAIL(events.error().detail);
  return nlohmann::json::parse(client.codec.encode_answer(*events, context_of(client_model)));
}

/// The `data` of the client's frames, `[DONE]` left out.
inline std::vector<nlohmann::json> streamed(const side& client, const side& provider,
                                            std::string_view stream) {
  const auto frames =
      frames_of({stream_of(client, events_of(provider, {}, {stream}), context_of(client_model))});
  std::vector<nlohmann::json> out;
  for (std::size_t i = 1; i < frames.size(); i += 2) {
    if (frames[i] != "[DONE]") out.push_back(nlohmann::json::parse(frames[i]));
  }
  return out;
}

}  // namespace tidegate::golden
