#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/sim/failure.hpp"

namespace tidegate::sim {
namespace {

using json = nlohmann::ordered_json;

std::int64_t seconds_left(instant then, instant now) {
  return std::max<std::int64_t>(std::chrono::ceil<std::chrono::seconds>(then - now).count(), 0);
}

std::string figure(double value) {
  return fmt::format("{:g}", value);
}

void add_codex(const limit_window& window, instant anchor, instant now, std::vector<header>& out) {
  const auto prefix = "x-codex-" + window.name + "-";
  if (window.used_percent) out.emplace_back(prefix + "used-percent", figure(*window.used_percent));
  if (window.window_minutes > 0)
    out.emplace_back(prefix + "window-minutes", std::to_string(window.window_minutes));
  if (const auto resets = window.resets.resolve(anchor)) {
    out.emplace_back(prefix + "reset-after-seconds", std::to_string(seconds_left(*resets, now)));
    out.emplace_back(prefix + "reset-at", std::to_string(to_unix_ceil(*resets)));
  }
}

void add_claude(const limit_window& window, instant anchor, std::vector<header>& out) {
  const auto prefix = "anthropic-ratelimit-unified-" + window.name + "-";
  if (!window.status.empty()) out.emplace_back(prefix + "status", window.status);
  if (const auto resets = window.resets.resolve(anchor))
    out.emplace_back(prefix + "reset", std::to_string(to_unix_ceil(*resets)));
  if (window.used_percent)
    out.emplace_back(prefix + "utilization", figure(*window.used_percent / 100));
}

}  // namespace

std::vector<header> limit_headers(const limits& what, instant anchor, instant now) {
  std::vector<header> out;
  if (!what.codex_plan.empty()) out.emplace_back("x-codex-plan-type", what.codex_plan);
  for (const auto& window : what.codex) add_codex(window, anchor, now, out);
  const std::string prefix = "anthropic-ratelimit-unified-";
  if (!what.claude_status.empty()) out.emplace_back(prefix + "status", what.claude_status);
  if (const auto resets = what.claude_resets.resolve(anchor))
    out.emplace_back(prefix + "reset", std::to_string(to_unix_ceil(*resets)));
  if (!what.representative.empty())
    out.emplace_back(prefix + "representative-claim", what.representative);
  if (!what.overage_status.empty())
    out.emplace_back(prefix + "overage-status", what.overage_status);
  if (!what.overage_reason.empty())
    out.emplace_back(prefix + "overage-disabled-reason", what.overage_reason);
  for (const auto& window : what.claude) add_claude(window, anchor, out);
  return out;
}

std::vector<header> window_headers(const window_use& window, protocol::wire wire, instant now) {
  const bool weekly = window.length > std::chrono::hours{24};
  const double percent = window.limit == 0 ? 100.0
                                           : 100.0 * static_cast<double>(window.used) /
                                                 static_cast<double>(window.limit);
  limit_window shown;
  shown.used_percent = percent;
  shown.resets.at = window.resets_at;
  limits telemetry;
  if (wire == protocol::wire::openai_responses) {
    shown.name = weekly ? "secondary" : "primary";
    const auto minutes = std::chrono::ceil<std::chrono::minutes>(window.length).count();
    shown.window_minutes = static_cast<int>(minutes);
    telemetry.codex.push_back(std::move(shown));
  } else if (wire == protocol::wire::anthropic_messages) {
    shown.name = weekly ? "7d" : "5h";
    shown.status = percent >= 90 ? "allowed_warning" : "allowed";
    telemetry.claude_status = shown.status;
    telemetry.claude_resets = shown.resets;
    telemetry.claude.push_back(std::move(shown));
  }
  return limit_headers(telemetry, now, now);
}

std::string codex_limits_event(const limits& what, instant anchor, instant now) {
  json shown{{"allowed", true}, {"limit_reached", false}};
  for (const auto& window : what.codex) {
    json entry{{"used_percent", window.used_percent.value_or(0)},
               {"window_minutes", window.window_minutes}};
    if (const auto resets = window.resets.resolve(anchor)) {
      entry["reset_after_seconds"] = seconds_left(*resets, now);
      entry["reset_at"] = to_unix_ceil(*resets);
    }
    if (window.used_percent.value_or(0) >= 100) shown["limit_reached"] = true;
    shown[window.name] = std::move(entry);
  }
  const json event{{"type", "codex.rate_limits"},
                   {"plan_type", what.codex_plan.empty() ? "plus" : what.codex_plan},
                   {"rate_limits", std::move(shown)}};
  return fmt::format("event: codex.rate_limits\ndata: {}\n\n", event.dump());
}

}  // namespace tidegate::sim
