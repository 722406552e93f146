#pragma once
/// Memory that large request bodies may take over all connections, while they are read and while
/// they are answered. Bodies up to `free_body_bytes` are not counted: the number of connections
/// bounds them. Shared by all sessions; thread-safe.

#include <atomic>
#include <cstddef>

namespace tidegate::http {

inline constexpr std::size_t free_body_bytes = 64 * 1024;

class body_budget {
 public:
  explicit body_budget(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  std::size_t used() const { return used_.load(std::memory_order_relaxed); }

 private:
  friend class body_claim;
  const std::size_t bytes_max_;
  std::atomic<std::size_t> used_{0};
};

/// Half of the machine's memory, and not less than 1 GiB.
std::size_t default_bodies_bytes_max();

/// The share of one connection. Owner: its reader, on its strand.
class body_claim {
 public:
  explicit body_claim(body_budget& from) : from_(from) {}
  ~body_claim() { release(); }
  body_claim(const body_claim&) = delete;
  body_claim& operator=(const body_claim&) = delete;

  /// Grows the share to a body of this size; false when there is no room for it. A body that is
  /// alone always has room.
  bool cover(std::size_t bytes) {
    return bytes <= free_body_bytes || bytes <= claimed_ || grow_to(bytes);
  }
  void release();

 private:
  bool grow_to(std::size_t bytes);

  body_budget& from_;
  std::size_t claimed_ = 0;
};

}  // namespace tidegate::http
