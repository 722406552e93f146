#include "provider/gemini/provider.hpp"
#include "provider/openai_compatibility/provider.hpp"
#include "provider/vertex/provider.hpp"

namespace tidegate::provider::vertex {

quota::outcome classify(const reply_view& reply, const attempt_view& attempt) {
  if (is_open_model(attempt.upstream_model)) return openai_compatibility::classify(reply, attempt);
  return gemini::classify(reply, attempt);
}

quota::outcome classify_frame(const protocol::sse_frame& frame, const header_lookup& header,
                              const attempt_view& attempt) {
  if (is_open_model(attempt.upstream_model)) {
    return openai_compatibility::classify_frame(frame, header, attempt);
  }
  return gemini::classify_frame(frame, header, attempt);
}

}  // namespace tidegate::provider::vertex
