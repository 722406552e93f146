#pragma once
/// What a coding agent sends and gets, in any protocol: a long conversation with tools, and a
/// stream of text with a tool call at its end.

#include <cstddef>
#include <string>

#include "protocol/surface.hpp"

namespace tidegate::bench {

/// A request body of about `bytes`, with simdjson's padding behind its end.
std::string agent_turn(protocol::wire form, std::size_t bytes);

/// A stream with `events` deltas, as server-sent events.
std::string agent_stream(protocol::wire form, int events);

}  // namespace tidegate::bench
