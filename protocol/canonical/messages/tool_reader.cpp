#include "protocol/canonical/messages/tool_reader.hpp"

#include <algorithm>
#include <array>

#include "protocol/canonical/messages/block_reader.hpp"

namespace tidegate::protocol::messages {
namespace {

using json_in::json_type;
using json_in::object;
using json_in::value;

server_tool server_tool_of(std::string_view type) {
  if (type.starts_with("web_search_")) return server_tool::web_search;
  if (type.starts_with("web_fetch_")) return server_tool::web_fetch;
  if (type.starts_with("code_execution_")) return server_tool::code_execution;
  return server_tool::other;
}

/// Tools that Anthropic defines and the client runs: to other models they are functions like any.
/// Source: Anthropic's pages on the bash, text editor and memory tools, 2026-11.
struct client_tool {
  std::string_view prefix;  ///< of the type, before its date
  std::string_view description;
  std::string_view schema;
};
constexpr std::array client_tools{
    client_tool{"bash_", "Run a command in a persistent bash session.",
                R"({"type":"object","properties":{"command":{"type":"string"},)"
                R"("restart":{"type":"boolean"}}})"},
    client_tool{"text_editor_", "View, create and edit text files.",
                R"({"type":"object","properties":{"command":{"type":"string","enum":["view",)"
                R"("create","str_replace","insert","undo_edit"]},"path":{"type":"string"},)"
                R"("file_text":{"type":"string"},"old_str":{"type":"string"},)"
                R"("new_str":{"type":"string"},"insert_line":{"type":"integer"},)"
                R"("insert_text":{"type":"string"},"view_range":{"type":"array",)"
                R"("items":{"type":"integer"}}},"required":["command","path"]})"},
    client_tool{"memory_", "View and edit files of a memory directory.",
                R"({"type":"object","properties":{"command":{"type":"string","enum":["view",)"
                R"("create","str_replace","insert","delete","rename"]},"path":{"type":"string"},)"
                R"("file_text":{"type":"string"},"old_str":{"type":"string"},)"
                R"("new_str":{"type":"string"},"insert_line":{"type":"integer"},)"
                R"("insert_text":{"type":"string"},"old_path":{"type":"string"},)"
                R"("new_path":{"type":"string"},"view_range":{"type":"array",)"
                R"("items":{"type":"integer"}}},"required":["command"]})"}};

const client_tool* client_run(std::string_view type) {
  const auto found = std::ranges::find_if(
      client_tools, [type](const client_tool& one) { return type.starts_with(one.prefix); });
  return found == client_tools.end() ? nullptr : &*found;
}

bool take_schema(value& v, place& at, tool& out) {
  if (is_null(v)) return true;
  if (json_in::type_of(v) != json_type::object) return at.fail("input_schema", "must be an object");
  out.schema = json_in::raw(v);
  return !out.schema.empty();
}

bool read_tool(value& v, place& at, std::vector<tool>& into) {
  object of;
  if (json_in::type_of(v) != json_type::object || v.get_object().get(of)) {
    return at.fail("must be an object");
  }
  tool out;
  raw_text type;
  const bool read = json_in::each_member(of, [&](std::string_view key, value& member) {
    if (key == "name") return take_text(member, key, at, out.name);
    if (key == "description") return take_text(member, key, at, out.description);
    if (key == "input_schema") return take_schema(member, at, out);
    if (key == "cache_control") return take_mark(member, out.cache);
    if (key == "type") return take_text(member, key, at, type);
    if (key == "strict") out.strict = json_in::boolean(member);
    return true;
  });
  if (!read) return at.fail("is no valid JSON");
  if (type.empty() || type.escaped == "custom") {
    if (out.name.empty()) return at.fail("name", "must be a string that is not empty");
    into.push_back(out);
    return true;
  }
  if (const auto* const run = client_run(type.escaped)) {
    out.schema = run->schema;
    out.description = {run->description};
  } else {
    out.kind = tool_kind::server;
    out.server = server_tool_of(type.escaped);
  }
  bool ignored = false;
  if (of.reset().get(ignored) || of.raw_json().get(out.json)) return at.fail("is no valid JSON");
  out.json = json_in::trimmed(out.json);
  into.push_back(out);
  return true;
}

bool mode_of(std::string_view type, choice_mode& out) {
  if (type == "auto") out = choice_mode::automatic;
  else if (type == "any") out = choice_mode::required;
  else if (type == "tool") out = choice_mode::specific;
  else if (type == "none") out = choice_mode::none;
  else return false;
  return true;
}

}  // namespace

bool read_tools(value& v, place& at, std::vector<tool>& into) {
  into.clear();
  if (is_null(v)) return true;
  json_in::array list;
  if (json_in::type_of(v) != json_type::array || v.get_array().get(list)) {
    return at.fail("must be a list");
  }
  const auto visit = [&](value& one, std::size_t position) {
    const place::step down(at, position);
    return read_tool(one, at, into);
  };
  return json_in::each_element(list, visit) || at.fail("is no valid JSON");
}

bool read_choice(value& v, place& at, tool_choice& choice, std::optional<bool>& parallel_calls) {
  if (is_null(v)) return true;
  raw_text type;
  raw_text name;
  const bool read = members_of(v, at, [&](std::string_view key, value& member) {
    if (key == "type") return take_text(member, key, at, type);
    if (key == "name") return take_text(member, key, at, name);
    if (key != "disable_parallel_tool_use" || is_null(member)) return true;
    const auto disabled = json_in::boolean(member);
    if (!disabled) return at.fail(key, "must be true or false");
    parallel_calls = !*disabled;
    return true;
  });
  if (!read) return false;
  if (!mode_of(type.escaped, choice.mode)) {
    return at.fail("type", "must be auto, any, tool or none");
  }
  choice.names.clear();
  if (choice.mode != choice_mode::specific) return true;
  if (name.empty()) return at.fail("name", "must be a string that is not empty");
  choice.names.push_back(name);
  return true;
}

}  // namespace tidegate::protocol::messages
