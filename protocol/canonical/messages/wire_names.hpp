#pragma once
/// Tool names of one request as Messages spells them. Server tools keep their own names; a call or
/// choice of an undeclared kind or without its namespace follows the declared tool of that name.

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

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
  tool_names changed() const;

 private:
  struct declared {
    raw_text name;
    raw_text name_space;
    tool_kind kind;
    const std::string* wire;
  };
  const std::string& map(raw_text name, raw_text name_space, tool_kind kind);

  name_map names_;
  std::vector<declared> declared_;
};

}  // namespace tidegate::protocol::messages
