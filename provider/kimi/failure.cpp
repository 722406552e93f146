#include "provider/classify.hpp"
#include "provider/kimi/provider.hpp"
#include "provider/messages_frame.hpp"

namespace tidegate::provider::kimi {
namespace {

/// Kimi says nothing about when a limit ends.
quota::outcome conclude(int status, const error_body& body, const header_lookup& header,
                        const attempt_view& attempt) {
  auto out = classify_shared(status, body, header, attempt);
  apply_surface_rules(out, attempt.surface);
  return out;
}

}  // namespace

quota::outcome classify(const reply_view& reply, const attempt_view& attempt) {
  return conclude(reply.status, error_body{reply.body}, reply.header, attempt);
}

quota::outcome classify_frame(const protocol::sse_frame& frame, const header_lookup& header,
                              const attempt_view& attempt) {
  if (attempt.surface != protocol::surface::messages) {
    return conclude_frame(conclude, frame, header, attempt);
  }
  const error_body body{frame.data};
  return conclude(status_of_messages_frame(body), body, header, attempt);
}

}  // namespace tidegate::provider::kimi
