#include "protocol/canonical/client_settings.hpp"
#include "protocol/canonical/responses/reading.hpp"

#include <map>
#include <utility>

namespace tidegate::protocol::responses {
namespace {

using json_in::json_type;

server_tool server_of(std::string_view type) {
  if (type.starts_with("web_search")) return server_tool::web_search;
  if (type == "image_generation") return server_tool::image_generation;
  if (type == "code_interpreter") return server_tool::code_execution;
  return server_tool::other;
}

bool read_declaration(reading& in, const place& at, json_in::object& from, tool& into) {
  std::string_view cache;
  const bool whole = json_in::each_member(from, [&](std::string_view key, json_in::value& v) {
    const place where{at, key};
    if (key == "name") return take(in, where, v, into.name);
    if (key == "description") return take(in, where, v, into.description);
    if (key == "parameters") return take_object(in, where, v, into.schema);
    if (key == "format") return take_object(in, where, v, into.format);
    if (key == "strict") return take(in, where, v, into.strict);
    if (key == "cache_control") return take_object(in, where, v, cache);
    return true;
  });
  if (!whole) return in.unreadable(at);
  if (!cache.empty()) into.cache = cache;
  return !into.name.empty() || in.wrong(place{at, "name"}, "is missing");
}

bool read_tool(reading& in, const place& at, json_in::value& v, raw_text name_space, int rank);

/// `name` may stand behind `tools`, so the children get it afterwards.
bool read_namespace(reading& in, const place& at, json_in::object& from, int rank) {
  raw_text name;
  const auto first = in.tools.size();
  const bool whole = json_in::each_member(from, [&](std::string_view key, json_in::value& v) {
    const place where{at, key};
    if (key == "name") return take(in, where, v, name);
    if (key != "tools") return true;
    return elements_of(in, where, v, [&](const place& inside, json_in::value& one) {
      return read_tool(in, inside, one, {"?"}, rank + 1);
    });
  });
  if (!whole) return in.unreadable(at);
  if (name.empty()) return in.wrong(place{at, "name"}, "is missing");
  for (auto i = first; i < in.tools.size(); ++i) in.tools[i].what.name_space = name;
  return true;
}

bool read_tool(reading& in, const place& at, json_in::value& v, raw_text name_space, int rank) {
  json_in::object from;
  if (v.get_object().get(from)) return in.wrong(at, "expected a tool");
  const auto stated = type_member(from);
  if (!stated) return in.unreadable(at);
  const auto type = *stated;
  if (type == "namespace") {
    if (!name_space.empty()) return in.wrong(at, "a namespace in a namespace");
    return read_namespace(in, at, from, rank);
  }
  declared_tool found;
  found.rank = rank;
  std::string_view json;
  bool ignored = false;
  if (from.raw_json().get(json) || from.reset().get(ignored)) return in.unreadable(at);
  found.what.json = json_in::trimmed(json);
  if (type == "function" || type == "custom" || type.empty()) {
    if (type == "custom") found.what.kind = tool_kind::custom;
    if (!read_declaration(in, at, from, found.what)) return false;
  } else {
    found.what.kind = tool_kind::server;
    found.what.server = server_of(type);
    found.what.name = {type};
  }
  in.tools.push_back(std::move(found));
  return true;
}

/// What two declarations must not share: the name as targets without namespaces see it.
std::string_view qualified(reading& in, const tool& what) {
  const auto name = what.name.escaped;
  const auto outer = what.name_space.escaped;
  if (outer.empty() || name.starts_with("mcp__")) return name;
  const std::string prefix = std::string{outer} + "__";
  return name.starts_with(prefix) ? name : in.out.texts.keep(prefix + std::string{name});
}

bool read_choice_tools(reading& in, const place& at, json_in::value& v, tool_choice& into) {
  return elements_of(in, at, v, [&](const place& where, json_in::value& one) {
    raw_text name;
    raw_text type;
    const bool good = members_of(
        in, where, one, [&](const place& inside, std::string_view key, json_in::value& member) {
          if (key == "name") return take(in, inside, member, name);
          if (key == "type") return take(in, inside, member, type);
          return true;
        });
    into.names.push_back(name.empty() ? type : name);
    return good;
  });
}

bool settle_choice(reading& in, const place& at, std::string_view type, std::string_view mode,
                   raw_text name) {
  auto& choice = in.out.choice;
  if (type == "allowed_tools") {
    choice.mode = choice_mode::subset;
    choice.subset_required = mode == "required";
    return true;
  }
  choice.mode = choice_mode::specific;
  choice.names.assign(1, name);
  if (type == "function" || type == "custom") {
    if (type == "custom") choice.kind = tool_kind::custom;
    return !name.empty() || in.wrong(place{at, "name"}, "is missing");
  }
  if (type.empty()) return in.wrong(place{at, "type"}, "is missing");
  choice.kind = tool_kind::server;
  choice.names.front() = {type};
  return true;
}

bool read_choice_object(reading& in, const place& at, json_in::value& v) {
  auto& choice = in.out.choice;
  json_in::object from;
  if (v.get_object().get(from)) return in.wrong(at, "expected a string or an object");
  bool ignored = false;
  if (from.raw_json().get(choice.json) || from.reset().get(ignored)) {
    return in.unreadable(at);
  }
  choice.json = json_in::trimmed(choice.json);
  raw_text type;
  raw_text mode;
  raw_text name;
  const bool whole = json_in::each_member(from, [&](std::string_view key, json_in::value& one) {
    const place where{at, key};
    if (key == "type") return take(in, where, one, type);
    if (key == "mode") return take(in, where, one, mode);
    if (key == "name") return take(in, where, one, name);
    if (key == "namespace") return take(in, where, one, choice.name_space);
    if (key == "tools") return read_choice_tools(in, where, one, choice);
    return true;
  });
  if (!whole) return in.unreadable(at);
  return settle_choice(in, at, type.escaped, mode.escaped, name);
}

/// A choice may say a namespaced tool by its short or by its qualified name.
void name_choice(reading& in) {
  auto& choice = in.out.choice;
  if (choice.mode != choice_mode::specific || !choice.name_space.empty()) return;
  const auto name = choice.names.front();
  const tool* found = nullptr;
  for (const tool& one : in.out.tools) {
    if (one.kind != choice.kind) continue;
    if (one.name == name && one.name_space.empty()) return;
    if (one.name_space.empty()) continue;
    if (one.name == name || qualified(in, one) == name.escaped) found = &one;
  }
  if (found == nullptr) return;
  choice.names.front() = found->name;
  choice.name_space = found->name_space;
}

}  // namespace

bool read_tools(reading& in, const place& at, json_in::value& v, bool additional) {
  return elements_of(in, at, v, [&](const place& where, json_in::value& one) {
    return read_tool(in, where, one, {}, additional ? 2 : 0);
  });
}

bool read_tool_choice(reading& in, const place& at, json_in::value& v) {
  auto& choice = in.out.choice;
  const auto word = json_in::text(v);
  if (!word) {
    return json_in::type_of(v) == json_type::null || read_choice_object(in, at, v);
  }
  if (word->escaped == "auto") {
    choice.mode = choice_mode::automatic;
  } else if (word->escaped == "none") {
    choice.mode = choice_mode::none;
  } else if (word->escaped == "required" || word->escaped == "any") {
    choice.mode = choice_mode::required;
  } else {
    return in.wrong(at, "expected auto, none, required or an object");
  }
  return true;
}

void settle_tools(reading& in) {
  std::vector<declared_tool> all;
  all.reserve(in.tools.size());
  for (const bool additional : {false, true}) {
    for (declared_tool& one : in.tools) {
      if ((one.rank >= 2) == additional) all.push_back(std::move(one));
    }
  }
  std::map<std::pair<std::string_view, tool_kind>, std::size_t> best;
  std::vector<bool> beaten(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const tool& one = all[i].what;
    if (one.kind == tool_kind::server) continue;
    const auto [at, is_new] = best.try_emplace({qualified(in, one), one.kind}, i);
    if (is_new) continue;
    note_setting(in.out, setting::tool_clash);
    const bool wins = all[i].rank < all[at->second].rank;
    beaten[wins ? at->second : i] = true;
    if (wins) at->second = i;
  }
  in.out.tools.reserve(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!beaten[i]) in.out.tools.push_back(std::move(all[i].what));
  }
  name_choice(in);
}

}  // namespace tidegate::protocol::responses
