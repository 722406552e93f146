#pragma once
/// Whether the calls of an answer can be told to a client whose protocol has arguments as objects.
/// A function whose arguments are no object would be run without any there, as if the model had
/// asked for that: such an answer has failed, unless it was cut or filtered and says so.

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "protocol/canonical/event.hpp"
#include "protocol/surface.hpp"

namespace tidegate::protocol {

class call_check {
 public:
  /// What is wrong with the answer that ends with this event; nullopt = nothing.
  std::optional<std::string> check(const event& next);

 private:
  struct call {
    std::string name;
    std::string arguments;
  };
  void close(std::uint32_t index);

  std::unordered_map<std::uint32_t, call> open_;
  std::optional<std::string> broken_;  ///< the first call without an object
};

/// Protocols whose arguments are objects.
inline bool has_object_arguments(wire form) {
  return form == wire::anthropic_messages || form == wire::gemini;
}

}  // namespace tidegate::protocol
