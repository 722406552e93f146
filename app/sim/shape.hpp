#pragma once
/// Whether a JSON value has the shape that a vendor's API demands. Shapes are JSON texts, so that a
/// protocol's request is one table:
///
///   "string", "number", "integer", "boolean", "null", "object", "any"   a kind of value
///   "'auto'"              exactly this string          "@name"   the named shape of the same table
///   "a|b"                 one of these                 [s]       a list of s
///   {"key": s, "key!": s} an object of these members and no others; `!` = required
///   {"$each": s}          an object of any members, each of shape s
///   {"$by": "type", ...}  an object whose `type` picks the shape; `$else` when it has none
///
/// Pure. The tables are the simulator's own; a broken one is a bug. Depth follows the table, save
/// where a table names itself: `shape_depth_max` bounds that.

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace tidegate::sim {

inline constexpr int shape_depth_max = 64;

/// Named shapes; "request" is the whole.
class shape_table {
 public:
  explicit shape_table(std::string_view text);

  /// What is wrong and where (`messages.0.role: ...`); nullopt when the value fits.
  std::optional<std::string> objection(const nlohmann::ordered_json& value) const;

 private:
  nlohmann::ordered_json named_;
};

}  // namespace tidegate::sim
