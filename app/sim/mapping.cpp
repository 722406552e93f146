#include "app/sim/mapping.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/time_text.hpp"

namespace tidegate::sim {
namespace {

template <class Number>
std::optional<Number> number_of(std::string_view text) {
  Number value{};
  const auto* end = text.data() + text.size();
  const auto [stop, ec] = std::from_chars(text.data(), end, value);
  if (ec != std::errc{} || stop != end) return std::nullopt;
  return value;
}

}  // namespace

std::optional<duration> parse_span(std::string_view text) {
  constexpr std::int64_t seconds_max = 400LL * 24 * 3600;
  if (auto seconds = number_of<std::int64_t>(text)) {
    if (*seconds > seconds_max || *seconds < -seconds_max) return std::nullopt;
    return std::chrono::seconds{*seconds};
  }
  if (text.ends_with('d')) {
    auto days = number_of<std::int64_t>(text.substr(0, text.size() - 1));
    if (!days || *days > 400 || *days < -400) return std::nullopt;
    return std::chrono::hours{24 * *days};
  }
  return parse_go_duration(text);
}

mapping::mapping(const YAML::Node& node, std::string where, problems& out)
    : node_(node), where_(std::move(where)), problems_(out) {
  if (node_.IsDefined() && !node_.IsNull() && !node_.IsMap()) {
    problems_.push_back(
        fmt::format("line {}: {} must be a mapping", node_.Mark().line + 1, where_));
    node_ = YAML::Node{};
  }
}

YAML::Node mapping::child(const char* key) {
  known_.emplace_back(key);
  // yaml-cpp answers a missing field with a node that throws when looked at; this one does not.
  const YAML::Node absent{YAML::NodeType::Undefined};
  if (!node_.IsMap()) return absent;
  const auto found = std::as_const(node_)[key];
  return found.IsDefined() ? found : absent;
}

bool mapping::has(const char* key) {
  auto value = child(key);
  return value.IsDefined() && !value.IsNull();
}

void mapping::complain(const char* key, std::string_view what) {
  auto value = child(key);
  const int line = value.IsDefined() ? value.Mark().line + 1 : node_.Mark().line + 1;
  problems_.push_back(fmt::format("line {}: {}.{} {}", line, where_, key, what));
}

std::optional<std::string> mapping::scalar(const char* key) {
  auto value = child(key);
  if (!value.IsDefined() || value.IsNull()) return std::nullopt;
  if (!value.IsScalar()) {
    complain(key, "must be a single value");
    return std::nullopt;
  }
  return value.Scalar();
}

void mapping::text(const char* key, std::string& out) {
  if (auto value = scalar(key)) out = std::move(*value);
}

void mapping::text(const char* key, std::optional<std::string>& out) {
  if (auto value = scalar(key)) out = std::move(*value);
}

void mapping::flag(const char* key, bool& out) {
  auto value = scalar(key);
  if (!value) return;
  if (*value != "true" && *value != "false") return complain(key, "must be true or false");
  out = *value == "true";
}

void mapping::whole(const char* key, std::int64_t& out, std::int64_t least, std::int64_t most) {
  auto value = scalar(key);
  if (!value) return;
  auto number = number_of<std::int64_t>(*value);
  if (!number || *number < least || *number > most)
    return complain(key, fmt::format("must be a whole number from {} to {}", least, most));
  out = *number;
}

void mapping::whole(const char* key, int& out, int least, int most) {
  std::int64_t wide = out;
  whole(key, wide, std::int64_t{least}, std::int64_t{most});
  out = static_cast<int>(wide);
}

void mapping::real(const char* key, std::optional<double>& out, double least, double most) {
  auto value = scalar(key);
  if (!value) return;
  auto number = number_of<double>(*value);
  if (!number || !(*number >= least && *number <= most))
    return complain(key, fmt::format("must be a number from {} to {}", least, most));
  out = *number;
}

void mapping::pace(const char* key, std::chrono::milliseconds& out) {
  std::int64_t ms = out.count();
  whole(key, ms, 0, std::int64_t{pace_max.count()});
  out = std::chrono::milliseconds{ms};
}

void mapping::span(const char* key, std::optional<duration>& out) {
  auto value = scalar(key);
  if (!value) return;
  auto parsed = parse_span(*value);
  if (!parsed || *parsed <= duration::zero())
    return complain(key, "must be a positive duration such as 90s, 2h or 7d");
  out = *parsed;
}

void mapping::reset_time(const char* in, const char* at, moment& out) {
  span(in, out.in);
  auto value = scalar(at);
  if (!value) return;
  if (out.in) return complain(at, fmt::format("and {} exclude each other", in));
  out.at = parse_rfc3339(*value);
  if (auto seconds = number_of<std::int64_t>(*value); seconds && *seconds < 9'000'000'000)
    out.at = from_unix(*seconds);
  if (!out.at) complain(at, "must be an RFC 3339 time or unix seconds");
}

void mapping::position(const char* key, std::optional<int>& out) {
  auto value = scalar(key);
  if (!value) return;
  if (*value == "opening") {
    out = after_opening;
    return;
  }
  int chunks = 0;
  whole(key, chunks, 0, chunks_max);
  out = chunks;
}

void mapping::one_of(const char* key, std::string& out,
                     std::initializer_list<std::string_view> words) {
  auto value = scalar(key);
  if (!value) return;
  if (std::find(words.begin(), words.end(), *value) == words.end())
    return complain(key, fmt::format("must be one of: {}", fmt::join(words, ", ")));
  out = std::move(*value);
}

void mapping::headers(const char* key, std::vector<header>& out) {
  auto value = child(key);
  if (!value.IsDefined() || value.IsNull()) return;
  if (!value.IsMap()) return complain(key, "must map header names to texts");
  for (const auto& field : value) {
    if (!field.first.IsScalar() || !field.second.IsScalar())
      return complain(key, "must map header names to texts");
    const auto& name = field.first.Scalar();
    const auto& content = field.second.Scalar();
    const auto broken = [](char c) { return c == '\r' || c == '\n' || c == '\0'; };
    if (name.empty() || std::any_of(name.begin(), name.end(), broken) ||
        std::any_of(content.begin(), content.end(), broken))
      return complain(key, "holds a header that cannot be sent");
    out.emplace_back(name, content);
  }
}

void mapping::each(const char* key, std::size_t most,
                   const std::function<void(const YAML::Node&)>& use) {
  auto value = child(key);
  if (!value.IsDefined() || value.IsNull()) return;
  if (!value.IsSequence()) return complain(key, "must be a list");
  if (value.size() > most) return complain(key, fmt::format("may hold at most {} entries", most));
  for (const auto& entry : value) use(entry);
}

void mapping::finish() {
  if (!node_.IsMap()) return;
  for (const auto& field : node_) {
    const auto name = field.first.IsScalar() ? field.first.Scalar() : std::string{"?"};
    if (std::find(known_.begin(), known_.end(), name) == known_.end())
      problems_.push_back(
          fmt::format("line {}: {}.{} is unknown", field.first.Mark().line + 1, where_, name));
  }
}

}  // namespace tidegate::sim
