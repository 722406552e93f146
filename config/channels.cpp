#include "config/channels.hpp"

#include "config/models.hpp"
#include "config/record.hpp"
#include "config/suggest.hpp"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <set>

namespace tidegate::config {
namespace {

using provider::error_rule;
using provider::model_entry;

value_codec<std::string> action() {
  return choice<std::string>({{"stop", "stop"},
                              {"stop-and-cooldown", "stop-and-cooldown"},
                              {"continue", "continue"},
                              {"continue-and-cooldown", "continue-and-cooldown"},
                              {"", ""}});
}

value_codec<std::string> pattern() {
  auto codec = raw_text();
  codec.parse = [parse = codec.parse](const node& n,
                                      const read_scope& scope) -> std::optional<std::string> {
    auto text = parse(n, scope);
    if (!text) return text;
    RE2::Options options;
    options.set_log_errors(false);
    options.set_max_mem(1 << 20);
    const RE2 compiled(*text, options);
    if (compiled.ok()) return text;
    scope.error(n, "not a valid regular expression: " + compiled.error());
    return std::nullopt;
  };
  return codec;
}

value_codec<error_rule> rule() {
  const auto texts = [](value_codec<std::string> element) {
    return list_of(std::move(element), "list of text", disclosure::entries);
  };
  auto codec = record<error_rule>(
      {part<error_rule>("status", TG_FIELD(status), integer({.min = -1, .max = 999})),
       part<error_rule>("match", TG_FIELD(match), texts(raw_text())),
       part<error_rule>("match-regexr", TG_FIELD(match_regex), texts(pattern())),
       part<error_rule>("action", TG_FIELD(action), action())},
      {});
  codec.parse = [parse = codec.parse](const node& n,
                                      const read_scope& scope) -> std::optional<error_rule> {
    auto parsed = parse(n, scope);
    if (!parsed) return parsed;
    std::erase(parsed->match, "");
    std::erase(parsed->match_regex, "");
    if (parsed->status > 0 && !parsed->action.empty() &&
        !(parsed->match.empty() && parsed->match_regex.empty())) {
      return parsed;
    }
    scope.warning(n, "a rule needs a status, a pattern and an action; dropped");
    return std::nullopt;
  };
  return codec;
}

constexpr std::string_view other_channels[] = {"aistudio", "meta", "devin", "interactions"};

std::optional<provider::kind> channel(const member& m, const read_scope& scope) {
  const auto name = lower(trimmed(m.key));
  if (const auto kind = provider::kind_from_string(name)) return kind;
  const auto key = scope.at(m.key).key;
  if (std::ranges::find(other_channels, name) != std::end(other_channels)) {
    scope.out.warning(key, m.at, "channel not supported by this version; ignored");
    return std::nullopt;
  }
  std::vector<std::string_view> names;
  for (std::size_t k = 0; k < provider::kind_count; ++k) {
    names.push_back(provider::to_string(static_cast<provider::kind>(k)));
  }
  scope.out.warning(key, m.at, "unknown channel; ignored" + did_you_mean(nearest(name, names)));
  return std::nullopt;
}

template <class V>
value_codec<per_channel<V>> channels(value_codec<std::vector<V>> list) {
  return {.type = "mapping",
          .shown = disclosure::entries,
          .parse = [parse = list.parse](const node& n,
                                        const read_scope& scope) -> std::optional<per_channel<V>> {
            per_channel<V> out;
            if (n.is(node::kind::null)) return out;
            if (!n.is(node::kind::mapping)) return scope.mismatch(n, "a mapping");
            for (const auto& m : n.members) {
              const auto kind = channel(m, scope);
              if (!kind) continue;
              auto values = parse(*m.value, scope.at(m.key));
              if (!values) continue;
              for (auto& value : *values) out.emplace_back(*kind, std::move(value));
            }
            return out;
          },
          .form =
              [form = list.form](const per_channel<V>& values, visibility v) {
                std::vector<std::pair<provider::kind, std::vector<V>>> grouped;
                for (const auto& [kind, value] : values) {
                  auto it = std::ranges::find(grouped, kind, [](const auto& g) { return g.first; });
                  if (it == grouped.end()) it = grouped.insert(it, {kind, {}});
                  it->second.push_back(value);
                }
                std::vector<member> members;
                for (const auto& [kind, list_values] : grouped) {
                  members.push_back(
                      {std::string{provider::to_string(kind)}, true, {}, form(list_values, v)});
                }
                return map_node(std::move(members));
              }};
}

bool is_token(std::string_view name) {
  constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
  return !name.empty() && std::ranges::all_of(name, [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           marks.find(c) != std::string_view::npos;
  });
}

}  // namespace

value_codec<std::vector<secret_string>> client_keys() {
  auto codec = list_of(secret_text(), "list of secrets", disclosure::secrets);
  codec.parse = [element = secret_text().parse](
                    const node& n,
                    const read_scope& scope) -> std::optional<std::vector<secret_string>> {
    std::vector<secret_string> out;
    bool dropped = false;
    if (n.is(node::kind::null)) return out;
    if (!n.is(node::kind::sequence)) return scope.mismatch(n, "a list of keys");
    for (std::size_t i = 0; i < n.items.size(); ++i) {
      const auto inner = scope.at(i);
      auto key = element(*n.items[i], inner);
      if (!key) continue;
      if (key->empty()) {
        inner.warning(*n.items[i], "an empty key is dropped");
        dropped = true;
      } else if (std::ranges::find(out, *key) != out.end()) {
        inner.warning(*n.items[i], "a repeated key is dropped");
      } else if (key->reveal() == "your-api-key-1" || key->reveal() == "your-api-key-2" ||
                 key->reveal() == "your-api-key-3") {
        inner.error(*n.items[i],
                    "this is a published example key; replace it by a key of your own");
      } else {
        out.push_back(std::move(*key));
      }
    }
    // Nobody who lists keys means that everybody may come in without one.
    if (out.empty() && dropped) {
      scope.error(n,
                  "no usable key remains, so that clients would be served without a key; set one, "
                  "or write [] to have none");
      return std::nullopt;
    }
    return out;
  };
  return codec;
}

value_codec<std::vector<std::string>> model_patterns() {
  auto codec = list_of(line_text(), "list of patterns", disclosure::entries);
  codec.parse = [parse = codec.parse](
                    const node& n,
                    const read_scope& scope) -> std::optional<std::vector<std::string>> {
    auto parsed = parse(n, scope);
    if (!parsed) return parsed;
    std::vector<std::string> out;
    std::set<std::string> seen{""};
    for (const auto& text : *parsed) {
      if (seen.insert(lower(text)).second) out.push_back(lower(text));
    }
    return out;
  };
  return codec;
}

value_codec<std::vector<error_rule>> error_rules() {
  return list_of(rule(), "list of rules", disclosure::entries);
}

value_codec<provider::header_list> headers() {
  return {
      .type = "mapping",
      .shown = disclosure::secret,
      .parse = [value = line_text().parse](
                   const node& n, const read_scope& scope) -> std::optional<provider::header_list> {
        provider::header_list out;
        std::set<std::string> seen;
        if (!n.is(node::kind::mapping)) return scope.mismatch(n, "a mapping");
        for (const auto& m : n.members) {
          const auto name = trimmed(m.key);
          const auto inner = scope.at(m.key);
          auto text = value(*m.value, inner);
          if (!is_token(name)) {
            scope.out.error(inner.key, m.at, "not a valid header name");
          } else if (text && !provider::is_header(name, *text)) {
            scope.out.error(inner.key, m.at, "belongs to the connection, or is too long; remove it");
          } else if (!seen.insert(lower(name)).second) {
            scope.out.warning(inner.key, m.at, "a repeated header is dropped");
          } else if (text) {
            out.emplace_back(std::string{name}, std::move(*text));
          }
        }
        return out;
      },
      .form =
          [](const provider::header_list& list, visibility v) {
            std::vector<member> members;
            for (const auto& [name, value] : list) {
              const bool open = v == visibility::revealed || value.starts_with('$');
              members.push_back({name, true, {}, text_node(open ? value : "********")});
            }
            return map_node(std::move(members));
          }};
}

value_codec<per_channel<model_entry>> channel_aliases() {
  auto codec = channels(aliases());
  codec.parse = [parse = codec.parse](
                    const node& n,
                    const read_scope& scope) -> std::optional<per_channel<model_entry>> {
    auto parsed = parse(n, scope);
    if (!parsed) return parsed;
    per_channel<model_entry> out;
    std::set<std::pair<provider::kind, std::string>> seen;
    for (auto& [kind, entry] : *parsed) {
      if (entry.alias == entry.name) {
        scope.warning(n,
                      fmt::format("{}: an alias equal to its name is dropped", shown(entry.name)));
      } else if (!seen.emplace(kind, lower(entry.alias)).second) {
        scope.warning(n, fmt::format("{}: a repeated alias is dropped", shown(entry.alias)));
      } else {
        out.emplace_back(kind, std::move(entry));
      }
    }
    return out;
  };
  return codec;
}

value_codec<per_channel<std::string>> channel_exclusions() {
  return channels(model_patterns());
}

value_codec<per_channel<error_rule>> channel_error_rules() {
  return channels(error_rules());
}

}  // namespace tidegate::config
