#include "config/channels.hpp"
#include "config/models.hpp"
#include "config/schema.hpp"

#include <algorithm>

namespace tidegate::config {
namespace {

using provider::key_entry;

constexpr std::int64_t weight_max = 1'000'000;
constexpr std::int64_t priority_max = 1'000'000;

template <class At, class V>
codec<key_entry> key_at(At field, value_codec<V> how) {
  return bind<key_entry>(field, std::move(how));
}

value_codec<std::optional<bool>> optional_boolean() {
  return {
      .type = "true or false",
      .parse = [parse = boolean().parse](
                   const node& n, const read_scope& scope) -> std::optional<std::optional<bool>> {
        const auto v = parse(n, scope);
        return v ? std::optional{v} : std::nullopt;
      },
      .form = [](const std::optional<bool>& v, visibility) -> node_ptr {
        return v ? plain_node(*v ? "true" : "false") : nullptr;
      }};
}

value_codec<std::optional<int>> optional_rounds() {
  const auto range = integer({.min = -1, .max = 100, .below = repair::accept});
  return {
      .type = range.type,
      .parse = [parse = range.parse](const node& n,
                                     const read_scope& scope) -> std::optional<std::optional<int>> {
        const auto v = parse(n, scope);
        if (!v) return std::nullopt;
        std::optional<int> rounds;
        if (*v >= 0) rounds = static_cast<int>(*v);
        return std::optional{rounds};
      },
      .form = [](const std::optional<int>& v, visibility) -> node_ptr {
        return v ? plain_node(std::to_string(*v)) : nullptr;
      }};
}

value_codec<std::string> prefix_text() {
  auto codec = line_text();
  codec.parse = [parse = codec.parse](const node& n,
                                      const read_scope& scope) -> std::optional<std::string> {
    const auto text = parse(n, scope);
    if (!text) return text;
    std::string_view prefix = *text;
    while (prefix.starts_with('/')) prefix.remove_prefix(1);
    while (prefix.ends_with('/')) prefix.remove_suffix(1);
    if (prefix.find('/') == std::string_view::npos) return std::string{prefix};
    scope.warning(n, "a prefix with a slash inside is dropped");
    return std::string{};
  };
  return codec;
}

}  // namespace

std::vector<entry_row> entry_table() {
  using enum level;
  return {
      {"name", group, false, "Name in lists and logs.", key_at(TG_FIELD(name), line_text())},
      {"base-url", group, false, "Upstream address; empty is the provider's own.",
       key_at(TG_FIELD(base_url), base_url())},
      {"api-key", key, true, "The key; may be empty when the group has a base-url.",
       key_at(TG_FIELD(api_key), secret_text())},
      {"weight", key, true, "Share under the weighted strategy; 0 is never picked by it.",
       key_at(TG_FIELD(weight), integer({.min = 0, .max = weight_max, .below = repair::accept}))},
      {"proxy-url", both, true, "Proxy of its own; direct bypasses requests.proxy-url.",
       key_at(TG_FIELD(proxy_url), proxy_url())},
      {"priority", both, false, "Higher is preferred.",
       key_at(TG_FIELD(priority), integer({.min = -priority_max, .max = priority_max}))},
      {"prefix", both, false, "Clients call prefix/model; no slashes.",
       key_at(TG_FIELD(prefix), prefix_text())},
      {"headers", both, false, "Headers to add; a value $Name copies that client header.",
       key_at(TG_FIELD(headers), headers())},
      {"models", both, false,
       "List of {name, alias, force-mapping, display-name, max-context-length, "
       "max-concurrency, input-modalities, output-modalities, thinking} (models.md); what an empty "
       "list serves is told below.",
       key_at(TG_FIELD(models), models())},
      {"excluded-models", both, false, "List of x, x*, *x or *x*; * alone disables the entry.",
       key_at(TG_FIELD(excluded_models), model_patterns())},
      {"disabled", both, false, "Keep the entry without using it.",
       key_at(TG_FIELD(disabled), boolean())},
      {"disable-cooling", both, false, "Overrides routing.cooldown.disable-cooling.",
       key_at(TG_FIELD(disable_cooling), optional_boolean())},
      {"request-retry", both, false,
       "Overrides routing.retry.request-retry; a negative number does not.",
       key_at(TG_FIELD(request_retry), optional_rounds())},
      {"max-concurrency", both, false, "Most requests at a time; 0 sets no limit.",
       key_at(TG_FIELD(max_concurrency), integer({.min = 0, .max = provider::concurrency_max}))},
      {"request-scoped-errors", both, false,
       "Error rules: list of {status, match, match-regexr, action}.",
       key_at(TG_FIELD(error_rules), error_rules())},
  };
}

}  // namespace tidegate::config
