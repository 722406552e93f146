#pragma once
/// The legacy text completions of OpenAI (`/v1/completions`), served through Chat: the request as
/// a Chat request, Chat's answer as a completion (spec/http.md 2.2). Pure; never throws.

#include <memory>
#include <string>

#include "base/error.hpp"
#include "protocol/answer_shape.hpp"
#include "protocol/envelope.hpp"

namespace tidegate::protocol {

struct chat_call {
  std::string body;
  std::string echo;  ///< stands in front of every choice's text; empty = nothing does
};

/// One user message from `prompt`: a text, or a list of one text; an empty or missing one asks
/// "Complete this:". A number as `logprobs` becomes `top_logprobs`. Members that Chat does not have
/// are dropped. errc::invalid_input names the member: a prompt of several texts or of token ids, a
/// `suffix`, `echo` that is no flag. `head` is the envelope of `body`.
result<chat_call> chat_call_of(const std::string& body, const envelope& head);

/// Chunks that carry neither text, nor a reason to stop, nor usage are left out.
std::unique_ptr<answer_shape> make_text_completion(std::string echo);

}  // namespace tidegate::protocol
