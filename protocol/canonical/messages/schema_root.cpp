#include "protocol/canonical/messages/schema_root.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <unordered_set>

#include "protocol/canonical/messages/schema_words.hpp"
#include "protocol/json_object.hpp"

namespace tidegate::protocol::messages {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view empty_schema = R"({"type":"object","properties":{}})";
constexpr std::string_view dialect = "http://json-schema.org/draft-07/schema#";
constexpr std::string_view unions[] = {"anyOf", "oneOf", "allOf"};
constexpr std::string_view gemini_types[] = {"OBJECT", "STRING",  "NUMBER", "INTEGER",
                                             "ARRAY",  "BOOLEAN", "NULL"};
struct root_facts {
  bool object_type = false;
  bool unions = false;
};

void look_at_member(std::string_view key, std::string_view behind, root_facts& facts) {
  const auto colon = behind.find_first_not_of(" \t\r\n");
  if (colon == std::string_view::npos || behind[colon] != ':') return;
  if (is_one_of(unions, key)) facts.unions = true;
  if (key != "type") return;
  const auto value = behind.find_first_not_of(" \t\r\n", colon + 1);
  if (value != std::string_view::npos) {
    facts.object_type = behind.substr(value).starts_with("\"object\"");
  }
}

root_facts facts_of(std::string_view schema) {
  root_facts facts;
  int depth = 0;
  for (std::size_t at = 0; at < schema.size(); ++at) {
    const char c = schema[at];
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    if (c != '"') continue;
    const std::size_t end = string_end(schema, at);
    if (depth == 1 && end < schema.size()) {
      look_at_member(schema.substr(at + 1, end - at - 1), schema.substr(end + 1), facts);
    }
    at = end;
  }
  return facts;
}

bool has_gemini_types(std::string_view schema) {
  return std::ranges::any_of(gemini_types, [&](std::string_view type) {
    return schema.find('"' + std::string{type} + '"') != std::string_view::npos;
  });
}

void lower_type(ordered_json& type) {
  if (type.is_array()) {
    for (ordered_json& one : type) lower_type(one);
  }
  if (!type.is_string() || !is_one_of(gemini_types, type.get_ref<const std::string&>())) return;
  std::string word = type.get<std::string>();
  for (char& c : word) c = static_cast<char>(c - 'A' + 'a');
  type = word;
}

void lower_types(ordered_json& schema) {
  if (schema.is_array()) {
    for (ordered_json& one : schema) lower_types(one);
    return;
  }
  if (!schema.is_object()) return;
  for (const auto& [key, value] : schema.items()) {
    if (key == "type") {
      lower_type(value);
    } else if (is_one_of(map_members, key) && value.is_object()) {
      for (auto& named : value) lower_types(named);
    } else if (!is_one_of(data_members, key)) {
      lower_types(value);
    }
  }
}

ordered_json list_of(const ordered_json& schema, const char* key) {
  const auto found = schema.find(key);
  return found != schema.end() && found->is_array() ? *found : ordered_json::array();
}

/// Names that are there already; those of a merged schema can be many.
using names = std::unordered_set<std::string>;

names names_of(const ordered_json& object) {
  names out;
  if (!object.is_object()) return out;
  for (const auto& [name, unused] : object.items()) out.insert(name);
  return out;
}

void add_properties(ordered_json& into, const ordered_json& from, names& known) {
  const auto found = from.find("properties");
  if (found == from.end() || !found->is_object()) return;
  ordered_json& properties = into["properties"];
  if (!properties.is_object()) properties = ordered_json::object();
  auto& members = properties.get_ref<ordered_json::object_t&>();
  for (const auto& [name, schema] : found->items()) {
    if (known.insert(name).second) members.emplace_back(name, schema);
  }
}

void unite(ordered_json& into, const ordered_json& more) {
  std::set<ordered_json> known(into.begin(), into.end());
  for (const ordered_json& one : more) {
    if (known.insert(one).second) into.push_back(one);
  }
}

ordered_json common(const ordered_json& first, const ordered_json& second) {
  const std::set<ordered_json> known(second.begin(), second.end());
  ordered_json out = ordered_json::array();
  for (const ordered_json& one : first) {
    if (known.contains(one)) out.push_back(one);
  }
  return out;
}

void merge_root(ordered_json& root, int depth);

void merge_union(ordered_json& root, std::string_view key, int depth) {
  const auto found = root.find(key);
  if (found == root.end()) return;
  const ordered_json branches = *found;
  root.erase(found);
  if (!branches.is_array()) return;
  std::optional<ordered_json> required;
  names known = names_of(root.value("properties", ordered_json::object()));
  for (ordered_json branch : branches) {
    if (!branch.is_object()) continue;
    merge_root(branch, depth + 1);
    add_properties(root, branch, known);
    const ordered_json wanted = list_of(branch, "required");
    if (!required) required = wanted;
    else if (key == "allOf") unite(*required, wanted);
    else required = common(*required, wanted);
  }
  ordered_json all = list_of(root, "required");
  if (required) unite(all, *required);
  if (!all.empty()) root["required"] = std::move(all);
}

void merge_root(ordered_json& root, int depth) {
  constexpr int depth_max = 8;
  if (depth > depth_max) return;
  for (const auto key : unions) merge_union(root, key, depth);
}

/// Members in front of the closing brace.
std::string closed(std::string_view schema) {
  const auto brace = schema.rfind('}');
  std::string out{schema.substr(0, brace)};
  const auto add = [&out, schema](std::string_view name, std::string_view member) {
    if (schema.find(name) == std::string_view::npos) out.append(1, ',').append(member);
  };
  add("\"additionalProperties\"", R"("additionalProperties":false)");
  add("\"$schema\"", R"("$schema":"http://json-schema.org/draft-07/schema#")");
  return out + '}';
}

std::string rebuilt(std::string_view schema, bool from_gemini, bool& merged) {
  merged = is_too_wide(schema);
  if (merged || !read_object(schema, schema.size())) return std::string{empty_schema};
  ordered_json root = ordered_json::parse(schema, nullptr, false);
  if (!root.is_object()) return std::string{empty_schema};
  if (from_gemini) lower_types(root);
  for (const auto key : unions) merged = merged || root.contains(key);
  merge_root(root, 0);
  root["type"] = "object";
  if (!root.contains("properties")) root["properties"] = ordered_json::object();
  if (from_gemini && !root.contains("additionalProperties")) root["additionalProperties"] = false;
  if (from_gemini) root["$schema"] = dialect;
  return root.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace

root_schema object_schema(std::string_view schema, bool from_gemini) {
  root_schema out;
  if (!schema.starts_with('{')) {
    out.changed = std::string{empty_schema};
    return out;
  }
  const root_facts facts = facts_of(schema);
  const bool fits = facts.object_type && !facts.unions;
  if (fits && !from_gemini) return out;
  if (fits && !has_gemini_types(schema)) {
    out.changed = closed(schema);
  } else {
    out.changed = rebuilt(schema, from_gemini, out.merged);
  }
  return out;
}

}  // namespace tidegate::protocol::messages
