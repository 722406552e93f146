#pragma once
/// How one setting is read from a node and written back. A `value_codec<V>` knows a type; `bind`
/// ties it to the field of an owner and makes a `codec<T>`, which is what the tables hold. Parsers
/// report what is wrong through the scope and answer nullopt, which leaves the field as it was.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "config/environment.hpp"
#include "config/node.hpp"

namespace tidegate::config {

/// What a change summary may show of a value.
enum class disclosure : std::uint8_t {
  plain,    ///< old and new value
  url,      ///< scheme, host and port
  secret,   ///< that it changed
  secrets,  ///< how many there are
  entries,  ///< how many there are, or that they changed
};

/// Whether written values carry secrets.
enum class visibility : std::uint8_t { revealed, masked };

/// Where the reader stands.
struct read_scope {
  report& out;
  const environment& env;
  std::string key;  ///< dotted path as the text spells it

  read_scope at(std::string_view name) const;
  read_scope at(std::size_t index) const;
  void error(const node& n, std::string text) const { out.error(key, n.at, std::move(text)); }
  void warning(const node& n, std::string text) const { out.warning(key, n.at, std::move(text)); }
  /// Reports "expected WANTED, found ..." and answers nullopt.
  std::nullopt_t mismatch(const node& n, std::string_view wanted) const;
};

template <class V>
struct value_codec {
  std::string type;  ///< for the documentation, with the range
  disclosure shown = disclosure::plain;
  std::function<std::optional<V>(const node&, const read_scope&)> parse;
  std::function<node_ptr(const V&, visibility)> form;  ///< null = not set
};

template <class T>
struct codec {
  std::string type;
  disclosure shown = disclosure::plain;
  std::function<void(const node&, const read_scope&, T&)> read;
  std::function<node_ptr(const T&, visibility)> write;
};

/// What happens to a number below the range.
enum class repair : std::uint8_t {
  reject,    ///< error
  raise,     ///< the minimum is used, with a warning
  fallback,  ///< the default is used, with a warning
  accept,    ///< the minimum is used; the meaning is documented
};

/// Both ends belong to the range.
struct bounds {
  std::int64_t min = 0;
  std::int64_t max = std::numeric_limits<std::int64_t>::max();
  repair below = repair::reject;
  std::int64_t smallest_positive = 1;  ///< 1 up to this minus one is raised to it, with a warning
  std::int64_t unit = 1;               ///< durations: smaller parts are cut off, with a warning
};

value_codec<bool> boolean();
value_codec<std::int64_t> integer(bounds range);
/// Go-style text; the bounds are milliseconds.
value_codec<std::chrono::milliseconds> duration_text(bounds range);
/// Trimmed; control characters are refused.
value_codec<std::string> line_text();
/// The same, and not empty.
value_codec<std::string> directory_text();
/// As written.
value_codec<std::string> raw_text();
/// Trimmed; `file:PATH` is replaced by the content of the file.
value_codec<secret_string> secret_text();
/// http, https, socks5, socks5h URL, or `direct` (also spelled `none`), or empty.
value_codec<secret_string> proxy_url();
/// http or https URL without user, query and fragment; trailing slashes are cut; or empty.
value_codec<std::string> base_url();

/// Names in order; the first one of a value is the one written.
template <class E>
value_codec<E> choice(std::vector<std::pair<std::string, E>> names);

/// A list; an element that fails is left out after its report.
template <class V>
value_codec<std::vector<V>> list_of(value_codec<V> element, std::string type, disclosure shown);

/// scheme://host[:port] of a URL; other text as it is.
std::string origin(std::string_view url);
/// Go-style text for a duration, in the largest unit without a rest.
std::string duration_form(std::chrono::milliseconds d);
/// "NAME, NAME or NAME".
std::string one_of(const std::vector<std::string>& names);
/// The text of a scalar, or a report.
std::optional<std::string_view> scalar_text(const node& n, const read_scope& scope);

#define TG_FIELD(member)     \
  [](auto& owner) -> auto& { \
    return owner.member;     \
  }

namespace detail {

template <class T>
inline constexpr bool is_duration = false;
template <class R, class P>
inline constexpr bool is_duration<std::chrono::duration<R, P>> = true;

template <class To, class From>
To convert(From value) {
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (is_duration<To> && is_duration<From>) {
    return std::chrono::duration_cast<To>(value);
  } else if constexpr (is_duration<From>) {
    return static_cast<To>(value.count());
  } else {
    return static_cast<To>(value);
  }
}

}  // namespace detail

template <class T, class At, class V>
codec<T> bind(At at, value_codec<V> how) {
  using field = std::remove_cvref_t<decltype(at(std::declval<T&>()))>;
  return {.type = how.type,
          .shown = how.shown,
          .read =
              [at, parse = how.parse](const node& n, const read_scope& scope, T& owner) {
                if (auto v = parse(n, scope)) at(owner) = detail::convert<field>(std::move(*v));
              },
          .write = [at, form = how.form](
                       const T& owner,
                       visibility v) { return form(detail::convert<V>(at(owner)), v); }};
}

template <class E>
value_codec<E> choice(std::vector<std::pair<std::string, E>> names) {
  std::vector<std::string> canonical;
  for (auto it = names.begin(); it != names.end(); ++it) {
    bool first = true;
    for (auto earlier = names.begin(); earlier != it; ++earlier) {
      if (earlier->second == it->second) first = false;
    }
    if (first && !it->first.empty()) canonical.push_back(it->first);
  }
  const auto wanted = one_of(canonical);
  std::string type = wanted;
  for (const auto& [name, value] : names) {
    if (!name.empty()) continue;
    const auto meant = [&](const auto& other) { return other.second == value; };
    type += "; empty counts as " + std::ranges::find_if(names, meant)->first;
  }
  return {.type = std::move(type),
          .parse = [names, wanted](const node& n, const read_scope& scope) -> std::optional<E> {
            const auto text = scalar_text(n, scope);
            if (!text) return std::nullopt;
            for (const auto& [name, value] : names) {
              if (name == trimmed(*text)) return value;
            }
            scope.error(n, "unknown value " + shown(*text) + "; expected " + wanted);
            return std::nullopt;
          },
          .form = [names](const E& value, visibility) -> node_ptr {
            for (const auto& [name, v] : names) {
              if (v == value) return text_node(name);
            }
            return nullptr;
          }};
}

template <class V>
value_codec<std::vector<V>> list_of(value_codec<V> element, std::string type, disclosure shown) {
  return {.type = std::move(type),
          .shown = shown,
          .parse = [parse = element.parse](
                       const node& n, const read_scope& scope) -> std::optional<std::vector<V>> {
            std::vector<V> out;
            if (n.is(node::kind::null)) return out;
            if (!n.is(node::kind::sequence)) return scope.mismatch(n, "a list");
            for (std::size_t i = 0; i < n.items.size(); ++i) {
              if (auto v = parse(*n.items[i], scope.at(i))) out.push_back(std::move(*v));
            }
            return out;
          },
          .form =
              [form = element.form](const std::vector<V>& values, visibility v) {
                std::vector<node_ptr> items;
                for (const auto& value : values) items.push_back(form(value, v));
                return list_node(std::move(items));
              }};
}

}  // namespace tidegate::config
