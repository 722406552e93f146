#pragma once
/// One message of a Chat request between its two steps: the members are read in any order, then
/// the role says what they become. Internal to chat/.

#include <string_view>
#include <vector>

#include "protocol/canonical/chat/reading.hpp"

namespace tidegate::protocol::chat {

struct message {
  raw_text role;
  std::vector<part> content;
  std::string_view content_json;  ///< content that is neither text nor parts, for tool results
  fault content_fault;
  raw_text reasoning_content;
  raw_text reasoning;
  raw_text refusal;
  raw_text call_id;
  raw_text name;
  std::vector<part> calls;
  std::vector<part> images;
  std::vector<citation> citations;
  cache_mark cache;
};

/// `function` is what `tool` was called before.
inline bool is_result_role(std::string_view role) {
  return role == "tool" || role == "function";
}

/// Appends what the message means: system blocks, a turn, or a result in a tool turn.
bool add_message(reading& to, message& from);

}  // namespace tidegate::protocol::chat
