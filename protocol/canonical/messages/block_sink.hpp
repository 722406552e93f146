#pragma once
/// Where the blocks of an answer go, one open at a time: into the frames of a stream or into a
/// whole body. Each block is opened, filled and closed, or given as a whole.

#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/canonical/event.hpp"

namespace tidegate::protocol::messages {

enum class block_kind : std::uint8_t { text, thinking, tool_use, server_tool_use };

class block_sink {
 public:
  virtual ~block_sink() = default;
  /// Id and name of tools only.
  virtual void open(block_kind kind, std::string_view id, std::string_view name) = 0;
  /// Text, thinking or JSON of the input, by the kind of the open block.
  virtual void add(std::string_view text) = 0;
  virtual void sign(std::string_view token) = 0;
  virtual void cite(const citation_added& citation) = 0;
  virtual void close() = 0;
  /// A block that has no deltas, as JSON.
  virtual void whole(std::string_view json) = 0;
};

/// The value of a citation.
std::string citation_json(const citation_added& citation);

}  // namespace tidegate::protocol::messages
