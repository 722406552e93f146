#include "app/terminal.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <cstdio>
#include <cstdlib>

#include "app/account_files.hpp"
#include "base/text.hpp"
#include "provider/login/callback.hpp"

namespace tidegate::app {

namespace asio = boost::asio;
using http::no_throw;

namespace {

bool has_desktop() {
  for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY"}) {
    const char* value = std::getenv(name);
    if (value != nullptr && *value != '\0') return true;
  }
  return false;
}

/// A description of its own where the system gives one, so that no other program sees its flags.
int own_standard_input() {
  const int fd = ::open("/dev/stdin", O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  return fd >= 0 ? fd : ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
}

}  // namespace

bool open_browser(const std::string& url) {
  if (!has_desktop()) return false;
  posix_spawn_file_actions_t actions{};
  if (posix_spawn_file_actions_init(&actions) != 0) return false;
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::string program = "xdg-open";
  std::string page = url;
  const std::array<char*, 3> argv{program.data(), page.data(), nullptr};
  pid_t started = -1;
  const int wrong =
      posix_spawnp(&started, program.c_str(), &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return wrong == 0;
}

std::shared_ptr<pasted_answers> pasted_answers::from_terminal(
    const asio::any_io_executor& on, std::shared_ptr<http::login::answer_box> into) {
  return std::make_shared<pasted_answers>(on, own_standard_input(), std::move(into));
}

pasted_answers::pasted_answers(const asio::any_io_executor& on, int fd,
                               std::shared_ptr<http::login::answer_box> into)
    : into_(std::move(into)), input_(on), delay_(on) {
  if (fd < 0) return;
  flags_ = ::fcntl(fd, F_GETFL);
  boost::system::error_code ec;
  input_.assign(fd, ec);
  if (ec) ::close(fd);
}

pasted_answers::~pasted_answers() {
  stop();
}

void pasted_answers::stop() {
  stopped_ = true;
  delay_.cancel();
  if (!input_.is_open()) return;
  input_.cancel();
  const int fd = input_.release();
  if (flags_ >= 0) ::fcntl(fd, F_SETFL, flags_);
  ::close(fd);
}

bool pasted_answers::take_line(std::string_view line) {
  if (trimmed(line).empty()) return true;
  const auto found = into_->look_at(line);
  into_->take(found);
  if (into_->answered()) return false;
  std::printf("That is no answer to this login: %s.\n", printable(found.error().detail).c_str());
  std::fflush(stdout);
  return true;
}

http::awaitable<void> pasted_answers::run(std::shared_ptr<pasted_answers> self,
                                          std::chrono::milliseconds delay, bool last_hope) {
  self->delay_.expires_after(delay);
  co_await self->delay_.async_wait(no_throw);
  if (self->stopped_ || self->into_->answered()) co_return;
  std::printf(
      "If the browser cannot come back here, paste the address that it ends at (or CODE#STATE):\n");
  std::fflush(stdout);
  std::string text;
  std::array<char, 4096> piece{};
  bool wanted = true;
  while (wanted && !self->stopped_ && self->input_.is_open()) {
    const auto [ec, bytes] = co_await self->input_.async_read_some(asio::buffer(piece), no_throw);
    if (self->stopped_) co_return;
    text.append(piece.data(), bytes);
    if (ec && !text.empty()) text += '\n';
    for (auto end = text.find('\n'); wanted && end != std::string::npos; end = text.find('\n')) {
      wanted = self->take_line(std::string_view{text}.substr(0, end));
      text.erase(0, end + 1);
    }
    // What is longer is no answer, whatever follows.
    if (text.size() > provider::login::callback_bytes_max) text.assign(1, text.front());
    if (ec) break;
  }
  if (wanted && last_hope) {
    self->into_->take(failed(errc::cancelled, "the input ended before an answer came"));
  }
}

}  // namespace tidegate::app
