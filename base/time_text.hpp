#pragma once
/// Text forms of instants and durations. Parsers never throw and answer nullopt on bad input,
/// on overflow and on trailing text.

#include <optional>
#include <string>
#include <string_view>

#include "base/time.hpp"

namespace tidegate {

/// `2027-01-15T08:00:00Z` or with any fraction and offset. Go's zero time (0001-01-01...) parses
/// to nullopt: it means "none".
std::optional<instant> parse_rfc3339(std::string_view text);

/// UTC with a `Z`, fraction only when it is not zero (trailing zeros cut), as Go writes it.
std::string format_rfc3339(instant t);

/// The three forms of an HTTP date (RFC 9110 5.6.7).
std::optional<instant> parse_http_date(std::string_view text);

/// Go duration text: `1h2m3.5s`, `90s`, `1500ms`, `-2s`, `0`.
std::optional<duration> parse_go_duration(std::string_view text);

/// `45s`, `1m0s`, `2h0m0s`, `125h0m0s`: rounded to whole seconds, half away from zero; more than
/// zero but under one second is `1s`; zero and less is `0s` (spec: `reset_time`).
std::string format_reset_time(duration d);

/// Delay-seconds with an optional fraction, or an HTTP date, as a positive or zero wait from now;
/// nullopt when the text is neither or negative.
std::optional<duration> parse_retry_after(std::string_view text, instant now);

}  // namespace tidegate
