#pragma once
/// Imagen models take a prompt and give pictures, by Vertex's `predict`. Gemini's calls and answers
/// on the outside, `instances` and `predictions` on the inside. Pure.

#include "provider/answer_edit.hpp"
#include "provider/provider.hpp"

namespace tidegate::provider::vertex {

bool is_imagen(std::string_view model);

/// The body of a `predict` call. errc::invalid_input: the conversation ends with no text of a
/// user, or with a picture or file beside it.
result<std::string> predict_body(const request_input& in);

/// Pictures as parts of one answer. Whole answers only; without any picture the answer says that it
/// was stopped for safety, which is when Imagen leaves them out. What is no answer of its
/// is refused.
class picture_answer final : public answer_edit {
 public:
  std::span<const protocol::sse_frame> frames(const protocol::sse_frame& frame) override;
  result<void> whole(std::string& body) override;

 private:
  made_frames made_;
};

}  // namespace tidegate::provider::vertex
