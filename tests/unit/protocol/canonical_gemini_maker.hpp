#pragma once
/// Short forms for the tests of the Gemini codec.

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/canonical/codec.hpp"
#include "protocol/canonical/event_order.hpp"
#include "tests/support/catch.hpp"

namespace gemini_test {

using namespace tidegate;
using namespace tidegate::protocol;

constexpr std::size_t padding = 64;
const std::string model = "gemini-3-flash";

/// A body lives as long as its request.
struct decoded {
  std::string body;
  canonical_request request;
};

inline std::string padded(std::string_view text) {
  std::string body;
  body.reserve(text.size() + padding);
  return body.append(text);
}

inline decoded decode(std::string_view json) {
  decoded out{padded(json), {}};
  auto read = gemini_codec.decode_request(out.body, model);
  INFO(json);
  if (!read) FAIL(read.error().detail);
  out.request = std::move(*read);
  return out;
}

inline std::string refusal_of(std::string_view json) {
  const std::string body = padded(json);
  const auto read = gemini_codec.decode_request(body, model);
  return read ? "accepted" : read.error().detail;
}

inline encoded_request encode(const canonical_request& what, std::string_view to = model) {
  target_caps caps;
  caps.owner = token_owner::gemini;
  return gemini_codec.encode_request(what, to, caps);
}

inline std::string recoded(std::string_view json) {
  return encode(decode(json).request).body;
}

inline turn said(turn_role role, std::vector<part> parts) {
  return {role, std::move(parts)};
}
inline text_part text(std::string_view what) {
  return {{what}, {}, {}, {}};
}
inline tool_call_part call(std::string_view id, std::string_view name, std::string_view args) {
  tool_call_part out;
  out.id = {id};
  out.name = {name};
  out.arguments = args;
  return out;
}
inline tool_result_part answer(std::string_view id, std::string_view what) {
  tool_result_part out;
  out.call_id = {id};
  out.content.emplace_back(text(what));
  return out;
}

/// What is wrong with the order of these events; empty = nothing.
inline std::string order_fault(const std::vector<event>& events) {
  event_order order;
  for (const auto& one : events) {
    if (const auto wrong = order.check(one)) return *wrong;
  }
  return order.check_end().value_or("");
}

inline std::vector<event> read_stream(std::string_view bytes, const tool_names& names = {},
                                      std::size_t piece = std::string::npos) {
  std::vector<event> out;
  sse_splitter frames(1 << 20);
  const auto decoder = gemini_codec.make_decoder(names);
  sse_frame frame;
  while (!bytes.empty()) {
    const auto taken = bytes.substr(0, piece);
    REQUIRE(frames.feed(taken));
    while (frames.next(frame)) decoder->feed(frame, out);
    bytes.remove_prefix(taken.size());
  }
  decoder->finish(out);
  return out;
}

inline std::string write_stream(const std::vector<event>& events, const answer_context& with) {
  std::string out;
  const auto encoder = gemini_codec.make_encoder(with);
  for (const auto& one : events) encoder->on(one, out);
  encoder->finish(out);
  return out;
}

}  // namespace gemini_test
