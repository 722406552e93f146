#pragma once
/// The HTTP status that OpenAI's words for a failure stand for, where a stream tells no number.

#include <string_view>

namespace tidegate::protocol {

/// 0: neither word is known.
int status_of_words(std::string_view type, std::string_view code);

}  // namespace tidegate::protocol
