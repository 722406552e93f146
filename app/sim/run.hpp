#pragma once
/// `tidegate sim`: serves a script file until SIGTERM or SIGINT.

#include <cstdint>
#include <string>

namespace tidegate::sim {

struct options {
  std::string script;         ///< path of the YAML file
  std::uint16_t port = 8318;  ///< on 127.0.0.1; 0 = any free port
};

/// Prints `sim listening on http://127.0.0.1:PORT` on stdout once it answers. Returns the exit
/// status: 0 after a signal, 1 when the file or the port cannot be used (the reason on stderr).
int run_sim(const options& what);

}  // namespace tidegate::sim
