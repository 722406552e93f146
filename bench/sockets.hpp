#pragma once
/// Loopback sockets and an epoll for the two benchmark programs. One thread. Whatever cannot be set
/// up ends the program with a message and status 1: a measurement cannot go on without it.

#include <sys/epoll.h>

#include <chrono>
#include <cstdint>
#include <span>
#include <string_view>

namespace tidegate::bench {

using steady = std::chrono::steady_clock;

[[noreturn]] void give_up(std::string_view what);

/// Owns one file descriptor.
class descriptor {
 public:
  descriptor() = default;
  explicit descriptor(int number) : number_(number) {}
  descriptor(descriptor&& other) noexcept;
  descriptor& operator=(descriptor&& other) noexcept;
  ~descriptor();
  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }
  void close();

 private:
  int number_ = -1;
};

/// A listening socket on 127.0.0.1; port 0 takes any free one. Not blocking.
descriptor listen_on(std::uint16_t port);
std::uint16_t port_of(const descriptor& socket);
/// A connection to 127.0.0.1 that may still be under way; not open when it was refused at once.
descriptor connect_to(std::uint16_t port);
/// The next waiting connection; not open when there is none.
descriptor accept_from(const descriptor& listener);

enum class io : std::uint8_t {
  moved,    ///< bytes were read or written
  blocked,  ///< not now
  ended,    ///< the peer closed or broke the connection
};

/// Reads what is there, at most the buffer; `size` gets the number of bytes.
io read_some(const descriptor& from, std::span<char> into, std::size_t& size);
/// Writes what fits; `size` gets the number of bytes.
io write_some(const descriptor& to, std::string_view bytes, std::size_t& size);

class poller {
 public:
  poller();
  /// Edge-triggered for reading and writing; `token` comes back with each event.
  void add(const descriptor& what, std::uint64_t token);
  /// Waits until an event or the instant, to the nanosecond. Returns the events.
  std::span<const epoll_event> wait_until(steady::time_point when);

 private:
  static constexpr std::size_t events_max = 512;
  descriptor epoll_;
  descriptor timer_;
  epoll_event events_[events_max];
};

}  // namespace tidegate::bench
