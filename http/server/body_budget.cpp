#include "http/server/body_budget.hpp"

#include <unistd.h>

#include <algorithm>
#include <utility>

namespace tidegate::http {

std::size_t default_bodies_bytes_max() {
  constexpr std::size_t least = std::size_t{1} << 30;
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page = ::sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page <= 0) return least;
  return std::max(least, static_cast<std::size_t>(pages) / 2 * static_cast<std::size_t>(page));
}

bool body_claim::grow_to(std::size_t bytes) {
  const auto wanted = (bytes + free_body_bytes - 1) / free_body_bytes * free_body_bytes;
  const auto more = wanted - claimed_;
  const auto before = from_.used_.fetch_add(more, std::memory_order_relaxed);
  if (before + more > from_.bytes_max_ && before != claimed_) {
    from_.used_.fetch_sub(more, std::memory_order_relaxed);
    return false;
  }
  claimed_ = wanted;
  return true;
}

void body_claim::release() {
  if (claimed_ == 0) return;
  from_.used_.fetch_sub(std::exchange(claimed_, 0), std::memory_order_relaxed);
}

}  // namespace tidegate::http
