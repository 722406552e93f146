#pragma once
/// The gateway as a process: builds every part, in order, in one place, and takes them down in the
/// reverse order.

#include <string>

namespace tidegate::app {

/// Runs until SIGTERM or SIGINT, then drains; a second one ends the drain. SIGHUP reads the
/// configuration again. Exit code: 0 after a stop, whether requests were cut or not, 1 when it
/// could not start.
int serve_forever(const std::string& config_path);

}  // namespace tidegate::app
