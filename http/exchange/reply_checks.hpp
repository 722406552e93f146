#pragma once
/// Whether a 2xx body is an answer at all. Pure; an answer costs a look at both of its ends, only
/// what seems to be an error is read.

#include <optional>
#include <string>
#include <string_view>

namespace tidegate::http {

/// Takes a UTF-8 byte order mark off the front: readers of JSON do not know it.
void drop_mark(std::string& body);

/// Begins and ends like a JSON object or array; a login page or half a document does not.
bool looks_like_json(std::string_view body);
/// The same for the first bytes of a body that is not kept whole.
bool begins_like_json(std::string_view body);

/// The status that a document with an `error` near its beginning stands for under 200: its own
/// `status` or `code` when that is an HTTP error, else what its `type` or `code` means, else 502.
/// nullopt for anything else, and above 64 KiB.
std::optional<int> error_status_of(std::string_view body);

}  // namespace tidegate::http
