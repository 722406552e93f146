#pragma once
/// Tool names of one request as Messages spells them. Server tools keep their own names; a call or
/// choice of an undeclared kind or without its namespace follows the declared tool of that name.

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "protocol/canonical/codec.hpp"
#include "protocol/canonical/request.hpp"

namespace tidegate::protocol::messages {

inline void note(lossy_notes& into, std::string_view rule) {
  if (std::ranges::find(into, rule) == into.end()) into.push_back(rule);
}

class wire_names {
 public:
  explicit wire_names(const canonical_request& what);

  const std::string& of(raw_text name, raw_text name_space, tool_kind kind);
  /// Whether a tool is declared under this name, its own or the wire's.
  bool declares(raw_text name) const {
    return named_.contains(name.escaped) || spelled_.contains(name.escaped);
  }
  tool_names changed() const;

 private:
  using place = std::pair<std::string_view, std::string_view>;  ///< name and namespace
  using kept = std::unordered_map<std::string_view, const std::string*>;
  const std::string& map(raw_text name, raw_text name_space, tool_kind kind);
  void declare(const tool& one);

  name_map names_;
  std::map<std::pair<place, tool_kind>, const std::string*> exact_;
  std::map<place, const std::string*> placed_;  ///< the first of each; no server tools
  kept named_;                                  ///< the same, whatever its namespace
  kept spelled_;                                ///< by the wire's spelling
};

}  // namespace tidegate::protocol::messages
