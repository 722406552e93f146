/// Any bytes as a provider's stream of one protocol (TIDEGATE_WIRE): the same events however the
/// bytes were cut, always in a legal order, and every encoder spells them.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/canonical/codec.hpp"
#include "protocol/canonical/event_order.hpp"

namespace {

using namespace tidegate::protocol;

constexpr std::size_t frame_bytes_max = 64 * 1024;

std::vector<event> events_of(std::string_view bytes, std::size_t step) {
  std::vector<event> events;
  sse_splitter splitter(frame_bytes_max);
  const auto decoder = codec_of(wire::TIDEGATE_WIRE).make_decoder({});
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    if (!splitter.feed(bytes.substr(at, step))) break;
    sse_frame frame;
    while (splitter.next(frame)) decoder->feed(frame, events);
  }
  decoder->finish(events);
  return events;
}

void require_legal(const std::vector<event>& events) {
  event_order order;
  for (const auto& one : events) {
    if (order.check(one)) std::abort();
  }
  if (order.check_end()) std::abort();
}

void spell(const std::vector<event>& events) {
  for (const auto form :
       {wire::openai_chat, wire::openai_responses, wire::anthropic_messages, wire::gemini}) {
    std::string frames;
    const auto encoder = codec_of(form).make_encoder({});
    for (const auto& one : events) encoder->on(one, frames);
    encoder->finish(frames);
    (void)codec_of(form).encode_answer(events, {});
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes{reinterpret_cast<const char*>(data), size};
  if (bytes.empty()) return 0;
  const auto events = events_of(bytes, bytes.size());
  if (events != events_of(bytes, 1 + data[0] % 16)) std::abort();
  require_legal(events);
  spell(events);
  return 0;
}
