#include "app/sim/run.hpp"

#include <fmt/core.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <iterator>

#include "app/sim/server.hpp"

namespace tidegate::sim {
namespace {

class system_clock final : public wall_clock {
 public:
  instant now() const noexcept override { return std::chrono::system_clock::now(); }
};

result<script> load(const std::string& path) {
  std::ifstream file{path, std::ios::binary};
  if (!file) return failed(errc::not_found, fmt::format("cannot read {}", path));
  std::string text;
  text.resize(script_bytes_max + 1);
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return parse_script(text);
}

}  // namespace

int run_sim(const options& what) {
  auto plan = load(what.script);
  if (!plan) {
    fmt::print(stderr, "tidegate sim: {}: {}\n", what.script, plan.error().detail);
    return 1;
  }
  const system_clock clock;
  boost::asio::io_context io{1};
  server upstream{io, std::move(*plan), clock, what.port};
  if (const auto started = upstream.start(); !started) {
    fmt::print(stderr, "tidegate sim: {}\n", started.error().detail);
    return 1;
  }
  boost::asio::signal_set signals{io, SIGINT, SIGTERM};
  signals.async_wait([&upstream](const boost::system::error_code&, int) { upstream.stop(); });
  fmt::print("sim listening on {}\n", upstream.url());
  std::fflush(stdout);
  io.run();
  return 0;
}

}  // namespace tidegate::sim
