#include "provider/credential_document.hpp"
#include "provider/credential_fields.hpp"
#include "provider/credential_parts.hpp"
#include "provider/credential_rewrite.hpp"
#include "provider/request_parts.hpp"
#include "provider/text_match.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace tidegate::provider {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;
using name_of = std::string_view;

constexpr std::size_t text_bytes_max = 8 * 1024;
constexpr std::int64_t interval_seconds_max = 366 * std::int64_t{86'400};

std::string bounded_text(credential_fields& in, name_of name) {
  std::string text = in.text(name);
  if (text.size() > text_bytes_max) in.report(fmt::format("`{}` is too long", name));
  return text;
}

std::string line(credential_fields& in, name_of name) {
  std::string text = bounded_text(in, name);
  if (has_control(text)) in.report(fmt::format("`{}` holds a control character", name));
  return text;
}

bool is_address(std::string_view url, std::initializer_list<std::string_view> schemes) {
  return url.find_first_of(" \t\"<>\\") == std::string_view::npos &&
         std::ranges::any_of(schemes, [&](std::string_view scheme) {
           return url.starts_with(scheme) && url.size() > scheme.size();
         });
}

void check_prefix(credential_fields& in, name_of name) {
  const std::string text = line(in, name);
  if (!text.empty() && clean_prefix(text).empty()) {
    in.report(fmt::format("`{}` must not hold a slash", name));
  }
}

void check_proxy(credential_fields& in, name_of name) {
  const std::string url = line(in, name);
  if (url.empty() || url == "direct" || url == "none") return;
  if (is_address(url, {"http://", "https://", "socks5://", "socks5h://"})) return;
  in.report(
      fmt::format("`{}` must be direct, none, or an http, https, socks5 or socks5h URL", name));
}

void check_base_url(credential_fields& in, name_of name) {
  const std::string url = line(in, name);
  if (url.empty() || is_address(url, {"http://", "https://"})) return;
  in.report(fmt::format("`{}` must begin with https:// or http://", name));
}

void check_headers(credential_fields& in, name_of name) {
  for (const auto& [header, value] : in.headers(name)) {
    if (!is_header(header, value)) {
      in.report(fmt::format("`{}.{}` is no header, or not one to set", name, header));
    }
  }
}

template <std::int64_t Low, std::int64_t High>
void check_number(credential_fields& in, name_of name) {
  in.integer(name, Low, High);
}

using ints = std::numeric_limits<int>;

struct setting {
  name_of name;
  void (*check)(credential_fields& in, name_of name);
};

constexpr setting settings[] = {
    {"disabled", [](credential_fields& in, name_of name) { in.flag(name); }},
    {"priority", check_number<ints::min(), ints::max()>},
    {"weight", check_number<std::numeric_limits<std::int64_t>::min(), weight_max>},
    {"prefix", check_prefix},
    {"proxy_url", check_proxy},
    {"excluded_models", [](credential_fields& in, name_of name) { in.texts(name); }},
    {"model_aliases", [](credential_fields& in, name_of name) { in.aliases(name); }},
    {"headers", check_headers},
    {"request_retry", check_number<ints::min(), ints::max()>},
    {"disable_cooling", [](credential_fields& in, name_of name) { in.switch_of(name); }},
    {"request_scoped_errors", [](credential_fields& in, name_of name) { in.rules(name); }},
    {"note", [](credential_fields& in, name_of name) { bounded_text(in, name); }},
    {"websockets", [](credential_fields& in, name_of name) { in.flag(name); }},
    {"base_url", check_base_url},
    {"refresh_interval_seconds", check_number<0, interval_seconds_max>},
    {"refresh_interval", check_number<0, interval_seconds_max>},
};

const setting* setting_of(std::string_view key) {
  std::string name{key};
  std::ranges::replace(name, '-', '_');
  const auto* const found = std::ranges::find(settings, name, &setting::name);
  return found == std::end(settings) ? nullptr : found;
}

/// Cuts and cleans what it repeats.
std::unexpected<error> refused(const std::string& problem) {
  const json nothing;
  credential_fields speaker{nothing};
  speaker.report(problem);
  return failed(errc::invalid_input, speaker.problem());
}

result<void> check(const setting& what, const json& value) {
  const json alone{{what.name, value}};
  credential_fields in{alone};
  what.check(in, what.name);
  if (!in.problem().empty()) return failed(errc::invalid_input, in.problem());
  return {};
}

ordered_json headers_of(const ordered_json& root) {
  const auto found = root.find("headers");
  return found != root.end() && found->is_object() ? *found : ordered_json::object();
}

void merge_header(ordered_json& into, std::string_view name, const json& value) {
  const bool removes =
      value.is_null() || (value.is_string() && trimmed(value.get<std::string>()).empty());
  for (auto at = into.begin(); at != into.end();) {
    if (!equal_ignoring_case(at.key(), name)) {
      ++at;
    } else if (removes) {
      at = into.erase(at);
    } else {
      at.value() = value;
      return;
    }
  }
  if (!removes) into[std::string{name}] = value;
}

result<void> merge_headers(ordered_json& root, const setting& what, const json& changes) {
  if (!changes.is_object()) return refused("`headers` must be an object");
  json set = json::object();
  for (const auto& [name, value] : changes.items()) {
    if (!value.is_null()) set[name] = value;
  }
  if (auto good = check(what, set); !good) return good;
  ordered_json merged = headers_of(root);
  for (const auto& [name, value] : changes.items()) merge_header(merged, trimmed(name), value);
  if (merged.empty()) {
    remove_field(root, "headers");
  } else {
    root["headers"] = std::move(merged);
  }
  return {};
}

result<void> apply(ordered_json& root, const std::string& key, const json& value) {
  constexpr std::string_view below_headers = "headers.";
  if (key.starts_with(below_headers)) {
    const json one{{key.substr(below_headers.size()), value}};
    return merge_headers(root, *setting_of("headers"), one);
  }
  const setting* what = setting_of(key);
  if (what == nullptr) return refused(fmt::format("`{}` cannot be set", key));
  if (value.is_null()) {
    remove_field(root, what->name);
    return {};
  }
  if (what->name == "headers") return merge_headers(root, *what, value);
  if (auto good = check(*what, value); !good) return good;
  set_field(root, what->name, value);
  return {};
}

}  // namespace

result<std::string> with_fields(std::string_view file_text, const json& patch) {
  if (!patch.is_object() || patch.empty()) {
    return failed(errc::invalid_input, "there is no field to set");
  }
  auto file = credential_document::parse(file_text);
  if (!file) return std::unexpected{file.error()};
  for (const auto& [key, value] : patch.items()) {
    if (auto done = apply(file->root(), key, value); !done) return std::unexpected{done.error()};
  }
  return file->text();
}

}  // namespace tidegate::provider
