#include "base/time_text.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <limits>

#include "base/text.hpp"

namespace tidegate {

namespace {

using std::chrono::nanoseconds;
using std::chrono::seconds;

constexpr std::uint64_t nanos_per_second = 1'000'000'000;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool take(std::string_view& text, std::string_view expected) {
  if (!text.starts_with(expected)) return false;
  text.remove_prefix(expected.size());
  return true;
}

/// Exactly `width` digits.
std::optional<int> take_number(std::string_view& text, std::size_t width) {
  if (text.size() < width) return std::nullopt;
  int value = 0;
  for (std::size_t i = 0; i < width; ++i) {
    if (!is_digit(text[i])) return std::nullopt;
    value = value * 10 + (text[i] - '0');
  }
  text.remove_prefix(width);
  return value;
}

template <std::size_t N>
std::optional<int> take_name(std::string_view& text, const std::array<std::string_view, N>& names) {
  for (std::size_t i = 0; i < N; ++i) {
    if (take(text, names[i])) return static_cast<int>(i);
  }
  return std::nullopt;
}

/// Digits of a fraction as nanoseconds; digits after the ninth are cut.
std::optional<nanoseconds> take_fraction(std::string_view& text) {
  std::int64_t value = 0;
  std::int64_t place = nanos_per_second / 10;
  std::size_t used = 0;
  for (; used < text.size() && is_digit(text[used]); ++used) {
    value += (text[used] - '0') * place;
    place /= 10;
  }
  if (used == 0) return std::nullopt;
  text.remove_prefix(used);
  return nanoseconds{value};
}

struct clock_time {
  int hour = 0;
  int minute = 0;
  int second = 0;
};

std::optional<clock_time> take_clock(std::string_view& text) {
  const auto hour = take_number(text, 2);
  if (!hour || *hour > 23 || !take(text, ":")) return std::nullopt;
  const auto minute = take_number(text, 2);
  if (!minute || *minute > 59 || !take(text, ":")) return std::nullopt;
  const auto second = take_number(text, 2);
  if (!second || *second > 59) return std::nullopt;
  return clock_time{*hour, *minute, *second};
}

std::optional<instant> compose(int year, int month, int day, const clock_time& at,
                               seconds offset = {}, nanoseconds fraction = {}) {
  const std::chrono::year_month_day date{std::chrono::year{year},
                                         std::chrono::month{static_cast<unsigned>(month)},
                                         std::chrono::day{static_cast<unsigned>(day)}};
  if (!date.ok()) return std::nullopt;
  const seconds total = std::chrono::sys_days{date}.time_since_epoch() +
                        std::chrono::hours{at.hour} + std::chrono::minutes{at.minute} +
                        seconds{at.second} - offset;
  constexpr auto lowest = std::chrono::ceil<seconds>(nanoseconds::min());
  constexpr auto highest = std::chrono::floor<seconds>(nanoseconds::max()) - seconds{1};
  if (total < lowest || total > highest) return std::nullopt;
  return instant{total} + fraction;
}

std::optional<seconds> take_offset(std::string_view& text) {
  if (take(text, "Z") || take(text, "z")) return seconds{0};
  const bool west = text.starts_with('-');
  if (!take(text, "+") && !take(text, "-")) return std::nullopt;
  const auto hours = take_number(text, 2);
  if (!hours || *hours > 23 || !take(text, ":")) return std::nullopt;
  const auto minutes = take_number(text, 2);
  if (!minutes || *minutes > 59) return std::nullopt;
  const seconds offset{*hours * 3600 + *minutes * 60};
  return west ? -offset : offset;
}

constexpr std::array<std::string_view, 12> month_names{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                       "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
constexpr std::array<std::string_view, 7> day_names{"Mon", "Tue", "Wed", "Thu",
                                                    "Fri", "Sat", "Sun"};
constexpr std::array<std::string_view, 7> long_day_names{
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"};

std::optional<instant> finish_gmt(std::string_view text, int year, int month, int day) {
  const auto at = take_clock(text);
  if (!at || text != " GMT") return std::nullopt;
  return compose(year, month, day, *at);
}

/// After the comma and space: `06 Nov 1994 08:49:37 GMT`.
std::optional<instant> parse_fixed_date(std::string_view text) {
  const auto day = take_number(text, 2);
  if (!day || !take(text, " ")) return std::nullopt;
  const auto month = take_name(text, month_names);
  if (!month || !take(text, " ")) return std::nullopt;
  const auto year = take_number(text, 4);
  if (!year || !take(text, " ")) return std::nullopt;
  return finish_gmt(text, *year, *month + 1, *day);
}

/// `06-Nov-94 08:49:37 GMT`; 69 to 99 are of the last century, as Go reads them.
std::optional<instant> parse_rfc850_date(std::string_view text) {
  const auto day = take_number(text, 2);
  if (!day || !take(text, "-")) return std::nullopt;
  const auto month = take_name(text, month_names);
  if (!month || !take(text, "-")) return std::nullopt;
  const auto year = take_number(text, 2);
  if (!year || !take(text, " ")) return std::nullopt;
  return finish_gmt(text, *year + (*year >= 69 ? 1900 : 2000), *month + 1, *day);
}

/// `Nov  6 08:49:37 1994`
std::optional<instant> parse_asctime_date(std::string_view text) {
  const auto month = take_name(text, month_names);
  if (!month || !take(text, " ")) return std::nullopt;
  const auto day = take(text, " ") ? take_number(text, 1) : take_number(text, 2);
  if (!day || !take(text, " ")) return std::nullopt;
  const auto at = take_clock(text);
  if (!at || !take(text, " ")) return std::nullopt;
  const auto year = take_number(text, 4);
  if (!year || !text.empty()) return std::nullopt;
  return compose(*year, *month + 1, *day, *at);
}

std::optional<std::uint64_t> take_unit(std::string_view& text) {
  struct unit {
    std::string_view name;
    std::uint64_t nanos;
  };
  // Longer names first; the two spellings of micro are U+00B5 and U+03BC.
  constexpr std::array<unit, 8> units{{{"ns", 1},
                                       {"us", 1'000},
                                       {"\xC2\xB5s", 1'000},
                                       {"\xCE\xBCs", 1'000},
                                       {"ms", 1'000'000},
                                       {"s", nanos_per_second},
                                       {"m", 60 * nanos_per_second},
                                       {"h", 3600 * nanos_per_second}}};
  for (const unit& candidate : units) {
    if (take(text, candidate.name)) return candidate.nanos;
  }
  return std::nullopt;
}

constexpr std::uint64_t magnitude_max = std::uint64_t{1} << 63;

/// One `12.5s`, as nanoseconds. Fraction digits after the eighteenth are cut.
std::optional<std::uint64_t> take_part(std::string_view& text) {
  constexpr std::uint64_t scale_max = 1'000'000'000'000'000'000;
  std::uint64_t whole = 0;
  std::uint64_t fraction = 0;
  std::uint64_t scale = 1;
  std::size_t digits = 0;
  for (; !text.empty() && is_digit(text.front()); text.remove_prefix(1), ++digits) {
    if (whole > magnitude_max / 10) return std::nullopt;
    whole = whole * 10 + static_cast<std::uint64_t>(text.front() - '0');
  }
  if (take(text, ".")) {
    for (; !text.empty() && is_digit(text.front()); text.remove_prefix(1), ++digits) {
      if (scale == scale_max) continue;
      fraction = fraction * 10 + static_cast<std::uint64_t>(text.front() - '0');
      scale *= 10;
    }
  }
  if (digits == 0) return std::nullopt;
  const auto unit = take_unit(text);
  if (!unit || whole > magnitude_max / *unit) return std::nullopt;
  using wide = unsigned __int128;
  return whole * *unit + static_cast<std::uint64_t>(wide{fraction} * *unit / scale);
}

}  // namespace

std::optional<instant> parse_rfc3339(std::string_view text) {
  const auto year = take_number(text, 4);
  if (!year || !take(text, "-")) return std::nullopt;
  const auto month = take_number(text, 2);
  if (!month || !take(text, "-")) return std::nullopt;
  const auto day = take_number(text, 2);
  if (!day || !(take(text, "T") || take(text, "t"))) return std::nullopt;
  const auto at = take_clock(text);
  if (!at) return std::nullopt;
  nanoseconds fraction{0};
  if (take(text, ".")) {
    const auto digits = take_fraction(text);
    if (!digits) return std::nullopt;
    fraction = *digits;
  }
  const auto offset = take_offset(text);
  if (!offset || !text.empty()) return std::nullopt;
  return compose(*year, *month, *day, *at, *offset, fraction);
}

std::string format_rfc3339(instant t) {
  const auto day = std::chrono::floor<std::chrono::days>(t);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss<nanoseconds> at{t - day};
  std::string text = fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", int{date.year()},
                                 unsigned{date.month()}, unsigned{date.day()}, at.hours().count(),
                                 at.minutes().count(), at.seconds().count());
  if (at.subseconds().count() != 0) {
    text += fmt::format(".{:09}", at.subseconds().count());
    text.erase(text.find_last_not_of('0') + 1);
  }
  text += 'Z';
  return text;
}

std::optional<instant> parse_http_date(std::string_view text) {
  std::string_view rest = text;
  if (take_name(rest, long_day_names) && take(rest, ", ")) return parse_rfc850_date(rest);
  rest = text;
  if (!take_name(rest, day_names)) return std::nullopt;
  if (take(rest, ", ")) return parse_fixed_date(rest);
  if (take(rest, " ")) return parse_asctime_date(rest);
  return std::nullopt;
}

std::optional<duration> parse_go_duration(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (text == "0") return duration{0};
  if (text.empty()) return std::nullopt;
  std::uint64_t total = 0;
  while (!text.empty()) {
    const auto part = take_part(text);
    if (!part || *part > magnitude_max - total) return std::nullopt;
    total += *part;
  }
  if (total == magnitude_max) {
    if (!negative) return std::nullopt;
    return duration::min();
  }
  const auto nanos = static_cast<std::int64_t>(total);
  return duration{negative ? -nanos : nanos};
}

std::string format_reset_time(duration d) {
  if (d <= duration::zero()) return "0s";
  auto total = std::chrono::duration_cast<seconds>(d);
  if (total.count() == 0) return "1s";
  if (d - total >= std::chrono::milliseconds{500}) ++total;
  const auto hours = total.count() / 3600;
  const auto minutes = total.count() / 60 % 60;
  const auto rest = total.count() % 60;
  if (hours > 0) return fmt::format("{}h{}m{}s", hours, minutes, rest);
  if (minutes > 0) return fmt::format("{}m{}s", minutes, rest);
  return fmt::format("{}s", rest);
}

std::optional<duration> parse_retry_after(std::string_view text, instant now) {
  text = trimmed(text);
  if (const auto date = parse_http_date(text)) {
    if (*date <= now) return duration::zero();
    std::int64_t wait = 0;
    if (__builtin_sub_overflow(date->time_since_epoch().count(), now.time_since_epoch().count(),
                               &wait)) {
      return std::nullopt;
    }
    return duration{wait};
  }
  if (text.empty() || !is_digit(text.front())) return std::nullopt;
  constexpr std::int64_t seconds_max = std::numeric_limits<std::int64_t>::max() / 1'000'000'000 - 1;
  std::int64_t whole = 0;
  for (; !text.empty() && is_digit(text.front()); text.remove_prefix(1)) {
    whole = whole * 10 + (text.front() - '0');
    if (whole > seconds_max) return std::nullopt;
  }
  nanoseconds fraction{0};
  if (take(text, ".")) {
    const auto digits = take_fraction(text);
    if (!digits) return std::nullopt;
    fraction = *digits;
  }
  if (!text.empty()) return std::nullopt;
  return seconds{whole} + fraction;
}

}  // namespace tidegate
