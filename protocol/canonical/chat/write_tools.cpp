#include <unordered_map>
#include <unordered_set>

#include "protocol/canonical/chat/writing.hpp"
#include "protocol/canonical/object_schema.hpp"
#include "protocol/json_object.hpp"

namespace tidegate::protocol::chat {
namespace {

constexpr std::string_view no_parameters = R"({"type":"object","properties":{}})";
constexpr std::string_view input_schema =
    R"({"type":"object","properties":{"input":{"type":"string"}},"required":["input"],)"
    R"("additionalProperties":false})";

void write_schema(writing& to, std::string_view schema) {
  if (!lacks_properties(schema)) {
    to.out.raw(schema.empty() ? no_parameters : schema);
    return;
  }
  to.out.raw(R"({"properties":{},)");
  to.body += behind_brace(schema);
}

void write_function(writing& to, const tool& what) {
  const bool custom = what.kind == tool_kind::custom;
  to.out.begin_object().key("type").raw("\"function\"").key("function").begin_object();
  to.out.key("name").text({to.name_of(what.name, what.name_space, what.kind)});
  to.out.member_if("description", what.description).key("parameters");
  write_schema(to, custom ? input_schema : what.schema);
  if (what.strict && !custom) to.out.key("strict").boolean(*what.strict);
  to.out.end_object();
  write_cache(to, what.cache);
  to.out.end_object();
  if (custom && !what.format.empty()) to.lose(lossy::custom_tool);
}

/// Chat keeps a grammar one object deeper than the canonical `{type, syntax, definition}`.
void write_format(writing& to, std::string_view format) {
  const auto layout = read_object(format, format.size());
  const auto syntax = layout ? find_value(format, *layout, "syntax") : std::nullopt;
  const auto definition = layout ? find_value(format, *layout, "definition") : std::nullopt;
  if (!syntax || !definition) {
    to.out.raw(format);
    return;
  }
  to.out.begin_object().key("type").raw("\"grammar\"").key("grammar").begin_object();
  to.out.key("syntax").raw(*syntax).key("definition").raw(*definition);
  to.out.end_object().end_object();
}

void write_custom(writing& to, const tool& what) {
  to.out.begin_object().key("type").raw("\"custom\"").key("custom").begin_object();
  to.out.key("name").text({to.name_of(what.name, what.name_space, what.kind)});
  to.out.member_if("description", what.description);
  if (!what.format.empty()) {
    to.out.key("format");
    write_format(to, what.format);
  }
  to.out.end_object();
  write_cache(to, what.cache);
  to.out.end_object();
}

/// A subset that the server cannot be told is declared alone; empty = all tools.
std::unordered_set<std::string_view> declared_alone(const writing& to) {
  std::unordered_set<std::string_view> out;
  const tool_choice& choice = to.what.choice;
  if (choice.mode != choice_mode::subset || to.is_openai()) return out;
  for (const raw_text name : choice.names) out.insert(name.escaped);
  return out;
}

std::vector<const tool*> declared(writing& to) {
  std::vector<const tool*> out;
  const auto alone = declared_alone(to);
  for (const tool& what : to.what.tools) {
    if (what.kind == tool_kind::server) {
      const bool own = to.is_own(wire::openai_chat) && !what.json.empty();
      if (own) {
        out.push_back(&what);
      } else {
        to.lose(lossy::server_tool);
      }
    } else if (!alone.empty() && !alone.contains(what.name.escaped)) {
      to.lose(lossy::allowed_tools);
    } else if (!what.name.empty()) {
      out.push_back(&what);
    }
  }
  return out;
}

void write_named(writing& to, raw_text name, raw_text name_space, tool_kind kind) {
  const std::string_view type = to.custom_is_native(kind) ? "custom" : "function";
  to.out.begin_object().key("type").text({type}).key(type).begin_object();
  const auto& wire_name =
      name_space.empty() ? to.name_of(name, kind) : to.name_of(name, name_space, kind);
  to.out.key("name").text({wire_name}).end_object().end_object();
}

void write_subset(writing& to) {
  const tool_choice& choice = to.what.choice;
  const std::string_view mode = choice.subset_required ? "required" : "auto";
  if (!to.is_openai() || choice.names.empty()) {
    to.out.key("tool_choice").text({mode});
    return;
  }
  to.out.key("tool_choice").begin_object().key("type").raw("\"allowed_tools\"");
  to.out.key("allowed_tools").begin_object().key("mode").text({mode}).key("tools").begin_array();
  std::unordered_map<std::string_view, const tool*> known;
  for (const tool& one : to.what.tools) known.try_emplace(one.name.escaped, &one);
  for (const raw_text name : choice.names) {
    const auto found = known.find(name.escaped);
    if (found == known.end() || found->second->kind == tool_kind::server) continue;
    write_named(to, name, found->second->name_space, found->second->kind);
  }
  to.out.end_array().end_object().end_object();
}

void write_choice(writing& to) {
  const tool_choice& choice = to.what.choice;
  switch (choice.mode) {
    case choice_mode::unset:
      return;
    case choice_mode::automatic:
      to.out.key("tool_choice").raw("\"auto\"");
      return;
    case choice_mode::none:
      to.out.key("tool_choice").raw("\"none\"");
      return;
    case choice_mode::required:
      to.out.key("tool_choice").raw("\"required\"");
      return;
    case choice_mode::subset:
      write_subset(to);
      return;
    case choice_mode::specific:
      break;
  }
  if (choice.kind == tool_kind::server || choice.names.empty()) {
    if (to.is_own(wire::openai_chat) && !choice.json.empty()) {
      to.out.key("tool_choice").raw(choice.json);
    } else {
      to.lose(lossy::tool_choice);
    }
    return;
  }
  if (!to.name_spaces.contains({choice.names.front().escaped, choice.kind})) {
    to.lose(lossy::tool_choice);
    return;
  }
  to.out.key("tool_choice");
  write_named(to, choice.names.front(), choice.name_space, choice.kind);
}

}  // namespace

void write_tools(writing& to) {
  const auto tools = declared(to);
  if (tools.empty()) return;
  to.out.key("tools").begin_array();
  for (const tool* what : tools) {
    if (what->kind == tool_kind::server) {
      to.out.raw(what->json);
    } else if (to.custom_is_native(what->kind)) {
      write_custom(to, *what);
    } else {
      write_function(to, *what);
    }
  }
  to.out.end_array();
  write_choice(to);
  if (to.what.parallel_tool_calls && to.caps.parallel_calls) {
    to.out.key("parallel_tool_calls").boolean(*to.what.parallel_tool_calls);
  }
}

}  // namespace tidegate::protocol::chat
