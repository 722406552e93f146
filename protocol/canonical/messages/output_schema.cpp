#include "protocol/canonical/messages/output_schema.hpp"

#include <nlohmann/json.hpp>

#include "protocol/canonical/messages/schema_words.hpp"
#include "protocol/json_object.hpp"

namespace tidegate::protocol::messages {
namespace {

using nlohmann::ordered_json;

constexpr int depth_max = 128;  ///< deeper parts stay as they are

/// Refused whatever their value.
constexpr std::string_view limits[] = {"minimum",
                                       "maximum",
                                       "exclusiveMinimum",
                                       "exclusiveMaximum",
                                       "multipleOf",
                                       "minLength",
                                       "maxLength",
                                       "maxItems",
                                       "uniqueItems",
                                       "minProperties",
                                       "maxProperties",
                                       "propertyNames",
                                       "contains",
                                       "patternProperties",
                                       "prefixItems",
                                       "not",
                                       "if",
                                       "then",
                                       "else",
                                       "dependentRequired"};
constexpr std::string_view formats[] = {"date-time", "time", "date", "duration", "email",
                                        "hostname",  "uri",  "ipv4", "ipv6",     "uuid"};

std::string text_of(const ordered_json& value) {
  return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

class closing {
 public:
  bool lowered = false;

  void close(ordered_json& schema, int depth) {
    if (!schema.is_object() || depth > depth_max) return;
    std::string told;
    ordered_json out = ordered_json::object();
    for (auto& [key, value] : schema.items()) take(key, value, depth, out, told);
    if (is_object(out)) close_object(out);
    if (!told.empty()) describe(out, told);
    schema = std::move(out);
  }

 private:
  void take(const std::string& key, ordered_json& value, int depth, ordered_json& out, std::string& told) {
    if (is_refused(key, value)) {
      lowered = true;
      told.append(told.empty() ? "" : ", ").append(key).append(": ").append(text_of(value));
      return;
    }
    if (is_one_of(map_members, key) && value.is_object()) {
      for (auto& one : value) close(one, depth + 1);
    } else if (value.is_array() && !is_one_of(data_members, key)) {
      for (auto& one : value) close(one, depth + 1);
    } else if (!is_one_of(data_members, key)) {
      close(value, depth + 1);
    }
    lowered = lowered || key == "oneOf";
    out[key == "oneOf" && !out.contains("anyOf") ? "anyOf" : key] = std::move(value);
  }

  static bool is_refused(const std::string& key, const ordered_json& value) {
    if (key == "minItems") return value != 0 && value != 1;
    if (key == "format") {
      return !value.is_string() || !is_one_of(formats, value.get_ref<const std::string&>());
    }
    return is_one_of(limits, key);
  }

  static bool is_object(const ordered_json& schema) {
    if (schema.contains("properties")) return true;
    const auto type = schema.find("type");
    if (type == schema.end()) return false;
    return type->is_array() ? std::ranges::find(*type, "object") != type->end() : *type == "object";
  }

  void close_object(ordered_json& schema) {
    const auto found = schema.find("additionalProperties");
    if (found != schema.end() && *found != false) lowered = true;
    schema["additionalProperties"] = false;
  }

  static void describe(ordered_json& schema, const std::string& told) {
    auto& text = schema["description"];
    text = text.is_string() && text != "" ? text.get<std::string>() + " (" + told + ")" : told;
  }
};

}  // namespace

output_schema closed_schema(std::string_view schema) {
  output_schema out{std::string{schema}};
  if (is_too_wide(schema)) return out;
  ordered_json root = ordered_json::parse(schema, nullptr, false);
  if (!root.is_object()) return out;
  closing work;
  work.close(root, 0);
  out.lowered = work.lowered;
  out.json = text_of(root);
  return out;
}

}  // namespace tidegate::protocol::messages
