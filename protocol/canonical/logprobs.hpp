#pragma once
/// Log probabilities of tokens: lists of objects in Chat and Responses, which write them alike, two
/// lists side by side in Gemini. Pure; what is no such thing is nothing.

#include <string>
#include <string_view>

namespace tidegate::protocol {

/// The elements of a list of objects, on one line, for a logprobs_event.
std::string logprobs_of_list(std::string_view array);
/// The same of Gemini's `logprobsResult`.
std::string logprobs_of_gemini(std::string_view result);
/// Gemini's `logprobsResult` of the tokens of an answer.
std::string gemini_logprobs(std::string_view tokens);

}  // namespace tidegate::protocol
