#pragma once
/// One object inside a JSON text, looked into and edited by member. For small values: each call
/// reads the object anew. And one list, edited by element. Pure; never throws.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace tidegate::protocol {

/// Raw text of the member's value; empty when `object` is no object or has no such member.
std::string_view member_of(std::string_view object, std::string_view key);

/// The whole number that a raw token writes; nullopt for anything else.
std::optional<std::int64_t> integer_of(std::string_view token);

/// The inside of a raw string token, escapes as written; empty for anything else.
std::string_view inside_of(std::string_view token);

/// `object` with the member set to raw JSON; other bytes stay. A new object when it is none.
std::string with_member(std::string_view object, std::string_view key, std::string raw);

/// `object` without the member; as it was when it is no object.
std::string without_member(std::string_view object, std::string_view key);

/// What becomes of an element: nullopt keeps it, an empty text takes it out with its comma.
using element_change = std::function<std::optional<std::string>(std::string_view element)>;

/// `list` with its elements changed, other bytes as they were; nullopt when all stay, and for
/// anything else than a list. The elements must be known to be JSON.
std::optional<std::string> with_elements(std::string_view list, const element_change& change);

}  // namespace tidegate::protocol
