#pragma once
/// What the tests of the Messages codec share.

#include <simdjson.h>

#include <string>
#include <string_view>

#include "protocol/canonical/messages/messages.hpp"
#include "tests/support/catch.hpp"

namespace tidegate::protocol::samples {

/// A body as the server keeps it: with padding behind its end.
inline std::string padded(std::string_view text) {
  std::string out;
  out.reserve(text.size() + simdjson::SIMDJSON_PADDING);
  return out.append(text);
}

inline target_caps claude() {
  target_caps out;
  out.owner = token_owner::claude;
  return out;
}

/// `member` and `messages` into a body of a request.
inline std::string body_of(std::string_view messages, std::string_view more = {}) {
  std::string out = R"({"model":"m","max_tokens":100,"messages":[)";
  out.append(messages).append(1, ']');
  if (!more.empty()) out.append(1, ',').append(more);
  return padded(out + '}');
}

inline std::string user_body(std::string_view more = {}) {
  return body_of(R"({"role":"user","content":"hi"})", more);
}

inline std::string encoded(const canonical_request& what, const target_caps& caps = claude()) {
  return messages::encode_request(what, "m", caps).body;
}

/// Two requests say the same; their stores and bodies differ.
inline bool same(const canonical_request& a, const canonical_request& b) {
  return a.model == b.model && a.stream == b.stream && a.system == b.system &&
         a.turns == b.turns && a.tools == b.tools && a.choice == b.choice &&
         a.parallel_tool_calls == b.parallel_tool_calls && a.sampling == b.sampling &&
         a.max_output_tokens == b.max_output_tokens && a.stop == b.stop &&
         a.reasoning == b.reasoning && a.format == b.format &&
         a.service_tier == b.service_tier && a.end_user == b.end_user;
}

inline constexpr std::string_view claude_signature = "EqoBCkYIBBgCKkDhabcdefghijklmnop";

}  // namespace tidegate::protocol::samples
