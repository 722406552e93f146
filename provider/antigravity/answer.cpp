#include "provider/antigravity/answer.hpp"

#include "protocol/json_edit.hpp"

namespace tidegate::provider::antigravity {

std::string_view payload_of(std::string_view text) {
  const auto inside = protocol::member_of(text, "response");
  return inside.starts_with('{') ? inside : text;
}

std::string event_of(std::string_view payload) {
  constexpr std::string_view usage = "usageMetadata";
  const auto holds = [payload](std::string_view word) {
    return payload.find(word) != std::string_view::npos;
  };
  const bool counts_early =
      holds(usage) && holds(R"("candidates")") && !holds(R"("finishReason")");
  return counts_early ? protocol::without_member(payload, usage) : std::string{payload};
}

std::span<const protocol::sse_frame> opened_answer::frames(const protocol::sse_frame& frame) {
  made_.clear();
  const auto payload = payload_of(frame.data);
  if (payload.size() == frame.data.size()) {
    made_.pass(frame);
  } else {
    made_.add({}, event_of(payload));
  }
  return made_.all();
}

result<void> opened_answer::whole(std::string& body) {
  const auto payload = payload_of(body);
  if (payload.size() != body.size()) body = std::string{payload};
  return {};
}

}  // namespace tidegate::provider::antigravity
