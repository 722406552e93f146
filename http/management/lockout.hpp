#pragma once
/// Wrong management keys per client address, and who is locked out because of them. A client on
/// the same machine is only held up for a moment: behind a local reverse proxy everybody is one
/// address, and an operator must never be shut out for long. Memory only, bounded.
/// Owner: the key gate, on its strand. Pure: `now` is a parameter. Rules: spec/config-management.md
/// 4.1 and 7.2.

#include "base/time.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace tidegate::http {

inline constexpr int lockout_failures = 5;  ///< in a row
inline constexpr std::chrono::minutes lockout_time{30};
inline constexpr std::chrono::seconds loopback_lockout_time{5};
/// Failures of an address that has been silent for this long are forgotten.
inline constexpr std::chrono::hours lockout_memory{2};
/// Beyond it the address that has been silent longest makes room, a free one before a locked one.
inline constexpr std::size_t lockout_addresses_max = 4096;

class lockout {
 public:
  /// How long this address must still wait; nullopt when it may try.
  std::optional<duration> remaining(const std::string& address, instant now) const;

  void failed(const std::string& address, bool loopback, instant now);
  void succeeded(const std::string& address) { seen_.erase(address); }
  std::size_t size() const { return seen_.size(); }

 private:
  struct record {
    int failures = 0;
    instant last{};
    instant locked_until{};
  };
  void make_room(instant now);

  std::unordered_map<std::string, record> seen_;
};

/// What counts as one address: an IPv4 address, or the /64 network of an IPv6 address, which is
/// what one subscriber usually holds. Text that is no address stands for itself.
std::string address_group(std::string_view peer);

}  // namespace tidegate::http
