#include <unordered_set>
#include <vector>

#include "protocol/canonical/object_schema.hpp"
#include "protocol/canonical/responses/writing.hpp"
#include "protocol/json_object.hpp"

namespace tidegate::protocol::responses {
namespace {

constexpr std::string_view empty_schema = R"({"type":"object","properties":{}})";

void write_schema(writing& w, std::string_view schema) {
  if (!lacks_properties(schema)) {
    w.out.raw(schema.empty() ? empty_schema : schema);
    return;
  }
  std::string filled = R"({"properties":{},)";
  w.out.raw(filled.append(behind_brace(schema)));
}

void write_function(writing& w, const tool& what) {
  w.out.begin_object().key("type").text({"function"});
  w.out.key("name").text(w.name_of(what.name, what.kind));
  w.out.member_if("description", what.description);
  w.out.key("parameters");
  write_schema(w, what.schema);
  // Left out, it would mean true.
  w.out.key("strict").boolean(what.strict.value_or(false));
  w.mark(what.cache);
  w.out.end_object();
}

void write_custom(writing& w, const tool& what) {
  w.out.begin_object().key("type").text({"custom"});
  w.out.key("name").text(w.name_of(what.name, what.kind));
  w.out.member_if("description", what.description).member_raw_if("format", what.format);
  w.mark(what.cache);
  w.out.end_object();
}

/// A list without domains would let nothing through.
bool names_domains(const std::optional<std::string_view>& list) {
  return list && list->starts_with('[') && list->find('"') != std::string_view::npos;
}

/// Chat's own spelling is passed on; of Messages come the domains and the place.
void write_web_search(writing& w, const tool& what) {
  const auto layout = read_object(what.json, what.json.size());
  const bool chat = w.in.source == wire::openai_chat && layout &&
                    peek_string(what.json, "type", what.json.size()).starts_with("web_search");
  if (chat) {
    w.out.raw(what.json);
    return;
  }
  w.out.begin_object().key("type").text({"web_search"});
  if (layout && w.in.source == wire::anthropic_messages) {
    if (names_domains(find_value(what.json, *layout, "blocked_domains"))) {
      w.lose(lossy::blocked_domains);
    }
    const auto domains = find_value(what.json, *layout, "allowed_domains");
    if (names_domains(domains)) {
      w.out.key("filters").begin_object().key("allowed_domains").raw(*domains).end_object();
    }
    if (const auto location = find_value(what.json, *layout, "user_location")) {
      w.out.key("user_location").raw(*location);
    }
  }
  w.out.end_object();
}

void write_server(writing& w, const tool& what) {
  switch (what.server) {
    case server_tool::web_search:
      write_web_search(w, what);
      return;
    case server_tool::image_generation:
      w.out.begin_object().key("type").text({"image_generation"}).end_object();
      return;
    case server_tool::code_execution:
      w.out.raw(R"({"type":"code_interpreter","container":{"type":"auto"}})");
      return;
    case server_tool::none:
    case server_tool::web_fetch:
    case server_tool::url_context:
    case server_tool::other:
      break;
  }
  w.lose(lossy::server_tool);
}

void write_tool(writing& w, const tool& what) {
  if (w.own && !what.json.empty()) {
    w.out.raw(what.json);
    return;
  }
  if (what.kind != tool_kind::server && what.name.empty()) {
    w.lose(lossy::nameless_tool);
    return;
  }
  switch (what.kind) {
    case tool_kind::function:
      write_function(w, what);
      return;
    case tool_kind::custom:
      write_custom(w, what);
      return;
    case tool_kind::server:
      write_server(w, what);
      return;
  }
}

bool is_sayable(const writing& w, const tool& what) {
  if (w.own && !what.json.empty()) return true;
  if (what.kind != tool_kind::server) return !what.name.empty();
  return what.server == server_tool::web_search || what.server == server_tool::image_generation ||
         what.server == server_tool::code_execution;
}

/// Neighbours of one namespace are declared in it together.
void write_list(writing& w) {
  w.out.key("tools").begin_array();
  raw_text outer;
  for (const tool& one : w.in.tools) {
    if (one.name_space != outer) {
      if (!outer.empty()) w.out.end_array().end_object();
      outer = one.name_space;
      if (!outer.empty()) {
        w.out.begin_object().key("type").text({"namespace"}).key("name").text(outer);
        w.out.key("description").text({}).key("tools").begin_array();
      }
    }
    write_tool(w, one);
  }
  if (!outer.empty()) w.out.end_array().end_object();
  w.out.end_array();
}

std::string_view kind_word(tool_kind kind) {
  return kind == tool_kind::custom ? "custom" : "function";
}

std::unordered_set<std::string_view> declared(const writing& w) {
  std::unordered_set<std::string_view> out;
  for (const tool& one : w.in.tools) {
    if (one.kind != tool_kind::server) out.insert(one.name.escaped);
  }
  return out;
}

void write_named(writing& w, raw_text name) {
  const auto kind = w.in.choice.kind;
  w.out.begin_object().key("type").text({kind_word(kind)});
  w.out.key("name").text(w.name_of(name, kind));
  w.out.member_if("namespace", w.in.choice.name_space).end_object();
}

void write_specific(writing& w) {
  const auto& choice = w.in.choice;
  const raw_text name = choice.names.empty() ? raw_text{} : choice.names[0];
  const bool server = choice.kind == tool_kind::server;
  const bool known = server ? !w.in.tools.empty() && name.escaped.starts_with("web_search")
                            : declared(w).contains(name.escaped);
  if (!known) {
    w.lose(lossy::tool_choice);
    return;
  }
  w.out.key("tool_choice");
  if (server) {
    w.out.begin_object().key("type").text({"web_search"}).end_object();
  } else {
    write_named(w, name);
  }
}

void write_subset(writing& w) {
  const auto& choice = w.in.choice;
  const auto known = declared(w);
  std::vector<raw_text> names;
  for (const raw_text name : choice.names) {
    if (known.contains(name.escaped)) names.push_back(name);
  }
  if (names.size() < choice.names.size() || names.empty()) w.lose(lossy::tool_choice);
  if (names.empty()) return;
  w.out.key("tool_choice").begin_object().key("type").text({"allowed_tools"});
  w.out.key("mode").text({choice.subset_required ? "required" : "auto"});
  w.out.key("tools").begin_array();
  for (const raw_text name : names) write_named(w, name);
  w.out.end_array().end_object();
}

/// A list that would be empty is left out, with what it loses.
void note_lost(writing& w) {
  for (const tool& one : w.in.tools) {
    const bool server = one.kind == tool_kind::server;
    w.lose(server ? lossy::server_tool : lossy::nameless_tool);
  }
}

void write_choice(writing& w, bool any_tool) {
  const auto& choice = w.in.choice;
  if (w.own && !choice.json.empty()) {
    w.out.key("tool_choice").raw(choice.json);
    return;
  }
  switch (choice.mode) {
    case choice_mode::unset:
      return;
    case choice_mode::automatic:
      w.out.key("tool_choice").text({"auto"});
      return;
    case choice_mode::none:
      w.out.key("tool_choice").text({"none"});
      return;
    case choice_mode::specific:
      write_specific(w);
      return;
    case choice_mode::subset:
      write_subset(w);
      return;
    case choice_mode::required:
      break;
  }
  if (!any_tool) {
    w.lose(lossy::tool_choice);
  } else {
    w.out.key("tool_choice").text({"required"});
  }
}

}  // namespace

void write_tools(writing& w) {
  bool any = false;
  for (const tool& one : w.in.tools) any = any || is_sayable(w, one);
  if (any) write_list(w);
  if (!any) note_lost(w);
  write_choice(w, any);
  if (w.in.parallel_tool_calls && w.caps.parallel_calls) {
    w.out.key("parallel_tool_calls").boolean(*w.in.parallel_tool_calls);
  }
}

}  // namespace tidegate::protocol::responses
