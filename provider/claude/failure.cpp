#include "base/time_text.hpp"
#include "provider/classify.hpp"
#include "provider/claude/limits.hpp"
#include "provider/claude/provider.hpp"
#include "provider/instants.hpp"
#include "provider/messages_frame.hpp"
#include "provider/text_match.hpp"

#include <algorithm>

namespace tidegate::provider::claude {
namespace {

using quota::outcome_class;
using std::chrono::minutes;

/// No window is longer than a week; a later deadline is somebody's billing period.
constexpr std::chrono::hours deadline_horizon{7 * 24 + 1};
constexpr int fuzz_seconds_max = 30;

std::optional<instant> retry_after(const header_lookup& header, instant now) {
  const auto text = header("retry-after");
  if (!text) return std::nullopt;
  if (const auto wait = parse_retry_after(trimmed(*text), now)) return instant_after(now, *wait);
  return parse_rfc3339(trimmed(*text));
}

/// The latest acceptable instant of those the rules admit.
class latest_reset {
 public:
  explicit latest_reset(instant now) : now_(now) {}

  void consider(bool admitted, std::optional<instant> at) {
    if (!admitted || !at || *at <= now_ || *at > now_ + deadline_horizon) return;
    if (!latest_ || *at > *latest_) latest_ = at;
  }
  std::optional<instant> value() const { return latest_; }

 private:
  instant now_;
  std::optional<instant> latest_;
};

std::optional<instant> limit_reset(const limits& all, const header_lookup& header, instant now) {
  latest_reset latest{now};
  const bool shared = all.shared_window_used_up();
  const bool family_only = all.only_model_family();
  const bool overage_only = all.only_overage();
  latest.consider(!overage_only, retry_after(header, now));
  latest.consider(shared && all.five_hours.rejected(), all.five_hours.reset);
  latest.consider(shared && all.week.rejected(), all.week.reset);
  latest.consider(!family_only && all.week_of_model.rejected(), all.week_of_model.reset);
  const bool refused = all.unified.rejected() || shared || all.week_of_model.rejected();
  const bool silent =
      all.unified.status.empty() && !all.five_hours.allowed() && !all.week.allowed();
  latest.consider(!family_only && !overage_only && (refused || silent), all.unified.reset);
  return latest.value();
}

std::optional<minutes> window_of(const limits& all, instant reset) {
  if (all.week.rejected() && all.week.reset == reset) return minutes{10080};
  if (all.five_hours.rejected() && all.five_hours.reset == reset) return minutes{300};
  return std::nullopt;
}

void add_limits(quota::outcome& out, const header_lookup& header, const attempt_view& attempt) {
  const auto all = read_limits(header);
  const bool shared = all.shared_window_used_up();
  const bool whole_account =
      shared || (all.unified.rejected() && !all.only_model_family() && !all.only_overage());
  if (whole_account && !attempt.claude_model_level) out.covers = quota::scope::credential;
  out.deadline = limit_reset(all, header, attempt.observed_at);
  out.exhausted = shared;
  if (shared && out.deadline) out.window = window_of(all, *out.deadline);
}

/// Fast requests are paid apart; their refusal says nothing about the ordinary quota.
bool lacks_fast_credit(const error_body& body, const header_lookup& header) {
  const auto text = lower(body.message());
  return contains_any(text, {"fast mode", "fast request"}) && contains_any(text, {"credit"}) &&
         !read_limits(header).any_rejected();
}

/// Anthropic reports an empty prepaid balance as a fault of the request.
bool lacks_balance(int status, const error_body& body) {
  return status == 400 &&
         lower(body.message()).find("credit balance is too low") != std::string::npos;
}

quota::outcome conclude(int status, const error_body& body, const header_lookup& header,
                        const attempt_view& attempt) {
  auto out = classify_shared(status, body, header, attempt);
  if (lacks_balance(status, body)) {
    out.kind = outcome_class::payment_required;
    out.covers = quota::scope::credential;
  } else if (out.kind == outcome_class::quota && lacks_fast_credit(body, header)) {
    out.kind = outcome_class::request_fault;
  } else if (out.kind == outcome_class::quota) {
    add_limits(out, header, attempt);
  } else if (out.kind != outcome_class::request_fault) {
    latest_reset latest{attempt.observed_at};
    latest.consider(true, retry_after(header, attempt.observed_at));
    out.deadline = latest.value();
  }
  if (out.deadline) {
    *out.deadline += std::chrono::seconds{std::clamp(attempt.fuzz_seconds, 0, fuzz_seconds_max)};
  }
  apply_surface_rules(out, attempt.surface);
  return out;
}

}  // namespace

quota::outcome classify(const reply_view& reply, const attempt_view& attempt) {
  return conclude(reply.status, error_body{reply.body}, reply.header, attempt);
}

quota::outcome classify_frame(const protocol::sse_frame& frame, const header_lookup& header,
                              const attempt_view& attempt) {
  const error_body body{frame.data};
  return conclude(status_of_messages_frame(body), body, header, attempt);
}

}  // namespace tidegate::provider::claude
