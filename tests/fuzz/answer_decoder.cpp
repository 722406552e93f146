/// Any bytes as a whole answer of one protocol (TIDEGATE_WIRE): its events are in a legal order,
/// and every encoder spells them.

#include <cstdint>
#include <cstdlib>
#include <string>

#include "protocol/canonical/codec.hpp"
#include "protocol/canonical/event_order.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tidegate::protocol;
  constexpr std::size_t padding = 64;
  std::string body{reinterpret_cast<const char*>(data), size};
  body.reserve(size + padding);
  const auto events = codec_of(wire::TIDEGATE_WIRE).decode_answer(body, {});
  if (!events) return 0;
  event_order order;
  for (const auto& one : *events) {
    if (order.check(one)) std::abort();
  }
  if (order.check_end()) std::abort();
  for (const auto form :
       {wire::openai_chat, wire::openai_responses, wire::anthropic_messages, wire::gemini}) {
    (void)codec_of(form).encode_answer(*events, {});
  }
  return 0;
}
