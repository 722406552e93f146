#include "config/payload.hpp"

#include "config/channels.hpp"
#include "config/json_value.hpp"
#include "config/record.hpp"

#include <fmt/format.h>

namespace tidegate::config {
namespace {

using protocol::json_path;
using protocol::payload_param;
using protocol::payload_rule;
using protocol::payload_selector;
using protocol::wire;

std::optional<json_path> path_in(std::string_view text, const node& n, const read_scope& scope) {
  auto path = protocol::parse_json_path(text);
  if (path) return std::move(*path);
  scope.error(n, fmt::format("the path {} {}", shown(text), path.error().detail));
  return std::nullopt;
}

value_codec<json_path> path_text() {
  return {.type = "path",
          .parse = [](const node& n, const read_scope& scope) -> std::optional<json_path> {
            const auto text = scalar_text(n, scope);
            return text ? path_in(trimmed(*text), n, scope) : std::nullopt;
          },
          .form = [](const json_path& path, visibility) { return text_node(path.text); }};
}

value_codec<std::vector<json_path>> paths() {
  return list_of(path_text(), "list of paths", disclosure::entries);
}

bool is_container(std::string_view raw) {
  return raw.starts_with('{') || raw.starts_with('[');
}

/// `{path: value}` pairs of conditions: a list of mappings, or one mapping.
value_codec<std::vector<payload_param>> conditions() {
  using list = std::vector<payload_param>;
  const auto take = [](const node& n, const read_scope& scope, list& out) {
    if (!n.is(node::kind::mapping))
      return void(scope.mismatch(n, "a mapping from a path to a value"));
    for (const auto& m : n.members) {
      const auto inner = scope.at(m.key);
      auto path = path_in(m.key, *m.value, inner);
      auto raw = json_of(*m.value, inner);
      if (raw && is_container(*raw)) {
        inner.error(*m.value, "only single values can be compared");
      } else if (path && raw) {
        out.push_back({std::move(*path), std::move(*raw)});
      }
    }
  };
  return {.type = "list of {path: value}",
          .parse = [take](const node& n, const read_scope& scope) -> std::optional<list> {
            list out;
            if (n.is(node::kind::sequence)) {
              for (std::size_t i = 0; i < n.items.size(); ++i) take(*n.items[i], scope.at(i), out);
            } else if (!n.is(node::kind::null)) {
              take(n, scope, out);
            }
            return out;
          },
          .form =
              [](const list& all, visibility) {
                std::vector<node_ptr> items;
                for (const auto& one : all) {
                  items.push_back(map_node({{one.path.text, true, {}, plain_node(one.raw)}}));
                }
                return list_node(std::move(items));
              }};
}

value_codec<std::optional<wire>> protocol_name() {
  using wanted = std::optional<wire>;
  return choice<wanted>({{"", std::nullopt},
                         {"openai", wire::openai_chat},
                         {"codex", wire::openai_responses},
                         {"claude", wire::anthropic_messages},
                         {"gemini", wire::gemini},
                         {"responses", wire::openai_responses},
                         {"openai-response", wire::openai_responses},
                         {"openai-responses", wire::openai_responses},
                         {"response", wire::openai_responses}});
}

value_codec<std::string> model_pattern() {
  auto codec = line_text();
  codec.parse = [parse = codec.parse](const node& n,
                                      const read_scope& scope) -> std::optional<std::string> {
    const auto text = parse(n, scope);
    return text ? std::optional{lower(*text)} : std::nullopt;
  };
  return codec;
}

value_codec<payload_selector> selector() {
  auto codec = record<payload_selector>(
      {part<payload_selector>("name", TG_FIELD(name), model_pattern()),
       part<payload_selector>("protocol", TG_FIELD(protocol), protocol_name()),
       part<payload_selector>("from-protocol", TG_FIELD(from), protocol_name()),
       part<payload_selector>("headers", TG_FIELD(headers), headers()),
       part<payload_selector>("match", TG_FIELD(match), conditions()),
       part<payload_selector>("not-match", TG_FIELD(not_match), conditions()),
       part<payload_selector>("exist", TG_FIELD(exist), paths()),
       part<payload_selector>("not-exist", TG_FIELD(not_exist), paths())},
      {});
  codec.parse = [parse = codec.parse](const node& n,
                                      const read_scope& scope) -> std::optional<payload_selector> {
    const auto* named = n.find("protocol");
    if (named != nullptr && lower(trimmed(named->value->view())) == "antigravity") {
      scope.warning(n, "the protocol antigravity is not served by this version; dropped");
      return std::nullopt;
    }
    auto one = parse(n, scope);
    if (!one || !one->name.empty()) return one;
    scope.error(n, "needs the name of a model; * is every model");
    return std::nullopt;
  };
  return codec;
}

/// JSON text, or a YAML value in its place.
std::optional<std::string> raw_value(const node& n, const read_scope& scope) {
  if (!n.is(node::kind::scalar)) return json_of(n, scope);
  if (protocol::is_payload_value(n.view())) return std::string{trimmed(n.view())};
  scope.error(
      n, fmt::format("is not a JSON value of at most {} bytes", protocol::payload_value_bytes_max));
  return std::nullopt;
}

std::optional<payload_param> param(std::string_view text, const node& n, const read_scope& scope) {
  auto path = path_in(text, n, scope);
  if (!path) return std::nullopt;
  if (const auto fault = protocol::payload_path_fault(*path)) {
    scope.error(n, fmt::format("the path {} {}", shown(text), *fault));
    return std::nullopt;
  }
  return payload_param{std::move(*path), {}};
}

using param_list = std::vector<payload_param>;

std::optional<param_list> read_params(payload_form form, const node& n, const read_scope& scope) {
  param_list out;
  if (n.is(node::kind::null)) return out;
  if (form == payload_form::path) {
    if (!n.is(node::kind::sequence)) return scope.mismatch(n, "a list of paths");
    for (std::size_t i = 0; i < n.items.size(); ++i) {
      const auto inner = scope.at(i);
      const auto text = scalar_text(*n.items[i], inner);
      if (!text) continue;
      if (auto one = param(trimmed(*text), *n.items[i], inner)) out.push_back(std::move(*one));
    }
    return out;
  }
  if (!n.is(node::kind::mapping)) return scope.mismatch(n, "a mapping from paths to values");
  for (const auto& m : n.members) {
    const auto inner = scope.at(m.key);
    auto one = param(m.key, *m.value, inner);
    auto raw = form == payload_form::raw ? raw_value(*m.value, inner) : json_of(*m.value, inner);
    if (raw && !protocol::is_payload_value(*raw)) {
      inner.error(*m.value, fmt::format("is longer than {} bytes or nested too deep",
                                        protocol::payload_value_bytes_max));
    } else if (one && raw) {
      one->raw = std::move(*raw);
      out.push_back(std::move(*one));
    }
  }
  return out;
}

node_ptr params_form(payload_form form, const param_list& all) {
  std::vector<node_ptr> items;
  std::vector<member> members;
  for (const auto& one : all) {
    if (form == payload_form::path) {
      items.push_back(text_node(one.path.text));
    } else {
      // JSON is YAML too.
      members.push_back({one.path.text,
                         true,
                         {},
                         form == payload_form::raw ? text_node(one.raw) : plain_node(one.raw)});
    }
  }
  return form == payload_form::path ? list_node(std::move(items)) : map_node(std::move(members));
}

value_codec<param_list> params(payload_form form) {
  return {.type = "paths",
          .parse = [form](const node& n,
                          const read_scope& scope) { return read_params(form, n, scope); },
          .form = [form](const param_list& all, visibility) { return params_form(form, all); }};
}

value_codec<payload_rule> rule(payload_form form) {
  auto codec = record<payload_rule>(
      {part<payload_rule>("models", TG_FIELD(models),
                          list_of(selector(), "list of selectors", disclosure::entries)),
       part<payload_rule>("params", TG_FIELD(params), params(form))},
      {});
  codec.parse = [parse = codec.parse](const node& n,
                                      const read_scope& scope) -> std::optional<payload_rule> {
    auto one = parse(n, scope);
    if (!one || !(one->models.empty() || one->params.empty())) return one;
    scope.warning(n, "a rule needs models and params; dropped");
    return std::nullopt;
  };
  return codec;
}

}  // namespace

value_codec<std::vector<payload_rule>> payload_rules(payload_form form) {
  auto codec = list_of(rule(form), "list of payload rules", disclosure::entries);
  codec.parse = [parse = codec.parse](
                    const node& n,
                    const read_scope& scope) -> std::optional<std::vector<payload_rule>> {
    auto all = parse(n, scope);
    if (!all || all->size() <= protocol::payload_rules_max) return all;
    scope.error(n, fmt::format("has more than {} rules", protocol::payload_rules_max));
    return std::nullopt;
  };
  return codec;
}

}  // namespace tidegate::config
