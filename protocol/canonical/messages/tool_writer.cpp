#include "protocol/canonical/messages/tool_writer.hpp"

#include <nlohmann/json.hpp>
#include <set>

#include "protocol/canonical/messages/rules.hpp"
#include "protocol/canonical/messages/schema_root.hpp"

namespace tidegate::protocol::messages {
namespace {

using nlohmann::json;

constexpr std::string_view input_schema =
    R"({"type":"object","properties":{"input":{"type":"string"}},"required":["input"]})";

json member_of(const json& from, const char* key) {
  const auto found = from.find(key);
  return found == from.end() ? json{} : *found;
}

/// Other protocols' limits of a web search, as far as they have a place here.
std::string web_search(const tool& one) {
  const json given = json::parse(one.json, nullptr, false);
  json out = {{"type", "web_search_20250305"}, {"name", "web_search"}};
  if (given.is_object()) {
    const json filters = member_of(given, "filters");
    for (const char* const key : {"allowed_domains", "blocked_domains"}) {
      json domains = member_of(given, key);
      if (!domains.is_array() && filters.is_object()) domains = member_of(filters, key);
      if (domains.is_array() && !domains.empty()) out[key] = domains;
    }
    json where = member_of(given, "user_location");
    if (where.is_object()) {
      where["type"] = "approximate";
      out["user_location"] = std::move(where);
    }
    const json uses = member_of(given, "max_uses");
    if (uses.is_number_integer()) out["max_uses"] = uses;
  }
  return out.dump(-1, ' ', false, json::error_handler_t::replace);
}

class tool_list {
 public:
  tool_list(json_out& out, const canonical_request& what, wire_names& names, lossy_notes& lost)
      : out_(out), what_(what), names_(names), lost_(lost) {}

  bool write() {
    for (const tool& one : what_.tools) {
      const bool own = what_.source == wire::anthropic_messages && !one.json.empty();
      if (one.kind == tool_kind::server || own)
        server(one);
      else if (!one.name.empty()) function(one);
    }
    if (begun_) out_.end_array();
    return begun_;
  }

 private:
  bool is_new(const std::string& name) {
    if (!seen_.insert(name).second) {
      note(lost_, rule::duplicate_tool);
      return false;
    }
    if (!begun_) out_.key("tools").begin_array();
    begun_ = true;
    return true;
  }

  void server(const tool& one) {
    if (what_.source == wire::anthropic_messages && !one.json.empty()) {
      if (is_new(std::string{one.name.escaped.empty() ? one.json : one.name.escaped})) {
        out_.raw(one.json);
      }
    } else if (one.server == server_tool::web_search) {
      if (is_new("web_search")) out_.raw(web_search(one));
    } else {
      note(lost_, rule::server_tool);
    }
  }

  void function(const tool& one) {
    const std::string& name = names_.of(one.name, one.name_space, one.kind);
    if (!is_new(name)) return;
    out_.begin_object().key("name").text({name}).member_if("description", one.description);
    out_.key("input_schema");
    if (one.kind == tool_kind::custom) {
      if (!one.format.empty()) note(lost_, rule::tool_format);
      out_.raw(input_schema);
    } else {
      const auto schema = object_schema(one.schema, what_.source == wire::gemini);
      if (schema.merged) note(lost_, rule::schema_root);
      out_.raw(schema.changed ? *schema.changed : one.schema);
    }
    strict(one);
    if (one.cache) out_.member_raw_if("cache_control", *one.cache);
    out_.end_object();
  }

  /// The dialects of strict schemas differ: only a native one is promised.
  void strict(const tool& one) {
    if (!one.strict) return;
    if (what_.source == wire::anthropic_messages) out_.key("strict").boolean(*one.strict);
    else if (*one.strict) note(lost_, rule::strict);
  }

  json_out& out_;
  const canonical_request& what_;
  wire_names& names_;
  lossy_notes& lost_;
  std::set<std::string> seen_;
  bool begun_ = false;
};

std::string_view word_of(choice_mode mode) {
  switch (mode) {
    case choice_mode::unset:
    case choice_mode::automatic: return "auto";
    case choice_mode::none: return "none";
    case choice_mode::required: return "any";
    case choice_mode::specific: return "tool";
    case choice_mode::subset: return "auto";
  }
  return "auto";
}

/// A subset of one that must be called is that tool; a larger one cannot be spelled.
choice_mode spelled_mode(const tool_choice& choice) {
  if (choice.mode == choice_mode::specific && choice.names.empty()) return choice_mode::required;
  if (choice.mode != choice_mode::subset) return choice.mode;
  if (!choice.subset_required) return choice_mode::automatic;
  return choice.names.size() == 1 ? choice_mode::specific : choice_mode::required;
}

}  // namespace

bool write_tools(json_out& out, const canonical_request& what, wire_names& names,
                 lossy_notes& lost) {
  return tool_list(out, what, names, lost).write();
}

void write_choice(json_out& out, const canonical_request& what, wire_names& names,
                  lossy_notes& lost) {
  const tool_choice& choice = what.choice;
  const bool serial = what.parallel_tool_calls == false;
  if (choice.mode == choice_mode::unset && !serial) return;
  const choice_mode mode = spelled_mode(choice);
  if (choice.mode == choice_mode::subset && mode != choice_mode::specific) {
    note(lost, rule::tool_subset);
  }
  out.key("tool_choice").begin_object().key("type").text({word_of(mode)});
  if (mode == choice_mode::specific) {
    const bool search = choice.kind == tool_kind::server &&
                        what.source != wire::anthropic_messages;
    out.key("name").text({search ? std::string{"web_search"}
                                 : names.of(choice.names.front(), choice.name_space,
                                          choice.kind)});
  }
  if (serial && mode != choice_mode::none) out.key("disable_parallel_tool_use").boolean(true);
  out.end_object();
}

bool can_choose(const tool_choice& choice, const wire_names& names) {
  const bool named = spelled_mode(choice) == choice_mode::specific;
  return !named || choice.kind == tool_kind::server || names.declares(choice.names.front());
}

bool forces_tool(const tool_choice& choice) {
  const choice_mode mode = spelled_mode(choice);
  return mode == choice_mode::required || mode == choice_mode::specific;
}

}  // namespace tidegate::protocol::messages
