#include "http/management/lockout.hpp"

#include <boost/asio/ip/address.hpp>

#include <algorithm>
#include <tuple>

namespace tidegate::http {

namespace asio = boost::asio;

std::optional<duration> lockout::remaining(const std::string& address, instant now) const {
  const auto found = seen_.find(address);
  if (found == seen_.end() || found->second.locked_until <= now) return std::nullopt;
  // A clock that was set back must not make the wait longer than it ever was.
  return std::min<duration>(found->second.locked_until - now, lockout_time);
}

void lockout::failed(const std::string& address, bool loopback, instant now) {
  if (!seen_.contains(address) && seen_.size() >= lockout_addresses_max) make_room(now);
  auto& own = seen_[address];
  const bool served = own.locked_until != instant{} && own.locked_until <= now;
  if (served || now - own.last > lockout_memory) own = {};
  own.last = now;
  if (++own.failures < lockout_failures) return;
  own.locked_until = now + (loopback ? duration{loopback_lockout_time} : duration{lockout_time});
}

void lockout::make_room(instant now) {
  std::erase_if(seen_, [&](const auto& entry) {
    return entry.second.locked_until <= now && now - entry.second.last > lockout_memory;
  });
  if (seen_.size() < lockout_addresses_max) return;
  const auto order = [now](const auto& entry) {
    return std::tuple{entry.second.locked_until > now, entry.second.last};
  };
  seen_.erase(std::ranges::min_element(seen_, {}, order));
}

std::string address_group(std::string_view peer) {
  boost::system::error_code ec;
  const auto address = asio::ip::make_address(std::string{peer}, ec);
  if (ec || address.is_v4()) return std::string{peer};
  const auto whole = address.to_v6();
  if (whole.is_v4_mapped())
    return asio::ip::make_address_v4(asio::ip::v4_mapped, whole).to_string();
  auto bytes = whole.to_bytes();
  std::ranges::fill(bytes.begin() + 8, bytes.end(), static_cast<unsigned char>(0));
  return asio::ip::address_v6{bytes}.to_string() + "/64";
}

}  // namespace tidegate::http
