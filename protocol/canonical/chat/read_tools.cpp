#include <array>

#include "protocol/canonical/chat/reading.hpp"
#include "protocol/json_object.hpp"

namespace tidegate::protocol::chat {
namespace {

using json_in::json_type;
using json_in::object;
using json_in::value;

/// The grammar of a custom tool lies one object deeper in Chat; canonical is the flat form
/// `{type, syntax, definition}`.
std::string_view flat_format(std::string_view format, text_store& texts) {
  const auto outer = read_object(format, format.size());
  if (!outer) return format;
  const auto grammar = find_value(format, *outer, "grammar");
  if (!grammar || !grammar->starts_with('{')) return format;
  const auto inner = grammar->substr(1);
  const bool has_members = inner.find_first_not_of(" \t\r\n") != inner.find('}');
  return texts.keep(std::string{R"({"type":"grammar")"} + (has_members ? "," : "") +
                    std::string{inner});
}

bool read_declaration(reading& to, std::string_view key, value& v, tool& into) {
  if (key == "name") return take_text(v, into.name, to.wrong);
  if (key == "description") return take_text(v, into.description, to.wrong);
  if (key == "parameters") return take_object(v, into.schema, to.wrong);
  if (key == "strict") return take_boolean(v, into.strict, to.wrong);
  if (key == "format") {
    if (!take_object(v, into.format, to.wrong)) return false;
    into.format = flat_format(into.format, to.out.texts);
  }
  if (key == "cache_control") take_cache(v, into.cache);
  return true;
}

struct server_name {
  std::string_view name;
  server_tool tool;
};
constexpr std::array<server_name, 12> server_names{{
    {"web_search", server_tool::web_search},
    {"web_search_preview", server_tool::web_search},
    {"google_search", server_tool::web_search},
    {"googleSearch", server_tool::web_search},
    {"web_fetch", server_tool::web_fetch},
    {"code_execution", server_tool::code_execution},
    {"codeExecution", server_tool::code_execution},
    {"code_interpreter", server_tool::code_execution},
    {"image_generation", server_tool::image_generation},
    {"url_context", server_tool::url_context},
    {"urlContext", server_tool::url_context},
    {"browser_search", server_tool::web_search},
}};

server_tool server_of(std::string_view name) {
  for (const server_name& known : server_names) {
    if (known.name == name) return known.tool;
  }
  return server_tool::other;
}

/// Built-in tools have a type of their own, or are an object whose only key is their name.
bool read_server_tool(reading& to, object& of, std::string_view type, tool& into) {
  into.kind = tool_kind::server;
  into.server = server_of(type);
  into.json = raw_of(of);
  if (into.json.empty()) return false;
  if (!type.empty()) return true;
  const bool good = json_in::each_member(of, [&](std::string_view key, value&) {
    if (into.server == server_tool::other) into.server = server_of(key);
    return true;
  });
  return good && (into.server != server_tool::other || to.wrong.set("no type"));
}

bool read_tool(reading& to, value& v, tool& into) {
  object of;
  if (json_in::type_of(v) != json_type::object || v.get_object().get(of)) {
    return to.wrong.set("not an object");
  }
  std::string_view type;
  if (!find_kind(of, type)) return false;
  if (type != "function" && type != "custom") {
    value inner;
    const auto error =
        type.empty() ? of.find_field_unordered("function").get(inner) : simdjson::NO_SUCH_FIELD;
    if (error && error != simdjson::NO_SUCH_FIELD) return false;
    bool ignored = false;
    if (of.reset().get(ignored)) return false;
    if (error) return read_server_tool(to, of, type, into);
  }
  const std::string_view body = type == "custom" ? "custom" : "function";
  if (type == "custom") into.kind = tool_kind::custom;
  const bool good = json_in::each_member(of, [&](std::string_view key, value& inner) {
    if (key != body) return read_declaration(to, key, inner, into) || to.wrong.under(key);
    return members_of(inner, to.wrong,
                      [&](std::string_view name, value& member) {
                        return read_declaration(to, name, member, into) || to.wrong.under(name);
                      }) ||
           to.wrong.under(key);
  });
  if (good && into.name.empty()) {
    return to.wrong.set("missing") || to.wrong.under("name") || to.wrong.under(body);
  }
  return good;
}

choice_mode mode_of(std::string_view word) {
  if (word == "auto") return choice_mode::automatic;
  if (word == "none") return choice_mode::none;
  if (word == "required" || word == "any") return choice_mode::required;
  return choice_mode::unset;
}

/// The name in `{type function, function{name}}`, or in its flat form.
bool read_chosen_name(reading& to, object& of, std::string_view body, raw_text& name) {
  return json_in::each_member(of, [&](std::string_view key, value& v) {
    if (key == "name") return take_text(v, name, to.wrong) || to.wrong.under(key);
    if (key != body) return true;
    return members_of(v, to.wrong,
                      [&](std::string_view inner_key, value& inner) {
                        if (inner_key != "name") return true;
                        return take_text(inner, name, to.wrong) || to.wrong.under(inner_key);
                      }) ||
           to.wrong.under(key);
  });
}

bool read_allowed_list(reading& to, value& v, std::vector<raw_text>& names) {
  json_in::array list;
  if (json_in::type_of(v) != json_type::array || v.get_array().get(list)) {
    return to.wrong.set("not an array") || to.wrong.under("tools");
  }
  return json_in::each_element(
             list,
             [&](value& element, std::size_t position) {
               object of;
               if (json_in::type_of(element) != json_type::object || element.get_object().get(of)) {
                 return to.wrong.set("not an object") || to.wrong.under(position);
               }
               std::string_view type;
               if (!find_kind(of, type)) return false;
               raw_text name;
               if (!read_chosen_name(to, of, type, name)) return to.wrong.under(position);
               if (!name.empty()) names.push_back(name);
               return true;
             }) ||
         to.wrong.under("tools");
}

bool read_allowed(reading& to, object& of, tool_choice& choice) {
  choice.mode = choice_mode::subset;
  const auto take = [&](std::string_view key, value& v) {
    if (key == "mode") {
      const auto word = json_in::text(v);
      choice.subset_required = word && mode_of(word->escaped) == choice_mode::required;
    }
    return key != "tools" || read_allowed_list(to, v, choice.names);
  };
  return json_in::each_member(of, [&](std::string_view key, value& v) {
    if (key != "allowed_tools") return take(key, v);
    return members_of(v, to.wrong, take) || to.wrong.under(key);
  });
}

bool read_choice_object(reading& to, object& of, tool_choice& choice) {
  choice.json = raw_of(of);
  if (choice.json.empty()) return false;
  std::string_view type;
  if (!find_kind(of, type)) return false;
  choice.mode = mode_of(type);
  if (choice.mode != choice_mode::unset) return true;
  if (type == "allowed_tools") return read_allowed(to, of, choice);
  choice.mode = choice_mode::specific;
  if (type != "function" && type != "custom") {
    if (type.empty()) return to.wrong.set("not a string") || to.wrong.under("type");
    choice.kind = tool_kind::server;
    choice.names.push_back({type});
    return true;
  }
  if (type == "custom") choice.kind = tool_kind::custom;
  raw_text name;
  if (!read_chosen_name(to, of, type, name)) return false;
  if (name.empty()) return to.wrong.set("missing") || to.wrong.under("name");
  choice.names.push_back(name);
  return true;
}

}  // namespace

bool read_tools(reading& to, value& v) {
  if (is_null(v)) return true;
  json_in::array list;
  if (json_in::type_of(v) != json_type::array || v.get_array().get(list)) {
    return to.wrong.set("not an array");
  }
  return json_in::each_element(list, [&](value& element, std::size_t position) {
    return read_tool(to, element, to.out.tools.emplace_back()) || to.wrong.under(position);
  });
}

bool read_tool_choice(reading& to, value& v) {
  if (is_null(v)) return true;
  auto& choice = to.out.choice;
  if (const auto word = json_in::text(v)) {
    choice.mode = mode_of(word->escaped);
    choice.json = json_in::trimmed(v.raw_json_token());
    return choice.mode != choice_mode::unset || to.wrong.set("unknown word");
  }
  object of;
  if (json_in::type_of(v) != json_type::object || v.get_object().get(of)) {
    return to.wrong.set("not a string or an object");
  }
  return read_choice_object(to, of, choice);
}

bool read_functions(reading& to, value& v) {
  if (is_null(v)) return true;
  json_in::array list;
  if (json_in::type_of(v) != json_type::array || v.get_array().get(list)) {
    return to.wrong.set("not an array");
  }
  return json_in::each_element(list, [&](value& element, std::size_t position) {
    tool& made = to.out.tools.emplace_back();
    const bool good = members_of(element, to.wrong, [&](std::string_view key, value& inner) {
      return read_declaration(to, key, inner, made) || to.wrong.under(key);
    });
    if (good && !made.name.empty()) return true;
    if (good) to.wrong.set("missing") || to.wrong.under("name");
    return to.wrong.under(position);
  });
}

bool read_function_choice(reading& to, value& v) {
  if (is_null(v)) return true;
  auto& choice = to.out.choice;
  if (const auto word = json_in::text(v)) {
    choice.mode = mode_of(word->escaped);
    return choice.mode != choice_mode::unset || to.wrong.set("unknown word");
  }
  object of;
  if (json_in::type_of(v) != json_type::object || v.get_object().get(of)) {
    return to.wrong.set("not a string or an object");
  }
  raw_text name;
  if (!read_chosen_name(to, of, "function", name)) return false;
  if (name.empty()) return to.wrong.set("missing") || to.wrong.under("name");
  choice.mode = choice_mode::specific;
  choice.names.push_back(name);
  return true;
}

bool read_web_search_options(reading& to, value& v) {
  std::string_view options;
  if (!take_object(v, options, to.wrong) || options.empty()) return !to.wrong.found();
  const auto inner = options.substr(1);
  const bool has_members = inner.find_first_not_of(" \t\r\n") != inner.find('}');
  tool& made = to.out.tools.emplace_back();
  made.kind = tool_kind::server;
  made.server = server_tool::web_search;
  made.json = to.out.texts.keep(std::string{R"({"type":"web_search")"} + (has_members ? "," : "") +
                                std::string{inner});
  return true;
}

}  // namespace tidegate::protocol::chat
