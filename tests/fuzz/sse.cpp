/// Any bytes, cut at two places and fed byte by byte, give the same frames; roles and the fold
/// survive all of them.

#include "protocol/gemini_fold.hpp"
#include "protocol/sse.hpp"
#include "protocol/stream.hpp"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace tidegate;
using namespace tidegate::protocol;

constexpr std::size_t frame_bytes_max = 4096;

struct splitting {
  std::vector<std::string> frames;
  std::string rest;
  bool overgrown = false;
  friend bool operator==(const splitting&, const splitting&) = default;
};

splitting split(std::string_view bytes, std::size_t step, answer_fold& fold,
                answer_fold& other) {
  splitting out;
  sse_splitter splitter(frame_bytes_max);
  for (std::size_t at = 0; at < bytes.size() && !out.overgrown; at += step) {
    out.overgrown = !splitter.feed(bytes.substr(at, step));
    sse_frame frame;
    while (splitter.next(frame)) {
      out.frames.push_back(std::string{frame.raw} + '\0' + std::string{frame.event} + '\0' +
                           std::string{frame.data});
      for (const auto form : {wire::openai_responses, wire::openai_chat, wire::anthropic_messages,
                              wire::gemini}) {
        (void)role_of(form, frame);
        (void)carries_output(form, frame);
        (void)finishes(form, frame);
      }
      (void)fold.add(frame);
      (void)other.add(frame);
    }
  }
  if (!out.overgrown) out.rest = splitter.rest();
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes{reinterpret_cast<const char*>(data), size};
  if (bytes.empty()) return 0;
  responses_fold fold(64 * 1024);
  gemini_fold other(64 * 1024);
  const splitting whole = split(bytes, bytes.size(), fold, other);
  const splitting some = split(bytes, 1 + data[0] % 16, fold, other);
  const splitting ones = split(bytes, 1, fold, other);
  if (!(whole == some) || !(whole == ones)) std::abort();
  (void)fold.finish();
  (void)other.finish();
  return 0;
}
