#pragma once
/// Anthropic's unified rate-limit headers, read leniently. Values of statuses are lower-cased.

#include "provider/provider.hpp"

#include <optional>
#include <string>

namespace tidegate::provider::claude {

/// One bucket; an empty status and no reset when the provider did not mention it.
struct limit {
  std::string status;
  std::optional<instant> reset;

  bool rejected() const { return status == "rejected"; }
  bool allowed() const { return status == "allowed"; }
  bool open() const { return status == "allowed" || status == "allowed_warning"; }
};

struct limits {
  limit unified;
  limit five_hours;
  limit week;
  limit week_of_model;  ///< `7d_oi`, the bucket of one model family
  std::string overage;  ///< status of the pay-as-you-go bucket

  /// Only the model family's bucket is used up; other models go on.
  bool only_model_family() const;
  /// Only the pay-as-you-go bucket refuses; it has no window that reopens.
  bool only_overage() const;
  /// A shared window is used up and nothing else pays for it.
  bool shared_window_used_up() const;
  bool any_rejected() const;
};

limits read_limits(const header_lookup& header);

/// Unix seconds with or without fraction, RFC 3339, or an HTTP date.
std::optional<instant> parse_reset(std::string_view text);

}  // namespace tidegate::provider::claude
