#pragma once
/// Who may use which connection: a bounded number of connections per origin, the most recently used
/// idle one first, and a first-come queue when all are busy. Idle connections past their lifetime
/// are dropped whenever the pool is used; there is no timer. Any thread; one short lock per call,
/// and sockets are closed outside it.
/// errc: limit_exceeded (the queue itself is full), unavailable (stopped).

#include <boost/intrusive/list.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/error.hpp"
#include "http/client/client.hpp"
#include "http/client/connection.hpp"
#include "http/client/parking.hpp"

namespace tidegate::http::upstream {

inline constexpr std::size_t waiters_per_origin_max = 1024;
inline constexpr std::size_t idle_connections_max = 4096;  ///< over all origins

class pool;
struct waiter;

struct bounds {
  std::size_t connections_max = 1;
  std::size_t idle_max = 0;
  std::chrono::steady_clock::duration lifetime{};
};

/// The right to one connection of an origin, with the connection once there is one. Destroying it
/// closes the connection and frees the place for the next waiter.
class lease {
 public:
  lease() = default;
  lease(lease&& other) noexcept;
  lease& operator=(lease&& other) noexcept;
  ~lease() { release(); }

  explicit operator bool() const { return from_ != nullptr; }
  connection* get() const { return held_.get(); }
  void set(std::unique_ptr<connection> made) { held_ = std::move(made); }
  void drop_connection() { held_.reset(); }

  /// Leaves the connection in the pool for the next request; the lease is empty afterwards.
  void put_back(const bounds& within);
  void release();

 private:
  friend class pool;
  lease(std::shared_ptr<pool> from, origin& at, std::unique_ptr<connection> held)
      : from_(std::move(from)), at_(&at), held_(std::move(held)) {}

  std::shared_ptr<pool> from_;
  origin* at_ = nullptr;
  std::unique_ptr<connection> held_;
};

/// A place in the queue. `bell` rings when `granted` or `refused` is set.
struct waiter {
  explicit waiter(const strand& on) : bell(std::make_shared<parking>(on)) {}

  std::shared_ptr<parking> bell;
  lease granted;
  bool refused = false;
};

/// Either a lease now, or a place in the queue.
struct ticket {
  lease ready;
  bool reused = false;
  std::shared_ptr<waiter> queued;
};

class pool : public std::enable_shared_from_this<pool> {
 public:
  pool();
  ~pool();

  /// `key` names scheme, host, port, proxy identity and trust anchors. An idle connection that has
  /// gone stale is closed and the next one is tried.
  result<ticket> take(std::string_view key, const bounds& within, const strand& on);
  /// Ends a wait. True when nothing had been granted; otherwise the caller owns `granted`.
  bool leave(std::string_view key, waiter& who);

  void count_dial();
  client_stats stats() const;
  /// Closes what is idle and refuses everything from now on.
  void stop();

 private:
  friend class lease;
  struct hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view s) const { return std::hash<std::string_view>{}(s); }
  };
  using closing = std::vector<std::unique_ptr<connection>>;

  void put_back(origin& at, std::unique_ptr<connection> c, const bounds& within);
  void release(origin& at);
  std::unique_ptr<connection> pop_newest(origin& at);
  void drop(connection& c, closing& out);
  void trim(std::chrono::steady_clock::time_point idle_before, closing& out);
  void hand_over(origin& at, std::unique_ptr<connection> c);
  void forget_if_unused(origin& at);

  mutable std::mutex guard_;
  std::unordered_map<std::string, std::unique_ptr<origin>, hash, std::equal_to<>> origins_;
  boost::intrusive::list<
      connection, boost::intrusive::member_hook<connection, boost::intrusive::list_member_hook<>,
                                                &connection::by_age>>
      idle_;  ///< every idle connection, the longest idle first
  std::size_t open_ = 0;
  std::uint64_t dialled_ = 0;
  std::uint64_t reused_ = 0;
  bool stopped_ = false;
};

}  // namespace tidegate::http::upstream
