#pragma once
/// What the parts of the request encoder share while one body is written. Internal.

#include <algorithm>
#include <string_view>

#include "protocol/canonical/gemini/gemini.hpp"
#include "protocol/canonical/json_out.hpp"

namespace tidegate::protocol::gemini {

struct encoding {
  const canonical_request& from;
  const target_caps& caps;
  encoded_request& into;
  json_out json;
  name_map names;

  void lose(std::string_view rule) {
    if (std::ranges::find(into.lost, rule) == into.lost.end()) into.lost.push_back(rule);
  }
  void lose_mark(const cache_mark& mark) {
    if (mark) lose(lossy::cache_control);
  }
  bool from_gemini() const { return from.source == wire::gemini; }
  bool system_alone() const {
    const auto says = [](const system_block& one) { return !one.text.empty(); };
    return from.turns.empty() && std::ranges::any_of(from.system, says);
  }
  token_owner owner() const {
    return caps.owner == token_owner::unknown ? token_owner::gemini : caps.owner;
  }
  const std::string& wire_name(raw_text name, raw_text name_space, tool_kind kind) {
    return names.wire_name(plain(name), plain(name_space), kind);
  }
};

inline bool is_declarable(const tool& what) {
  return what.kind != tool_kind::server && !what.name.empty();
}

void write_contents(encoding& to);
/// `tools` and `toolConfig`.
void write_tools(encoding& to);
void write_generation_config(encoding& to);
void write_thinking(encoding& to);
/// A response or a medium of a turn; also used inside results.
void write_media(encoding& to, const media_part& media);
/// The functionResponse part and the media behind it.
void write_result(encoding& to, const tool_result_part& result, std::string_view wire_name);

}  // namespace tidegate::protocol::gemini
