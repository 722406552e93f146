#pragma once
/// The process log: one line an event on stderr, levels from the configuration, never a secret.
/// Any thread may call these. Nothing on the path of a successful request logs above `debug`.

#include <fmt/format.h>

#include <functional>
#include <string>
#include <string_view>

namespace tidegate::log {

enum class level { debug, info, warn, error };

void set_level(level lowest);
bool enabled(level at);
void write(level at, std::string_view text);

/// Also hands each written line to `sink`, until it is replaced; for tests. Thread-safe.
void observe(std::function<void(level, std::string_view)> sink);

template <class... Args>
void debug(fmt::format_string<Args...> format, Args&&... args) {
  if (enabled(level::debug)) write(level::debug, fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void info(fmt::format_string<Args...> format, Args&&... args) {
  if (enabled(level::info)) write(level::info, fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void warn(fmt::format_string<Args...> format, Args&&... args) {
  if (enabled(level::warn)) write(level::warn, fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void error(fmt::format_string<Args...> format, Args&&... args) {
  if (enabled(level::error)) write(level::error, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace tidegate::log
