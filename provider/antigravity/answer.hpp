#pragma once
/// Antigravity's answers are Gemini's inside of `{"response": …, "traceId"}`, whole ones and events
/// alike. What is in no such envelope, an error for example, stays as it is. Pure.

#include <string_view>

#include "provider/answer_edit.hpp"

namespace tidegate::provider::antigravity {

/// The inside of `response`; the text itself when it has no such member.
std::string_view payload_of(std::string_view text);
/// An event without the counts of tokens where the answer goes on behind it: they mean nothing yet.
std::string event_of(std::string_view payload);

class opened_answer final : public answer_edit {
 public:
  std::span<const protocol::sse_frame> frames(const protocol::sse_frame& frame) override;
  result<void> whole(std::string& body) override;

 private:
  made_frames made_;
};

}  // namespace tidegate::provider::antigravity
