#include "provider/credential_checks.hpp"
#include "provider/credential_document.hpp"
#include "provider/credential_fields.hpp"
#include "provider/credential_parts.hpp"
#include "provider/credential_rewrite.hpp"
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

void check_size(credential_fields& in, name_of name) {
  if (in.text(name).size() > text_bytes_max) in.report(fmt::format("`{}` is too long", name));
}

void check_prefix(credential_fields& in, name_of name) {
  check_size(in, name);
  prefix_of(in);
  const auto* given = in.find(name);
  if (given != nullptr && *given != "" && in.text(name).empty()) {
    in.report(fmt::format("`{}` is blank; null removes it", name));
  }
}

void check_line(credential_fields& in, name_of name) {
  check_size(in, name);
  line_of(in, name);
}

template <auto Read>
void bounded(credential_fields& in, name_of name) {
  check_size(in, name);
  Read(in);
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
    {"proxy_url", bounded<proxy_url_of>},
    {"excluded_models", [](credential_fields& in, name_of) { patterns_of(in); }},
    {"model_aliases", [](credential_fields& in, name_of name) { in.aliases(name); }},
    {"headers", [](credential_fields& in, name_of) { headers_of(in); }},
    {"max_concurrency", check_number<0, concurrency_max>},
    {"request_retry", check_number<ints::min(), ints::max()>},
    {"disable_cooling", [](credential_fields& in, name_of name) { in.switch_of(name); }},
    {"request_scoped_errors", [](credential_fields& in, name_of name) { in.rules(name); }},
    {"note", check_line},
    {"websockets", [](credential_fields& in, name_of name) { in.flag(name); }},
    {"base_url", bounded<base_url_of>},
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

/// The headers that the file has; none when they are no object.
object_text present_headers(const object_text& root) {
  const auto* found = root.find("headers");
  const bool usable = found != nullptr && found->raw.starts_with('{');
  auto parsed = object_text::parse(usable ? found->raw : "{}");
  return parsed ? std::move(*parsed) : object_text{};
}

void merge_header(object_text& into, std::string_view name, const json& value) {
  const bool removes =
      value.is_null() || (value.is_string() && trimmed(value.get<std::string>()).empty());
  std::string spelling{name};
  for (const auto& known : into.members()) {
    if (equal_ignoring_case(known.name, name)) spelling = known.name;
  }
  if (removes) {
    into.erase(spelling);
  } else {
    into.set(spelling, value.dump(-1, ' ', false, json::error_handler_t::replace));
  }
}

result<void> merge_headers(credential_document& file, const setting& what, const json& changes) {
  if (!changes.is_object()) return refused("`headers` must be an object");
  json set = json::object();
  for (const auto& [name, value] : changes.items()) {
    if (!value.is_null()) set[name] = value;
  }
  if (auto good = check(what, set); !good) return good;
  auto merged = present_headers(file.root());
  const bool fresh = merged.empty();
  for (const auto& [name, value] : changes.items()) merge_header(merged, trimmed(name), value);
  if (merged.empty()) {
    remove_field(file.root(), "headers");
  } else if (fresh) {
    file.root().set("headers", file.laid_out(ordered_json::parse(merged.str())));
  } else {
    file.root().set("headers", merged.str());
  }
  return {};
}

result<void> apply(credential_document& file, const std::string& key, const json& value) {
  constexpr std::string_view below_headers = "headers.";
  if (key.starts_with(below_headers)) {
    const json one{{key.substr(below_headers.size()), value}};
    return merge_headers(file, *setting_of("headers"), one);
  }
  const setting* what = setting_of(key);
  if (what == nullptr) return refused(fmt::format("`{}` cannot be set", key));
  if (value.is_null()) {
    remove_field(file.root(), what->name);
    return {};
  }
  if (what->name == "headers") return merge_headers(file, *what, value);
  if (auto good = check(*what, value); !good) return good;
  set_field(file.root(), what->name, file.laid_out(value));
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
    if (auto done = apply(*file, key, value); !done) return std::unexpected{done.error()};
  }
  return file->text();
}

}  // namespace tidegate::provider
