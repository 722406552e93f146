#pragma once
/// The person at the terminal during a login: a browser opened for them, and an answer that they
/// paste. On the executor of the answer box.

#include <boost/asio/posix/stream_descriptor.hpp>
#include <chrono>
#include <memory>
#include <string>

#include "http/login/answer_box.hpp"

namespace tidegate::app {

/// Starts the desktop's browser for the page, without a shell; false when there is no desktop or
/// it cannot be started.
bool open_browser(const std::string& url);

/// Reads answers from a descriptor beside whatever else waits for one.
class pasted_answers {
 public:
  /// The standard input; nothing is ever read when it cannot be.
  static std::shared_ptr<pasted_answers> from_terminal(
      const boost::asio::any_io_executor& on, std::shared_ptr<http::login::answer_box> into);
  /// Of `fd`, which it owns.
  pasted_answers(const boost::asio::any_io_executor& on, int fd,
                 std::shared_ptr<http::login::answer_box> into);
  ~pasted_answers();
  pasted_answers(const pasted_answers&) = delete;
  pasted_answers& operator=(const pasted_answers&) = delete;

  /// Asks for an answer after `delay`, and takes lines until one is an answer to the login, the
  /// input ends, or stop(). `last_hope`: nothing else can bring one, so the end of the input ends
  /// the login too. Keeps itself alive meanwhile.
  static http::awaitable<void> run(std::shared_ptr<pasted_answers> self,
                                   std::chrono::milliseconds delay, bool last_hope);
  void stop();

 private:
  /// Whether more is wanted.
  bool take_line(std::string_view line);

  std::shared_ptr<http::login::answer_box> into_;
  boost::asio::posix::stream_descriptor input_;
  boost::asio::steady_timer delay_;
  int flags_ = -1;  ///< of the descriptor, put back at the end
  bool stopped_ = false;
};

}  // namespace tidegate::app
