#include "base/log.hpp"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <mutex>

namespace tidegate::log {
namespace {

spdlog::level::level_enum native(level at) {
  switch (at) {
    case level::debug: return spdlog::level::debug;
    case level::info: return spdlog::level::info;
    case level::warn: return spdlog::level::warn;
    case level::error: return spdlog::level::err;
  }
  return spdlog::level::err;
}

spdlog::logger& logger() {
  static const auto instance = [] {
    auto made = std::make_shared<spdlog::logger>(
        "tidegate", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made->set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %l %v", spdlog::pattern_time_type::utc);
    made->flush_on(spdlog::level::info);
    return made;
  }();
  return *instance;
}

std::mutex observer_mutex;
std::function<void(level, std::string_view)> observer;

}  // namespace

void set_level(level lowest) { logger().set_level(native(lowest)); }

bool enabled(level at) { return logger().should_log(native(at)); }

void write(level at, std::string_view text) {
  logger().log(native(at), "{}", text);
  const std::lock_guard guard{observer_mutex};
  if (observer) observer(at, text);
}

void observe(std::function<void(level, std::string_view)> sink) {
  const std::lock_guard guard{observer_mutex};
  observer = std::move(sink);
}

}  // namespace tidegate::log
