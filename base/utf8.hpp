#pragma once
/// Whether bytes are text, and how they are shown when they are none.

#include <string>
#include <string_view>

namespace tidegate {

/// Well-formed UTF-8 without control characters: a name that can be shown and sent.
bool is_plain_text(std::string_view bytes);

/// Such a text as it is; in another one every byte that is no printable ASCII as `\xHH`.
std::string escaped_name(std::string_view bytes);

}  // namespace tidegate
