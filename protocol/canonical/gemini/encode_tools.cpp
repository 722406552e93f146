#include <array>
#include <set>
#include <unordered_map>

#include "protocol/canonical/gemini/encoding.hpp"
#include "protocol/canonical/gemini/schema.hpp"
#include "protocol/json_edit.hpp"

namespace tidegate::protocol::gemini {
namespace {

constexpr std::string_view custom_schema =
    R"({"type":"object","properties":{"input":{"type":"string"}},"required":["input"]})";

std::string_view spelling_of(server_tool server) {
  switch (server) {
    case server_tool::web_search:
      return "googleSearch";
    case server_tool::code_execution:
      return "codeExecution";
    case server_tool::web_fetch:
    case server_tool::url_context:
      return "urlContext";
    case server_tool::none:
    case server_tool::image_generation:
    case server_tool::other:
      return {};
  }
  return {};
}

void write_function(encoding& to, const tool& declared, const std::string& name) {
  to.lose_mark(declared.cache);
  if (declared.strict.value_or(false)) to.lose(lossy::strict);
  to.json.begin_object().key("name").text({name});
  to.json.member_if("description", declared.description);
  if (declared.kind == tool_kind::custom) {
    to.json.key("parametersJsonSchema").raw(custom_schema);
  } else if (!declared.schema.empty()) {
    const clean_schema clean = cleaned_schema(declared.schema);
    if (clean.lossy) to.lose(lossy::schema);
    to.json.key("parametersJsonSchema").raw(clean.json);
  }
  to.json.end_object();
}

/// The first declaration of a name counts; Gemini refuses a second one.
void write_functions(encoding& to) {
  std::set<std::string_view> written;
  to.json.begin_object().key("functionDeclarations").begin_array();
  for (const auto& declared : to.from.tools) {
    if (!is_declarable(declared)) continue;
    const auto& name = to.wire_name(declared.name, declared.name_space, declared.kind);
    if (written.insert(name).second) {
      write_function(to, declared, name);
    } else {
      to.lose(lossy::duplicate_tool);
    }
  }
  to.json.end_array().end_object();
}

/// What the other protocols say of a search and googleSearch cannot.
bool has_search_limits(const tool& declared) {
  constexpr std::array<std::string_view, 5> members{"allowed_domains", "blocked_domains", "filters",
                                                    "max_uses", "user_location"};
  return std::ranges::any_of(members, [&](std::string_view key) {
    const auto value = member_of(declared.json, key);
    return !value.empty() && value != "null" && value != "[]" && value != "{}";
  });
}

/// A choice of none forbids Gemini functions only, so a built-in tool is not declared then.
bool may_declare_built_in(const encoding& to, bool functions) {
  return !functions && to.owner() == token_owner::gemini &&
         to.from.choice.mode != choice_mode::none;
}

/// Gemini's models up to 2.5 take either functions or built-in tools, others take no built-in ones.
void write_built_in(encoding& to, const tool& declared, bool functions) {
  const std::string_view name = spelling_of(declared.server);
  to.lose_mark(declared.cache);
  if (to.from_gemini() && !declared.json.empty()) {
    const std::string_view own =
        name.empty() || name != declared.name.escaped ? declared.name.escaped : name;
    to.json.begin_object().key(own).raw(declared.json).end_object();
  } else if (name.empty() || !may_declare_built_in(to, functions)) {
    to.lose(lossy::server_tool);
  } else {
    const bool search = declared.server == server_tool::web_search;
    if (search && has_search_limits(declared)) to.lose(lossy::search_limits);
    to.json.begin_object().key(name).raw("{}").end_object();
  }
}

/// Declared tools by name; one of the choice's kind is preferred.
std::unordered_map<std::string_view, const tool*> declared_for(const encoding& to) {
  std::unordered_map<std::string_view, const tool*> out;
  for (const auto& declared : to.from.tools) {
    if (!is_declarable(declared)) continue;
    const tool*& known = out[declared.name.escaped];
    const bool preferred = declared.kind == to.from.choice.kind;
    if (known == nullptr || (preferred && known->kind != declared.kind)) known = &declared;
  }
  return out;
}

std::string_view mode_of(const tool_choice& choice) {
  switch (choice.mode) {
    case choice_mode::unset:
      return {};
    case choice_mode::automatic:
      return "AUTO";
    case choice_mode::none:
      return "NONE";
    case choice_mode::required:
    case choice_mode::specific:
      return "ANY";
    // Names are refused with AUTO.
    case choice_mode::subset:
      return choice.subset_required ? "ANY" : "VALIDATED";
  }
  return {};
}

void write_choice(encoding& to) {
  const tool_choice& choice = to.from.choice;
  if (choice.mode == choice_mode::unset) return;
  std::vector<const tool*> allowed;
  const auto known = declared_for(to);
  for (const auto& name : choice.names) {
    const auto found = known.find(name.escaped);
    if (found != known.end()) allowed.push_back(found->second);
  }
  const bool named = choice.mode == choice_mode::specific || choice.mode == choice_mode::subset;
  if (named && (allowed.empty() || choice.kind == tool_kind::server)) {
    return to.lose(lossy::tool_choice);
  }
  to.json.key("toolConfig").begin_object().key("functionCallingConfig").begin_object();
  to.json.key("mode").text({mode_of(choice)});
  if (named) {
    to.json.key("allowedFunctionNames").begin_array();
    for (const auto* declared : allowed) {
      to.json.text({to.wire_name(declared->name, declared->name_space, declared->kind)});
    }
    to.json.end_array();
  }
  to.json.end_object().end_object();
}

}  // namespace

void write_tools(encoding& to) {
  const auto& tools = to.from.tools;
  const bool functions = std::ranges::any_of(tools, is_declarable);
  const std::size_t before = to.into.body.size();
  to.json.key("tools").begin_array();
  const std::size_t empty = to.into.body.size();
  if (functions) write_functions(to);
  for (const auto& declared : tools) {
    if (declared.kind == tool_kind::server) write_built_in(to, declared, functions);
  }
  const bool none = to.into.body.size() == empty;
  to.json.end_array();
  if (none) to.into.body.resize(before);
  const bool must = to.from.choice.mode == choice_mode::required ||
                    to.from.choice.mode == choice_mode::specific || to.from.choice.subset_required;
  if (functions) {
    write_choice(to);
  } else if (must) {
    to.lose(lossy::tool_choice);
  }
  if (!to.from.parallel_tool_calls.value_or(true)) to.lose(lossy::parallel_tool_calls);
}

}  // namespace tidegate::protocol::gemini
