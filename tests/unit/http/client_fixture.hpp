#pragma once
/// For the upstream client's tests: a harness that runs calls against scripted servers to their end.

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/client/client.hpp"
#include "tests/support/script_server.hpp"

namespace tidegate::http::testing {

using test::peer;
using test::script_server;
using test::simple_answer;
using test::transcript;

struct answer {
  std::optional<error> failure;
  bool head = false;  ///< a response head came
  int status = 0;
  std::vector<std::pair<std::string, std::string>> headers;
  std::optional<std::uint64_t> length;
  std::string body;
  int pieces = 0;

  std::optional<std::string> header(std::string_view name) const;
};

/// One call under way. `pieces_max`: the response is destroyed after so many pieces.
class running {
 public:
  answer got;
  bool finished = false;
  bool has_head() const { return got.head; }
  void cancel();

 private:
  friend class harness;
  provider::upstream_request request_;
  std::string body_;
  std::unique_ptr<watchdog> timeouts_;
  std::unique_ptr<upstream_call> call_;
  std::unique_ptr<upstream_response> response_;
};

class harness {
 public:
  harness();
  ~harness();

  request_options options;
  std::string proxy;

  /// To the end of the body or the first failure.
  answer get(const std::string& url);
  answer send(provider::upstream_request request);
  /// Does not run anything yet.
  std::shared_ptr<running> begin(provider::upstream_request request, int pieces_max = -1);
  std::shared_ptr<running> begin_get(const std::string& url, int pieces_max = -1);
  void finish(running& call);
  void run_until(const std::function<bool()>& reached);
  /// Runs what is ready, waits for nothing.
  void poll() {
    io_.restart();
    io_.poll();
  }
  /// `per_caller` calls after each other from each of `callers` strands on two threads; the number
  /// of those that ended with `expected`.
  int hammer(const std::string& url, int callers, int per_caller, std::string_view expected);

  client_stats stats() const { return client_.stats(); }
  client& upstream() { return client_; }
  asio::io_context& io() { return io_; }

 private:
  awaitable<void> drive(std::shared_ptr<running> call, int pieces_max);
  awaitable<void> drive_many(std::string url, int calls, std::string_view expected,
                             std::atomic<int>& good, strand on);

  asio::io_context io_;
  client client_;
};

provider::upstream_request get_request(const std::string& url);
/// `body` must outlive the call.
provider::upstream_request post_request(const std::string& url, std::string_view body);
std::size_t open_descriptors();

}  // namespace tidegate::http::testing
