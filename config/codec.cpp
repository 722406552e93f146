#include "config/codec.hpp"

#include "base/address.hpp"
#include "base/time_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace tidegate::config {
namespace {

bool has_control(std::string_view text) {
  return std::ranges::any_of(
      text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

/// Applies the range to a number; `written` turns one into text for the messages.
template <class Written>
std::optional<std::int64_t> bounded(std::int64_t value, const bounds& range, const node& n,
                                    const read_scope& scope, Written written) {
  if (value > range.max || (value < range.min && range.below == repair::reject)) {
    scope.error(n,
                fmt::format("must be between {} and {}", written(range.min), written(range.max)));
    return std::nullopt;
  }
  if (value < range.min) {
    if (range.below == repair::accept) return range.min;
    const bool raise = range.below == repair::raise;
    scope.warning(n, raise ? fmt::format("is below the minimum; {} is used", written(range.min))
                           : std::string{"is below the minimum; the default is used"});
    return raise ? std::optional{range.min} : std::nullopt;
  }
  if (value > 0 && value < range.smallest_positive) {
    scope.warning(n, fmt::format("is too small; {} is used", written(range.smallest_positive)));
    return range.smallest_positive;
  }
  return value;
}

/// What the documentation says about numbers below the range.
std::string below_form(const bounds& range, const std::string& min) {
  switch (range.below) {
    case repair::reject:
      return "";
    case repair::raise:
      return fmt::format("; less counts as {}, with a warning", min);
    case repair::fallback:
      return "; less gives the default, with a warning";
    case repair::accept:
      return fmt::format("; less counts as {}", min);
  }
  return "";
}

struct url_parts {
  std::string_view scheme;
  std::string_view user;  ///< with the password
  std::string_view host;  ///< with the port
  std::string_view rest;
};

std::optional<url_parts> split_url(std::string_view url) {
  const auto mark = url.find("://");
  if (mark == std::string_view::npos || mark == 0) return std::nullopt;
  url_parts parts{.scheme = url.substr(0, mark), .user = {}, .host = {}, .rest = {}};
  url.remove_prefix(mark + 3);
  const auto end = std::min(url.find_first_of("/?#"), url.size());
  parts.host = url.substr(0, end);
  parts.rest = url.substr(end);
  if (const auto sign = parts.host.rfind('@'); sign != std::string_view::npos) {
    parts.user = parts.host.substr(0, sign);
    parts.host.remove_prefix(sign + 1);
  }
  return parts;
}

/// The secret behind `file:PATH`, or the text itself.
std::optional<secret_string> resolve_secret(std::string_view text, const node& n,
                                            const read_scope& scope) {
  constexpr std::string_view file_mark = "file:";
  if (!text.starts_with(file_mark)) return secret_string{std::string{text}};
  const auto path = text.substr(file_mark.size());
  const auto content = scope.env.secret_file
                           ? scope.env.secret_file(path)
                           : failed(errc::unavailable, "secret files cannot be read here");
  if (!content) {
    scope.error(n, fmt::format("the secret file {} cannot be used: {}", shown(path),
                               content.error().detail));
    return std::nullopt;
  }
  secret_string secret{std::string{trimmed(content->reveal())}};
  if (!secret.empty()) return secret;
  scope.error(n, fmt::format("the secret file {} is empty", shown(path)));
  return std::nullopt;
}

std::optional<secret_string> parse_secret(const node& n, const read_scope& scope) {
  const auto text = scalar_text(n, scope);
  if (!text) return std::nullopt;
  auto secret = resolve_secret(trimmed(*text), n, scope);
  if (secret && has_control(secret->reveal())) {
    scope.error(n, "holds a line break or another control character");
    return std::nullopt;
  }
  return secret;
}

std::optional<std::string> parse_base_url(const node& n, const read_scope& scope) {
  const auto text = scalar_text(n, scope);
  if (!text) return std::nullopt;
  auto url = trimmed(*text);
  if (url.empty()) return std::string{};
  if (auto fault = address::base_url_fault(url); !fault.empty()) {
    scope.error(n, std::move(fault));
    return std::nullopt;
  }
  while (url.ends_with('/')) url.remove_suffix(1);
  return std::string{url};
}

std::optional<secret_string> parse_proxy_url(const node& n, const read_scope& scope) {
  auto secret = parse_secret(n, scope);
  if (!secret || secret->empty()) return secret;
  if (auto fault = address::proxy_url_fault(secret->reveal()); !fault.empty()) {
    scope.error(n, std::move(fault));
    return std::nullopt;
  }
  const bool is_url = secret->reveal().find("://") != std::string_view::npos;
  return is_url ? secret : secret_string{"direct"};
}

}  // namespace

read_scope read_scope::at(std::string_view name) const {
  return {out, env, key.empty() ? std::string{name} : fmt::format("{}.{}", key, name)};
}

read_scope read_scope::at(std::size_t index) const {
  return {out, env, fmt::format("{}[{}]", key, index)};
}

std::nullopt_t read_scope::mismatch(const node& n, std::string_view wanted) const {
  error(n, fmt::format("expected {}, found {}", wanted, describe(n)));
  return std::nullopt;
}

std::optional<std::string_view> scalar_text(const node& n, const read_scope& scope) {
  if (n.is(node::kind::null)) return std::string_view{};
  if (!n.is(node::kind::scalar)) return scope.mismatch(n, "a single value");
  return n.view();
}

value_codec<bool> boolean() {
  return {.type = "true or false",
          .parse = [](const node& n, const read_scope& scope) -> std::optional<bool> {
            const auto word = n.is(node::kind::scalar) && n.plain ? lower(n.view()) : std::string{};
            if (word == "true" || word == "yes" || word == "on") return true;
            if (word == "false" || word == "no" || word == "off") return false;
            if (word.empty()) return scope.mismatch(n, "true or false");
            scope.error(n, "expected true or false, found " + shown(n.view()));
            return std::nullopt;
          },
          .form = [](const bool& v, visibility) { return plain_node(v ? "true" : "false"); }};
}

value_codec<std::int64_t> integer(bounds range) {
  const auto written = [](std::int64_t v) { return fmt::format("{}", v); };
  const bool open = range.max == std::numeric_limits<std::int64_t>::max();
  return {.type = open ? std::string{"integer"}
                       : fmt::format("integer, {} to {}{}", range.min, range.max,
                                     below_form(range, written(range.min))),
          .parse = [range, written](const node& n,
                                    const read_scope& scope) -> std::optional<std::int64_t> {
            if (!n.is(node::kind::scalar) || !n.plain) return scope.mismatch(n, "an integer");
            std::int64_t value = 0;
            const auto text = n.view();
            const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
            if (code != std::errc{} || end != text.data() + text.size()) {
              scope.error(n, "expected an integer, found " + shown(text));
              return std::nullopt;
            }
            return bounded(value, range, n, scope, written);
          },
          .form = [](const std::int64_t& v, visibility) { return plain_node(std::to_string(v)); }};
}

value_codec<std::chrono::milliseconds> duration_text(bounds range) {
  using std::chrono::milliseconds;
  const auto written = [](std::int64_t v) { return duration_form(milliseconds{v}); };
  return {.type = fmt::format("duration, {} to {}{}{}", written(range.min), written(range.max),
                              range.unit > 1 ? ", in steps of " + written(range.unit) : "",
                              below_form(range, written(range.min))),
          .parse = [range, written](const node& n,
                                    const read_scope& scope) -> std::optional<milliseconds> {
            const auto text = scalar_text(n, scope);
            if (!text) return std::nullopt;
            const auto parsed = parse_go_duration(trimmed(*text));
            if (!parsed) {
              scope.error(n, fmt::format("expected a duration with a unit, such as 90s or 1h30m, "
                                         "found {}",
                                         shown(*text)));
              return std::nullopt;
            }
            auto ms = std::chrono::duration_cast<milliseconds>(*parsed).count();
            ms -= ms % range.unit;
            if (milliseconds{ms} != *parsed) {
              scope.warning(n, fmt::format("counts in steps of {}; {} is used",
                                           written(range.unit), written(ms)));
            }
            const auto value = bounded(ms, range, n, scope, written);
            return value ? std::optional{milliseconds{*value}} : std::nullopt;
          },
          .form = [](const milliseconds& v, visibility) { return plain_node(duration_form(v)); }};
}

value_codec<std::string> line_text() {
  return {.type = "text",
          .parse = [](const node& n, const read_scope& scope) -> std::optional<std::string> {
            const auto text = scalar_text(n, scope);
            if (!text) return std::nullopt;
            if (has_control(trimmed(*text))) {
              scope.error(n, "holds a line break or another control character");
              return std::nullopt;
            }
            return std::string{trimmed(*text)};
          },
          .form = [](const std::string& v, visibility) { return text_node(v); }};
}

value_codec<std::string> directory_text() {
  auto codec = line_text();
  codec.parse = [parse = codec.parse](const node& n,
                                      const read_scope& scope) -> std::optional<std::string> {
    auto text = parse(n, scope);
    if (!text || !text->empty()) return text;
    scope.error(n, "is empty; name a directory, or leave the key out for the default");
    return std::nullopt;
  };
  return codec;
}

value_codec<std::string> raw_text() {
  return {.type = "text",
          .parse = [](const node& n, const read_scope& scope) -> std::optional<std::string> {
            const auto text = scalar_text(n, scope);
            return text ? std::optional{std::string{*text}} : std::nullopt;
          },
          .form = [](const std::string& v, visibility) { return text_node(v); }};
}

value_codec<secret_string> secret_text() {
  return {.type = "secret",
          .shown = disclosure::secret,
          .parse = parse_secret,
          .form = [](const secret_string& v, visibility how) {
            return how == visibility::revealed || v.empty() ? text_node(v.reveal())
                                                            : text_node(v.masked());
          }};
}

value_codec<secret_string> proxy_url() {
  return {.type = "proxy URL",
          .shown = disclosure::url,
          .parse = parse_proxy_url,
          .form = [](const secret_string& v, visibility how) {
            return how == visibility::revealed ? text_node(v.reveal())
                                               : text_node(origin(v.reveal()));
          }};
}

value_codec<std::string> base_url() {
  return {.type = "URL",
          .shown = disclosure::url,
          .parse = parse_base_url,
          .form = [](const std::string& v, visibility) { return text_node(v); }};
}

std::string origin(std::string_view url) {
  const auto parts = split_url(url);
  return parts ? fmt::format("{}://{}", parts->scheme, parts->host) : std::string{url};
}

std::string duration_form(std::chrono::milliseconds d) {
  const auto ms = d.count();
  if (ms == 0) return "0s";
  if (ms % 3'600'000 == 0) return fmt::format("{}h", ms / 3'600'000);
  if (ms % 60'000 == 0) return fmt::format("{}m", ms / 60'000);
  if (ms % 1000 == 0) return fmt::format("{}s", ms / 1000);
  return fmt::format("{}ms", ms);
}

std::string one_of(const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    out += i == 0 ? "" : i + 1 == names.size() ? " or " : ", ";
    out += names[i];
  }
  return out;
}

}  // namespace tidegate::config
