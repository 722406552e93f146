#pragma once
/// What the writers of a Chat request share. Internal to chat/.

#include <deque>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "protocol/canonical/chat/chat.hpp"
#include "protocol/canonical/chat/message_plan.hpp"
#include "protocol/canonical/json_out.hpp"
#include "protocol/canonical/result_plan.hpp"

namespace tidegate::protocol::chat {

class writing {
 public:
  writing(const canonical_request& request, const target_caps& target);

  void lose(std::string_view rule);
  /// The wire's name of a tool, which needs no escapes.
  const std::string& name_of(raw_text name, raw_text name_space, tool_kind kind);
  /// The same for a name without its namespace, as tool_choice and results have it.
  const std::string& name_of(raw_text name, tool_kind kind);

  /// Only OpenAI's own models know free-form tools, tool subsets and max_completion_tokens; the
  /// other servers that speak Chat know the older members.
  bool is_openai() const { return caps.owner == token_owner::gpt; }
  bool is_own(wire source) const { return what.source == source; }
  bool custom_is_native(tool_kind kind) const { return kind == tool_kind::custom && is_openai(); }

  const canonical_request& what;
  const target_caps& caps;
  std::string body;
  json_out out{body};
  name_map names;
  std::map<std::pair<std::string_view, tool_kind>, raw_text> name_spaces;  ///< of declared tools
  std::deque<part> stand_ins;  ///< texts for parts that only say something
  result_plan results;
  lossy_notes lost;
};

void write_messages(writing& to);
/// One message of one or several turns of the assistant; nothing when nothing of it can be said.
void write_assistant(writing& to, std::span<const planned_turn> turns);
/// A `content` member: a string when the parts are one text, else an array.
void write_content(writing& to, const std::vector<const part*>& parts);
void write_result(writing& to, const tool_result_part& result);
/// False when Chat has no spelling for where it is.
bool can_write_media(writing& to, const media_part& media);
void write_media(writing& to, const media_part& media);
void write_cache(writing& to, const cache_mark& mark);

void write_tools(writing& to);

}  // namespace tidegate::protocol::chat
