#pragma once
/// One measurement: sends one request again and again to a port of this machine and reports what it
/// saw. Bounded in time and connections; one thread.

#include <sys/types.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "bench/figures.hpp"
#include "bench/reply_reader.hpp"
#include "bench/sockets.hpp"

namespace tidegate::bench {

enum class shape : std::uint8_t {
  closed,   ///< each connection sends the next request when its answer is complete
  rate,     ///< requests at planned times; latency counts from the plan, not from the sending
  streams,  ///< `count` streams begun at planned times, each read to its end
  hold,     ///< `count` streams begun at planned times and left open once their first byte is there
};

struct load_options {
  shape how = shape::closed;
  std::uint16_t port = 0;
  std::string request;                ///< head and body as sent
  std::size_t connections = 64;       ///< closed: all of them; else the most at one time
  double per_second = 200;            ///< planned starts; not for closed
  std::size_t count = 100;            ///< streams, hold: how many
  std::chrono::duration<double> warm{1};   ///< closed, rate: before the figures count
  std::chrono::duration<double> span{5};   ///< closed, rate: how long they count; else the most
  std::vector<pid_t> watched;         ///< processes whose CPU time and memory are reported
};

class load_run {
 public:
  explicit load_run(load_options options);
  /// Runs to its end; one JSON object.
  std::string run();

 private:
  struct connection {
    descriptor socket;
    reply_reader reader;
    std::size_t sent = 0;
    steady::time_point planned;
    std::uint32_t generation = 0;  ///< tells events of an earlier socket apart
    bool is_busy = false;
    bool saw_body = false;
  };
  struct tally {
    std::size_t done = 0;
    std::size_t errors = 0;
    std::size_t first_bytes = 0;
    std::uint64_t body_bytes = 0;
    samples latency;  ///< plan to end
    samples ttfb;     ///< plan to first byte of the body
  };

  bool has_plan() const { return options_.how != shape::closed; }
  bool is_finished(steady::time_point now) const;
  void begin_window();
  void open(std::size_t index);
  void begin(std::size_t index, steady::time_point planned);
  void start_planned(steady::time_point now);
  void handle(std::size_t index);
  bool write(connection& on);
  void fail(std::size_t index);
  void complete(std::size_t index);
  void rest(std::size_t index);
  void note_first_byte(connection& on);
  bool counts(steady::time_point planned) const { return planned >= window_; }
  std::string report(steady::time_point until) const;

  load_options options_;
  poller poller_;
  std::vector<connection> connections_;
  std::vector<std::size_t> resting_;
  std::deque<steady::time_point> late_;  ///< planned requests that found no connection
  steady::time_point started_;
  steady::time_point window_;  ///< from here on figures count
  steady::time_point stop_;
  std::size_t planned_ = 0;
  bool is_measuring_ = false;
  tally tally_;
  usage before_;
  std::vector<char> buffer_;
};

}  // namespace tidegate::bench
