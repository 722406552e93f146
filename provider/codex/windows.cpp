#include "provider/codex/windows.hpp"

#include "provider/codex/provider.hpp"
#include "provider/error_body.hpp"
#include "provider/instants.hpp"
#include "provider/text_match.hpp"

#include <array>

namespace tidegate::provider::codex {
namespace {

using nlohmann::json;
using quota::window;

constexpr double window_minutes_max = 60.0 * 24 * 366;

std::optional<std::chrono::minutes> minutes_from(std::optional<double> figure) {
  if (!figure || *figure < 1 || *figure > window_minutes_max) return std::nullopt;
  return std::chrono::minutes{static_cast<std::int64_t>(*figure)};
}

/// The four figures of one window, whatever they came in.
window window_from(std::string_view name, std::optional<double> used, std::optional<double> minutes,
                   std::optional<double> reset_at, std::optional<double> reset_after, instant now) {
  window out;
  out.name = name;
  if (used && *used >= 0) out.used_percent = used;
  out.length = minutes_from(minutes);
  if (reset_at) out.reset_at = instant_at(*reset_at);
  if (!out.reset_at && reset_after) out.reset_at = instant_after_seconds(now, *reset_after);
  return out;
}

void keep_if_stated(quota::window_report& report, window one) {
  if (one.used_percent || one.length || one.reset_at) report.windows.push_back(std::move(one));
}

std::optional<quota::window_report> unless_empty(quota::window_report report) {
  if (report.windows.empty()) return std::nullopt;
  return report;
}

bool near(instant a, instant b) {
  const auto apart = a > b ? a - b : b - a;
  return apart <= reset_jitter;
}

}  // namespace

std::optional<quota::window_report> windows(const header_lookup& header, instant now) {
  quota::window_report report{{}, "headers", now};
  for (const std::string name : {"primary", "secondary"}) {
    const auto figure = [&](const char* field) -> std::optional<double> {
      const auto text = header("x-codex-" + name + field);
      return text ? number_from(*text) : std::nullopt;
    };
    keep_if_stated(report, window_from(name, figure("-used-percent"), figure("-window-minutes"),
                                       figure("-reset-at"), figure("-reset-after-seconds"), now));
  }
  return unless_empty(std::move(report));
}

std::optional<quota::window_report> frame_windows(const protocol::sse_frame& frame, instant now) {
  constexpr std::string_view event = "codex.rate_limits";
  // Content frames name their own event; only frames without a name need a look inside.
  if (!frame.event.empty() && frame.event != event) return std::nullopt;
  if (frame.data.find(event) == std::string_view::npos) return std::nullopt;
  const error_body body{frame.data};
  if (string_of(&body.root(), "type") != event) return std::nullopt;
  const json* limits = member_of(&body.root(), "rate_limits");
  quota::window_report report{{}, "event", now};
  for (const char* name : {"primary", "secondary"}) {
    const json* one = member_of(limits, name);
    keep_if_stated(report, window_from(name, number_of(one, "used_percent"),
                                       number_of(one, "window_minutes"), number_of(one, "reset_at"),
                                       number_of(one, "reset_after_seconds"), now));
  }
  return unless_empty(std::move(report));
}

std::optional<std::chrono::minutes> exhausted_window(
    const std::optional<quota::window_report>& report, std::optional<instant> reset) {
  if (!report) return std::nullopt;
  const window* chosen = nullptr;
  const auto prefer_longer = [&](const window& one) {
    if (chosen == nullptr || one.length > chosen->length) chosen = &one;
  };
  for (const auto& one : report->windows) {
    if (reset && one.reset_at && near(*one.reset_at, *reset)) prefer_longer(one);
  }
  if (chosen != nullptr) return chosen->length;
  for (const auto& one : report->windows) {
    if (!one.used_percent || *one.used_percent < 100) continue;
    if (chosen == nullptr || one.reset_at > chosen->reset_at) chosen = &one;
  }
  return chosen == nullptr ? std::nullopt : chosen->length;
}

}  // namespace tidegate::provider::codex
