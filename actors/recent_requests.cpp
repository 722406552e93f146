#include "actors/recent_requests.hpp"

namespace tidegate::actors {

std::int64_t recent_requests::number_of(instant at) {
  return std::chrono::floor<std::chrono::duration<std::int64_t, std::ratio<600>>>(
             at.time_since_epoch())
      .count();
}

void recent_requests::count(bool served, instant now) {
  const auto number = number_of(now);
  auto& slot = slots_[static_cast<std::size_t>(number) % periods];
  if (slot.number != number) {
    slot.number = number;
    slot.what = {from_unix(number * 600), 0, 0};
  }
  ++(served ? slot.what.served : slot.what.failed);
}

std::vector<http::recent_count> recent_requests::view(instant now) const {
  std::vector<http::recent_count> out;
  const auto last = number_of(now);
  for (auto number = last - static_cast<std::int64_t>(periods) + 1; number <= last; ++number) {
    const auto& slot = slots_[static_cast<std::size_t>(number) % periods];
    out.push_back(slot.number == number ? slot.what
                                        : http::recent_count{from_unix(number * 600), 0, 0});
  }
  return out;
}

}  // namespace tidegate::actors
