#include "config/json_value.hpp"

#include "protocol/options.hpp"

#include <nlohmann/json.hpp>

namespace tidegate::config {
namespace {

std::string string_form(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

bool begins_like_number(std::string_view text) {
  constexpr std::string_view digits = "0123456789";
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  if (text.starts_with('.')) text.remove_prefix(1);
  return !text.empty() && digits.find(text.front()) != std::string_view::npos;
}

std::optional<std::string> scalar(const node& n, const read_scope& scope) {
  const auto text = n.view();
  if (!n.plain) return string_form(text);
  for (const std::string_view word : {"null", "true", "false"}) {
    if (lower(text) == word) return std::string{word};
  }
  if (text.empty() || text == "~") return "null";
  if (!begins_like_number(text)) return string_form(text);
  if (protocol::is_payload_value(text)) return std::string{text};
  scope.error(n, "is neither a JSON number nor quoted text: " + shown(text));
  return std::nullopt;
}

}  // namespace

std::optional<std::string> json_of(const node& n, const read_scope& scope) {
  std::string out;
  switch (n.form) {
    case node::kind::null:
      return "null";
    case node::kind::scalar:
      return scalar(n, scope);
    case node::kind::sequence:
      for (std::size_t i = 0; i < n.items.size(); ++i) {
        const auto item = json_of(*n.items[i], scope.at(i));
        if (!item) return std::nullopt;
        out += (out.empty() ? "" : ",") + *item;
      }
      return '[' + out + ']';
    case node::kind::mapping:
      for (const auto& m : n.members) {
        const auto value = json_of(*m.value, scope.at(m.key));
        if (!value) return std::nullopt;
        out += (out.empty() ? "" : ",") + string_form(m.key) + ':' + *value;
      }
      return '{' + out + '}';
  }
  return std::nullopt;
}

}  // namespace tidegate::config
