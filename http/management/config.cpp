#include "config/parse.hpp"
#include "config/print.hpp"
#include "http/management/endpoint.hpp"

#include <algorithm>

namespace tidegate::http::management {
namespace {

/// A media range of YAML anywhere in Accept; everything else gets JSON.
bool wants_yaml(const request& in) {
  std::string accept{in.header("Accept").value_or("")};
  std::ranges::transform(accept, accept.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
  });
  for (const char* type : {"application/yaml", "application/x-yaml", "text/yaml", "text/x-yaml"}) {
    if (accept.find(type) != std::string::npos) return true;
  }
  return false;
}

ordered_json scalar_json(const config::node& from) {
  const std::string text{from.view()};
  if (!from.plain) return text;
  if (text == "true") return true;
  if (text == "false") return false;
  const bool numeric = !text.empty() && text.find_first_not_of("+-.0123456789eE") == text.npos;
  if (!numeric) return text;
  const auto number = ordered_json::parse(text, nullptr, false);
  return number.is_number() ? number : ordered_json(text);
}

/// Depth is bounded by the parser that made the tree.
ordered_json to_json(const config::node& from) {
  switch (from.form) {
    case config::node::kind::null:
      return nullptr;
    case config::node::kind::scalar:
      return scalar_json(from);
    case config::node::kind::sequence: {
      auto out = ordered_json::array();
      for (const auto& item : from.items) out.push_back(to_json(*item));
      return out;
    }
    case config::node::kind::mapping: {
      auto out = ordered_json::object();
      for (const auto& member : from.members) out[member.key] = to_json(*member.value);
      return out;
    }
  }
  return nullptr;
}

}  // namespace

awaitable<protocol::reply> show_config(services& with, const request& in) {
  const auto snapshot = with.plane.config();
  if (!snapshot) co_return mistake(503, "no configuration in force");
  auto text = config::print_config(*snapshot, config::visibility::masked);
  if (wants_yaml(in)) {
    protocol::reply reply;
    reply.status = 200;
    reply.headers.emplace_back("Content-Type", "application/yaml");
    reply.body = std::move(text);
    co_return reply;
  }
  config::report findings;
  const config::environment nothing;
  const auto tree = config::parse_document(text, nothing, findings);
  if (!tree) co_return mistake(500, "the configuration is too large to be shown as JSON");
  co_return json_reply(200, to_json(*tree));
}

}  // namespace tidegate::http::management
