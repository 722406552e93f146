/// Any bytes as a request of one protocol (TIDEGATE_WIRE): what its decoder takes, every encoder
/// spells as JSON, and the protocol's own decoder takes its own encoder's words again.

#include <nlohmann/json.hpp>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "protocol/canonical/codec.hpp"

namespace {

using namespace tidegate::protocol;

constexpr std::size_t padding = 64;

bool is_json(const std::string& text) {
  return nlohmann::json::accept(text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string body{reinterpret_cast<const char*>(data), size};
  body.reserve(size + padding);
  const auto& own = codec_of(wire::TIDEGATE_WIRE);
  const auto call = own.decode_request(body, "model");
  if (!call) return 0;
  // Numbers that no double holds, and half surrogate pairs, are legal for simdjson alone.
  const bool strict = is_json(body);
  for (const auto form :
       {wire::openai_chat, wire::openai_responses, wire::anthropic_messages, wire::gemini}) {
    auto made = codec_of(form).encode_request(*call, "upstream", {});
    if (strict && !is_json(made.body)) std::abort();
    if (!strict || form != wire::TIDEGATE_WIRE) continue;
    made.body.reserve(made.body.size() + padding);
    if (!own.decode_request(made.body, "model")) std::abort();
  }
  return 0;
}
