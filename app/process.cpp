#include "app/process.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <iterator>

#include "app/named_files.hpp"
#include "app/runtime.hpp"
#include "base/log.hpp"

namespace tidegate::app {
namespace {

/// Blocks the signals in every thread, so that the main thread can wait for them.
sigset_t block_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  return set;
}

/// Whether the operator asked to stop once more. A SIGHUP has nothing left to reload.
bool asked_again(const sigset_t& signals) {
  const timespec at_once{};
  int signal = 0;
  while ((signal = sigtimedwait(&signals, nullptr, &at_once)) == SIGHUP) {}
  return signal > 0;
}

}  // namespace

int serve_forever(const std::string& config_path) {
  const auto signals = block_signals();
  runtime_options options;
  options.config_path = config_path;
  options.source = actors::file_config_source(config_path);
  options.first = options.source.read();
  auto problems = options.first.problems;
  bool usable = options.first.snapshot != nullptr;
  if (usable) {
    auto files = unusable_files(config_path, *options.first.snapshot);
    usable = files.empty();
    std::ranges::move(files, std::back_inserter(problems));
  }
  for (const auto& problem : problems) std::fprintf(stderr, "%s\n", problem.c_str());
  if (!usable) {
    std::fprintf(stderr, "tidegate: not started; correct the file and check it with: "
                         "tidegate check-config %s\n", config_path.c_str());
    return 1;
  }
  log::set_level(options.first.snapshot->log.debug ? log::level::debug : log::level::info);

  runtime gateway{std::move(options)};
  if (const auto started = gateway.start(); !started) {
    std::fprintf(stderr, "tidegate: not started: %s\n", started.error().detail.c_str());
    return 1;
  }
  std::printf("listening on %s\n", gateway.url().c_str());
  std::fflush(stdout);
  for (;;) {
    int signal = 0;
    if (sigwait(&signals, &signal) != 0) continue;
    if (signal == SIGHUP) {
      log::info("SIGHUP: reading the configuration again");
      gateway.reload();
      continue;
    }
    log::info("stopping: no new requests, running ones may finish; a second signal cuts them");
    gateway.drain_and_stop([&] { return asked_again(signals); });
    return 0;
  }
}

}  // namespace tidegate::app
