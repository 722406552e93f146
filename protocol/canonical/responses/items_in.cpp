#include "protocol/canonical/responses/reading.hpp"
#include "protocol/canonical/responses/tokens.hpp"

namespace tidegate::protocol::responses {
namespace {

using json_in::json_type;

/// The open turn of this role at the end of the conversation, or a new one. Everything that the
/// model said between two other items is one turn, and so are results that follow each other.
std::vector<part>& running(reading& in, turn_role role) {
  auto& turns = in.out.turns;
  if (turns.empty() || turns.back().role != role) turns.push_back({role, {}});
  return turns.back().parts;
}

void mark_last(std::vector<part>& parts, std::string_view cache) {
  if (cache.empty() || parts.empty()) return;
  if (auto* const text = std::get_if<text_part>(&parts.back())) text->cache = cache;
  if (auto* const media = std::get_if<media_part>(&parts.back())) media->cache = cache;
}

std::string_view marker_of(const part& what) {
  if (const auto* const media = std::get_if<media_part>(&what)) {
    switch (media->kind) {
      case media_kind::image:
        return "[image]";
      case media_kind::file:
        return "[file]";
      case media_kind::audio:
        return "[audio]";
      case media_kind::video:
        return "[video]";
    }
  }
  return "[unsupported content]";
}

/// System text at the head of the conversation is the system prompt, later text keeps its place.
void add_system(reading& in, system_origin origin, std::vector<part>&& parts) {
  const bool leading = in.out.turns.empty();
  for (part& one : parts) {
    if (!std::holds_alternative<text_part>(one)) one = text_part{{marker_of(one)}, {}, {}, {}};
  }
  if (!leading) {
    in.out.turns.push_back({turn_role::inline_system, std::move(parts)});
    return;
  }
  for (const part& one : parts) {
    const auto& text = std::get<text_part>(one);
    in.out.system.push_back({text.text, origin, text.cache});
  }
}

bool add_message(reading& in, const place& at, std::string_view role, std::vector<part>&& parts) {
  if (role == "user") {
    if (parts.empty()) return true;
    in.out.turns.push_back({turn_role::user, std::move(parts)});
  } else if (role == "assistant") {
    auto& said = running(in, turn_role::assistant);
    if (said.empty()) {
      said = std::move(parts);
    } else {
      for (part& one : parts) said.push_back(std::move(one));
    }
  } else if (role == "system") {
    add_system(in, system_origin::system, std::move(parts));
  } else if (role == "developer") {
    add_system(in, system_origin::developer, std::move(parts));
  } else {
    return in.wrong(place{at, "role"}, "expected user, assistant, system or developer");
  }
  return true;
}

bool read_message(reading& in, const place& at, json_in::object& item) {
  raw_text role;
  std::string_view cache;
  std::vector<part> parts;
  const bool whole = json_in::each_member(item, [&](std::string_view key, json_in::value& v) {
    const place where{at, key};
    if (key == "role") return take(in, where, v, role);
    if (key == "content") return read_content(in, where, v, parts);
    if (key == "cache_control") return take_object(in, where, v, cache);
    return true;
  });
  if (!whole) return in.unreadable(at);
  mark_last(parts, cache);
  return add_message(in, at, role.escaped, std::move(parts));
}

bool read_texts(reading& in, const place& at, json_in::value& v, std::vector<raw_text>& into) {
  return elements_of(in, at, v, [&](const place& where, json_in::value& one) {
    return members_of(in, where, one,
                      [&](const place& inside, std::string_view key, json_in::value& member) {
                        return key != "text" || take(in, inside, member, into.emplace_back());
                      });
  });
}

/// Whether the token went to a part that stands before it.
bool attached(std::vector<part>& said, const opaque_token& token) {
  if (token.bind != token_bind::previous || said.empty()) return false;
  if (auto* const call = std::get_if<tool_call_part>(&said.back())) {
    if (token.target == token_target::text) return false;
    call->signature = token;
    return true;
  }
  auto* const text = std::get_if<text_part>(&said.back());
  if (text == nullptr || token.target == token_target::function) return false;
  text->signature = token;
  return true;
}

bool read_reasoning(reading& in, const place& at, json_in::object& item) {
  reasoning_part found;
  std::vector<raw_text> content;
  raw_text encrypted;
  const bool whole = json_in::each_member(item, [&](std::string_view key, json_in::value& v) {
    const place where{at, key};
    if (key == "id") return take(in, where, v, found.id);
    if (key == "summary") return read_texts(in, where, v, found.texts);
    if (key == "content") return read_texts(in, where, v, content);
    if (key == "encrypted_content") return take(in, where, v, encrypted);
    return true;
  });
  if (!whole) return in.unreadable(at);
  found.summary = !found.texts.empty();
  if (!found.summary) found.texts = std::move(content);
  if (!encrypted.empty()) {
    const auto carried = token_of(encrypted);
    found.redacted = carried.redacted;
    found.token = carried.token;
    if (carried.redacted && carried.token.bytes.empty()) return true;
  }
  auto& said = running(in, turn_role::assistant);
  if (found.texts.empty() && found.token && attached(said, *found.token)) return true;
  said.emplace_back(std::move(found));
  return true;
}

/// `arguments` is a string with JSON inside; an object is taken as it stands.
bool read_arguments(reading& in, const place& at, json_in::value& v, std::string_view& into) {
  if (json_in::type_of(v) == json_type::object) return take_object(in, at, v, into);
  raw_text written;
  if (!take(in, at, v, written)) return false;
  const bool plain_already = written.escaped.find('\\') == std::string_view::npos;
  into = plain_already ? written.escaped : in.out.texts.keep(plain(written));
  return true;
}

/// A carrier that stands before a call goes into the call.
void take_signature(std::vector<part>& said, tool_call_part& call) {
  if (said.empty()) return;
  const auto* const before = std::get_if<reasoning_part>(&said.back());
  if (before == nullptr || !before->token || !before->texts.empty()) return;
  const opaque_token& token = *before->token;
  if (token.bind != token_bind::next || token.target == token_target::text) return;
  call.signature = token;
  said.pop_back();
}

bool read_call(reading& in, const place& at, json_in::object& item, tool_kind kind) {
  tool_call_part call;
  call.kind = kind;
  std::string_view cache;
  const bool whole = json_in::each_member(item, [&](std::string_view key, json_in::value& v) {
    const place where{at, key};
    if (key == "call_id") return take(in, where, v, call.id);
    if (key == "name") return take(in, where, v, call.name);
    if (key == "namespace") return take(in, where, v, call.name_space);
    if (key == "cache_control") return take_object(in, where, v, cache);
    if (key == "arguments" && kind == tool_kind::function) {
      return read_arguments(in, where, v, call.arguments);
    }
    if (key == "input" && kind == tool_kind::custom) {
      raw_text input;
      const bool good = take(in, where, v, input);
      call.arguments = input.escaped;
      return good;
    }
    return true;
  });
  if (!whole) return in.unreadable(at);
  if (call.name.empty()) return in.wrong(place{at, "name"}, "is missing");
  if (call.id.empty()) return in.wrong(place{at, "call_id"}, "is missing");
  if (!cache.empty()) call.cache = cache;
  auto& said = running(in, turn_role::assistant);
  take_signature(said, call);
  said.emplace_back(std::move(call));
  return true;
}

bool read_result(reading& in, const place& at, json_in::object& item, tool_kind kind) {
  tool_result_part found;
  found.kind = kind;
  std::string_view cache;
  const bool whole = json_in::each_member(item, [&](std::string_view key, json_in::value& v) {
    const place where{at, key};
    if (key == "call_id") return take(in, where, v, found.call_id);
    if (key == "output") return read_output(in, where, v, found);
    if (key == "cache_control") return take_object(in, where, v, cache);
    return true;
  });
  if (!whole) return in.unreadable(at);
  if (found.call_id.empty()) return in.wrong(place{at, "call_id"}, "is missing");
  if (!cache.empty()) found.cache = cache;
  running(in, turn_role::tool).emplace_back(std::move(found));
  return true;
}

bool read_additional(reading& in, const place& at, json_in::object& item) {
  const bool whole = json_in::each_member(item, [&](std::string_view key, json_in::value& v) {
    return key != "tools" || read_tools(in, place{at, key}, v, true);
  });
  return whole || in.unreadable(at);
}

/// Items that stand for others: only who made them can read them.
bool is_kept_elsewhere(std::string_view type) {
  return type == "item_reference" || type.find("compaction") != std::string_view::npos;
}

bool read_item(reading& in, const place& at, json_in::value& v) {
  json_in::object item;
  if (v.get_object().get(item)) return in.wrong(at, "expected an item");
  const auto found = type_member(item);
  if (!found) return in.unreadable(at);
  const auto type = *found;
  if (type.empty() || type == "message") return read_message(in, at, item);
  if (type == "reasoning") return read_reasoning(in, at, item);
  if (type == "function_call") return read_call(in, at, item, tool_kind::function);
  if (type == "custom_tool_call") return read_call(in, at, item, tool_kind::custom);
  if (type == "function_call_output") return read_result(in, at, item, tool_kind::function);
  if (type == "custom_tool_call_output") return read_result(in, at, item, tool_kind::custom);
  if (type == "additional_tools") return read_additional(in, at, item);
  if (in.out.kept_elsewhere.empty() && is_kept_elsewhere(type)) in.out.kept_elsewhere = at.str();
  std::string_view json;
  if (item.raw_json().get(json)) return in.unreadable(at);
  const auto role = type.ends_with("_output") ? turn_role::tool : turn_role::assistant;
  running(in, role).emplace_back(unknown_part{type, json_in::trimmed(json)});
  return true;
}

}  // namespace

bool read_input(reading& in, const place& at, json_in::value& v) {
  if (const auto whole = json_in::text(v)) {
    in.out.turns.push_back({turn_role::user, {text_part{*whole, {}, {}, {}}}});
    return true;
  }
  if (const auto type = json_in::type_of(v); type != json_type::array && type != json_type::null) {
    return in.wrong(at, "expected a string or an array");
  }
  return elements_of(in, at, v, [&](const place& where, json_in::value& one) {
    return read_item(in, where, one);
  });
}

}  // namespace tidegate::protocol::responses
