#include "bench/load_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tidegate::bench {
namespace {

constexpr std::size_t late_max = 100'000;
constexpr std::size_t errors_max = 1000;
constexpr std::chrono::seconds grace{2};

double us_between(steady::time_point from, steady::time_point to) {
  return std::chrono::duration<double, std::micro>(to - from).count();
}

steady::duration rounded(std::chrono::duration<double> time) {
  return std::chrono::duration_cast<steady::duration>(time);
}

}  // namespace

load_run::load_run(load_options options) : options_(std::move(options)), buffer_(256 * 1024) {
  connections_.resize(options_.connections);
}

std::string load_run::run() {
  const bool is_timed = options_.how == shape::closed || options_.how == shape::rate;
  started_ = steady::now();
  window_ = started_ + (is_timed ? rounded(options_.warm) : steady::duration{});
  stop_ = window_ + rounded(options_.span);
  for (std::size_t i = 0; i < connections_.size(); ++i) {
    if (has_plan()) {
      resting_.push_back(i);
    } else {
      begin(i, started_);
    }
  }
  auto now = steady::now();
  while (!is_finished(now)) {
    if (!is_measuring_ && now >= window_) begin_window();
    if (has_plan()) start_planned(now);
    const auto step = has_plan() ? rounded(std::chrono::duration<double>{1 / options_.per_second})
                                 : steady::duration{std::chrono::milliseconds{50}};
    const auto next = has_plan() ? started_ + static_cast<steady::rep>(planned_) * step : now + step;
    for (const auto& event : poller_.wait_until(std::clamp(next, now, now + grace))) {
      const auto index = static_cast<std::size_t>(event.data.u64 & 0xffffffff);
      if (connections_[index].generation == event.data.u64 >> 32) handle(index);
    }
    now = steady::now();
  }
  if (options_.how == shape::hold) {
    // What the last answers set off has to be over before memory is read.
    while (steady::now() < now + std::chrono::seconds{1}) poller_.wait_until(now + grace / 2);
  }
  return report(now);
}

bool load_run::is_finished(steady::time_point now) const {
  if (tally_.errors > errors_max) return true;
  switch (options_.how) {
    case shape::closed: return now >= stop_;
    case shape::rate:
      return now >= stop_ + grace ||
             (now >= stop_ && late_.empty() && resting_.size() == connections_.size());
    case shape::streams:
      return now >= stop_ || tally_.done + tally_.errors >= options_.count;
    case shape::hold:
      return now >= stop_ || tally_.first_bytes + tally_.errors >= options_.count;
  }
  return true;
}

void load_run::begin_window() {
  is_measuring_ = true;
  tally_ = {};
  before_ = usage_of(options_.watched);
}

void load_run::open(std::size_t index) {
  auto& on = connections_[index];
  on.socket = connect_to(options_.port);
  ++on.generation;
  if (on.socket.is_open()) {
    poller_.add(on.socket, std::uint64_t{on.generation} << 32 | index);
  }
}

void load_run::begin(std::size_t index, steady::time_point planned) {
  auto& on = connections_[index];
  if (!on.socket.is_open()) open(index);
  on.reader.start();
  on.sent = 0;
  on.planned = planned;
  on.is_busy = true;
  on.saw_body = false;
  if (!on.socket.is_open() || !write(on)) fail(index);
}

void load_run::start_planned(steady::time_point now) {
  const auto step = rounded(std::chrono::duration<double>{1 / options_.per_second});
  const bool is_counted = options_.how != shape::rate;
  for (;;) {
    const auto when = started_ + static_cast<steady::rep>(planned_) * step;
    if (when > now || (is_counted ? planned_ >= options_.count : when >= stop_)) break;
    ++planned_;
    if (late_.size() < late_max) late_.push_back(when);
  }
  while (!late_.empty() && !resting_.empty()) {
    const auto index = resting_.back();
    resting_.pop_back();
    const auto when = late_.front();
    late_.pop_front();
    begin(index, when);
  }
}

bool load_run::write(connection& on) {
  const std::string_view request = options_.request;
  while (on.sent < request.size()) {
    std::size_t size = 0;
    const auto how = write_some(on.socket, request.substr(on.sent), size);
    if (how == io::ended) return false;
    if (how == io::blocked) return true;
    on.sent += size;
  }
  return true;
}

void load_run::handle(std::size_t index) {
  auto& on = connections_[index];
  if (on.is_busy && !write(on)) return fail(index);
  for (;;) {
    std::size_t size = 0;
    const auto how = read_some(on.socket, buffer_, size);
    if (how == io::blocked) return;
    if (!on.is_busy) {
      on.socket.close();
      return;
    }
    const auto now = how == io::ended ? on.reader.end()
                                      : on.reader.feed({buffer_.data(), size});
    if (now == reply_reader::state::broken) return fail(index);
    if (!on.saw_body && on.reader.body_bytes() > 0) note_first_byte(on);
    if (now == reply_reader::state::more) continue;
    const auto generation = on.generation;
    complete(index);
    if (on.generation != generation || !on.socket.is_open()) return;
  }
}

void load_run::note_first_byte(connection& on) {
  on.saw_body = true;
  if (!counts(on.planned)) return;
  ++tally_.first_bytes;
  tally_.ttfb.add(us_between(on.planned, steady::now()));
}

void load_run::fail(std::size_t index) {
  auto& on = connections_[index];
  on.socket.close();
  ++tally_.errors;
  rest(index);
}

void load_run::complete(std::size_t index) {
  auto& on = connections_[index];
  if (on.reader.status() != 200) {
    ++tally_.errors;
  } else if (counts(on.planned)) {
    ++tally_.done;
    tally_.body_bytes += on.reader.body_bytes();
    tally_.latency.add(us_between(on.planned, steady::now()));
  }
  if (!on.reader.keeps_alive()) on.socket.close();
  rest(index);
}

void load_run::rest(std::size_t index) {
  connections_[index].is_busy = false;
  if (has_plan()) {
    resting_.push_back(index);
  } else if (tally_.errors <= errors_max) {
    begin(index, steady::now());
  }
}

std::string load_run::report(steady::time_point until) const {
  const auto after = usage_of(options_.watched);
  const auto seconds = std::max(us_between(window_, std::min(until, stop_)), 0.0) / 1e6;
  const auto cpu_us = after.cpu_us - before_.cpu_us;
  const auto units = options_.how == shape::hold ? tally_.first_bytes : tally_.done;
  return fmt::format(
      R"({{"done":{},"errors":{},"first_bytes":{},"seconds":{:.3f},"per_second":{:.1f},)"
      R"("body_bytes":{},"latency_us":{},"ttfb_us":{},"cpu_us":{:.0f},"cpu_us_each":{:.2f},)"
      R"("resident_kib_before":{},"resident_kib":{}}})",
      tally_.done, tally_.errors, tally_.first_bytes, seconds,
      static_cast<double>(units) / std::max(seconds, 1e-9), tally_.body_bytes,
      tally_.latency.json(), tally_.ttfb.json(), cpu_us,
      units == 0 ? 0.0 : cpu_us / static_cast<double>(units), before_.resident_kib,
      after.resident_kib);
}

}  // namespace tidegate::bench
