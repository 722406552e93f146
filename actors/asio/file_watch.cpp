#include "actors/asio/file_watch.hpp"

#include <sys/inotify.h>

#include <array>
#include <atomic>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <cstring>
#include <string_view>

#include "base/log.hpp"

namespace tidegate::actors {

namespace {

/// Our own writes into the credential directory are no news.
bool matters(std::string_view name) {
  for (const auto own : {".cds", ".tmp", ".corrupt", ".bak", ".lock"}) {
    if (name.ends_with(own)) return false;
  }
  return true;
}

/// Whether one batch of inotify events names anything that matters.
bool any_matters(std::string_view batch) {
  while (batch.size() >= sizeof(inotify_event)) {
    inotify_event event{};
    std::memcpy(&event, batch.data(), sizeof event);
    const auto size = sizeof event + event.len;
    if (size > batch.size()) return true;
    const std::string_view padded = batch.substr(sizeof event, event.len);
    if (matters(padded.substr(0, padded.find('\0')))) return true;
    batch.remove_prefix(size);
  }
  return false;
}

}  // namespace

struct file_watch::state : std::enable_shared_from_this<file_watch::state> {
  state(boost::asio::io_context& io, std::function<void()> on_change,
        std::function<void()> on_interval)
      : events(boost::asio::make_strand(io)),
        interval(events.get_executor()),
        changed(std::move(on_change)),
        look(std::move(on_interval)) {}

  void wait() {
    interval.expires_after(poll_interval);
    interval.async_wait([self = shared_from_this()](const boost::system::error_code& ec) {
      if (ec || self->stopped) return;
      self->look();
      self->wait();
    });
  }

  void read() {
    events.async_read_some(boost::asio::buffer(buffer),
                           [self = shared_from_this()](const boost::system::error_code& ec,
                                                       std::size_t size) {
                             if (ec || self->stopped) return;
                             if (any_matters({self->buffer.data(), size})) self->changed();
                             self->read();
                           });
  }

  boost::asio::posix::stream_descriptor events;
  boost::asio::steady_timer interval;
  std::function<void()> changed;
  std::function<void()> look;
  std::array<char, 16 * 1024> buffer{};
  std::atomic<bool> stopped{false};
};

file_watch::file_watch(boost::asio::io_context& io, const std::vector<std::string>& directories,
                       std::function<void()> changed, std::function<void()> look)
    : state_(std::make_shared<state>(io, std::move(changed), std::move(look))) {
  state_->wait();
  const int descriptor = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  if (descriptor < 0) {
    log::warn("no file change events on this system; changes are found by looking every 2 s");
    return;
  }
  state_->events.assign(descriptor);
  constexpr std::uint32_t kinds = IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE |
                                  IN_CREATE | IN_MODIFY | IN_ATTRIB;
  for (const auto& directory : directories) {
    inotify_add_watch(descriptor, directory.c_str(), kinds);
  }
  state_->read();
}

file_watch::~file_watch() {
  state_->stopped = true;
  boost::asio::post(state_->events.get_executor(), [state = state_] {
    boost::system::error_code ignored;
    state->events.close(ignored);
    state->interval.cancel();
  });
}

}  // namespace tidegate::actors
