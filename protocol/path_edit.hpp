#pragma once
/// One edit of a JSON value along a path, by offsets: the bytes outside of what the path names stay
/// as they are. A key that an object has several times is edited at each place. Where the path ends
/// in the void, objects and arrays are created for the steps that are left; a selection creates
/// nothing. A scalar in the way of a path is replaced by `set`; `fill` treats only null as nothing.
/// An index behind the end of an array names nothing, but the one just behind it can be created; in
/// an array that does not exist that is 0.
/// The values must be known to be JSON, like those of a body whose envelope was read.
/// Pure; never throws.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "protocol/json_path.hpp"

namespace tidegate::protocol {

enum class edit_kind : std::uint8_t {
  fill,  ///< only where the path names nothing
  set,
  remove,
};

/// One edit may not add more, however many places it finds.
inline constexpr std::size_t edit_growth_max = 16 * 1024 * 1024;

/// `value` after the edit; nullopt when it stays as it is. `raw` is JSON text.
/// errc::limit_exceeded: more than edit_growth_max would be added.
result<std::optional<std::string>> edited(std::string_view value, std::span<const path_step> steps,
                                          edit_kind how, std::string_view raw);

/// `raw` inside the containers that the steps ask for; nullopt when a step selects or is an index
/// above 0.
std::optional<std::string> created(std::span<const path_step> steps, std::string_view raw);

/// Raw texts of the values that the path names.
std::vector<std::string_view> find_values(std::string_view value, std::span<const path_step> steps);

/// Equal as plain texts: a string by its characters, a number by its value, other scalars by their
/// spelling; objects and arrays equal nothing.
bool scalar_equals(std::string_view raw, std::string_view text);

}  // namespace tidegate::protocol
