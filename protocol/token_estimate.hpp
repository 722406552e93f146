#pragma once
/// How many tokens a text or a call is likely to be, without any model's vocabulary: words, digits,
/// marks and blanks each cost what they cost on average in OpenAI's o200k vocabulary. Good to a few
/// percent for English and code; weights, measured errors and overheads: docs/token-counting.md.
/// Linear in the bytes. Pure; any thread; every input byte is hostile.

#include <cstdint>
#include <string_view>

#include "protocol/canonical/request.hpp"

namespace tidegate::protocol {

/// A medium's bytes say nothing about its tokens, so each kind costs the same whatever its size.
inline constexpr std::int64_t image_tokens = 1'000;
inline constexpr std::int64_t small_image_tokens = 85;  ///< `detail: low`
inline constexpr std::int64_t audio_tokens = 1'000;
inline constexpr std::int64_t file_tokens = 2'000;
inline constexpr std::int64_t video_tokens = 5'000;

/// What a protocol writes around a message, a tool and a call or result.
inline constexpr std::int64_t message_tokens = 4;
inline constexpr std::int64_t tool_tokens = 8;
inline constexpr std::int64_t call_tokens = 6;
/// What stands in front of the answer.
inline constexpr std::int64_t answer_tokens = 3;

/// Tokens of one plain text; at least one when it is not empty.
std::int64_t estimate_text_tokens(std::string_view plain);

/// Tokens of everything that a model would read: system, turns, tools, the form of the answer.
/// Opaque tokens (signatures, encrypted reasoning) count nothing.
std::int64_t estimate_tokens(const canonical_request& call);

}  // namespace tidegate::protocol
