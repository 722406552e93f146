#include "provider/claude/limits.hpp"

#include "base/time_text.hpp"
#include "provider/claude/provider.hpp"
#include "provider/error_body.hpp"
#include "provider/instants.hpp"
#include "provider/text_match.hpp"

#include <array>

namespace tidegate::provider::claude {
namespace {

const std::string prefix = "anthropic-ratelimit-unified-";

std::string status_of(const header_lookup& header, std::string_view bucket) {
  const auto text = header(prefix + std::string{bucket} + "status");
  return text ? lower(trimmed(*text)) : std::string{};
}

limit read_limit(const header_lookup& header, std::string_view bucket) {
  const auto reset = header(prefix + std::string{bucket} + "reset");
  return {status_of(header, bucket), reset ? parse_reset(*reset) : std::nullopt};
}

/// Stated as a used fraction of one.
std::optional<double> used_percent(const header_lookup& header, std::string_view bucket) {
  const auto text = header(prefix + std::string{bucket} + "utilization");
  const auto used = text ? number_from(*text) : std::nullopt;
  if (!used || *used < 0) return std::nullopt;
  return *used * 100;
}

}  // namespace

bool limits::only_model_family() const {
  return five_hours.allowed() && week.allowed() && week_of_model.rejected();
}

bool limits::only_overage() const {
  return overage == "rejected" && five_hours.open() && week.open() && !week_of_model.rejected();
}

bool limits::shared_window_used_up() const {
  const bool overage_pays =
      unified.open() && (overage == "allowed" || overage == "allowed_warning");
  return (five_hours.rejected() || week.rejected()) && !overage_pays;
}

bool limits::any_rejected() const {
  return unified.rejected() || five_hours.rejected() || week.rejected() || week_of_model.rejected();
}

limits read_limits(const header_lookup& header) {
  return {read_limit(header, ""), read_limit(header, "5h-"), read_limit(header, "7d-"),
          read_limit(header, "7d_oi-"), status_of(header, "overage-")};
}

std::optional<instant> parse_reset(std::string_view text) {
  text = trimmed(text);
  if (const auto seconds = number_from(text)) return instant_at(*seconds);
  if (const auto at = parse_rfc3339(text)) return at;
  return parse_http_date(text);
}

std::optional<quota::window_report> windows(const header_lookup& header, instant now) {
  struct bucket {
    const char* name;
    const char* infix;
    std::optional<std::chrono::minutes> length;
  };
  constexpr std::chrono::minutes week{10080};
  const std::array buckets{bucket{"5h", "5h-", std::chrono::minutes{300}},
                           bucket{"7d", "7d-", week}, bucket{"7d_oi", "7d_oi-", week}};
  quota::window_report report{{}, "headers", now};
  for (const auto& one : buckets) {
    auto [status, reset] = read_limit(header, one.infix);
    const auto used = used_percent(header, one.infix);
    if (status.empty() && !reset && !used) continue;
    report.windows.push_back({one.name, used, one.length, reset, std::move(status)});
  }
  if (report.windows.empty()) return std::nullopt;
  return report;
}

}  // namespace tidegate::provider::claude
