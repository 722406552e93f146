#pragma once
/// Host names to addresses. Requests for the same name share one look-up, and its answer serves
/// for a few seconds, so that a burst of new connections asks the system's resolver once. A wait
/// can be ended at any time although the system call behind it cannot. Any thread.
/// errc::io_failure: the name does not resolve.

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/error.hpp"
#include "http/client/parking.hpp"
#include "http/net/asio.hpp"

namespace tidegate::http::upstream {

inline constexpr std::size_t names_max = 1024;
inline constexpr std::size_t addresses_per_name_max = 16;
inline constexpr std::chrono::seconds name_lifetime{10};

using addresses = std::vector<asio::ip::address>;

class names : public std::enable_shared_from_this<names> {
 public:
  using answer = std::function<void(result<addresses>)>;
  /// Starts a look-up; the answer may come on any thread, also before this returns.
  using lookup = std::function<void(const std::string& host, answer)>;

  explicit names(lookup ask) : ask_(std::move(ask)) {}

  /// Literals are answered at once. On the caller's strand.
  awaitable<result<addresses>> resolve(std::string host, const strand& on, interruption& stop);

 private:
  struct pending {
    std::shared_ptr<const result<addresses>> found;  ///< null while the look-up runs
    std::chrono::steady_clock::time_point good_until{};
    std::vector<std::weak_ptr<parking>> waiting;
  };

  void finish(const std::string& host, const std::shared_ptr<pending>& entry,
              result<addresses> found);
  void make_room();

  lookup ask_;
  std::mutex guard_;
  std::unordered_map<std::string, std::shared_ptr<pending>> by_host_;
};

/// The system's resolver on its own thread.
names::lookup system_lookup(asio::io_context& io);

}  // namespace tidegate::http::upstream
