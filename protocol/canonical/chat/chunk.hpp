#pragma once
/// One chunk of a Chat stream, or a whole answer, read in one pass into views: what its first
/// choice says. Internal to chat/.

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/canonical/event.hpp"
#include "protocol/canonical/text.hpp"

namespace tidegate::protocol::chat {

/// A piece of a tool call; members that are no strings, or empty, are empty.
struct call_fragment {
  std::int64_t index = -1;  ///< -1 = not said
  raw_text id;
  raw_text name;
  raw_text arguments;  ///< or the input of a custom tool
  std::string_view object;  ///< the arguments, where a server writes them as an object
  raw_text signature;
  bool custom = false;
};

struct chunk_citation {
  raw_text url;
  raw_text title;
  std::optional<std::int64_t> begin;
  std::optional<std::int64_t> end;
};

struct chunk {
  raw_text id;
  raw_text model;
  std::int64_t created = 0;
  bool has_choices = false;
  bool has_usage = false;
  bool is_error = false;
  raw_text type;           ///< of the frame itself: only keep-alives of some servers have one
  bool is_whole = false;  ///< a `message`, not a `delta`
  raw_text reasoning_content;
  raw_text reasoning;
  std::vector<raw_text> content;
  raw_text refusal;
  std::vector<call_fragment> calls;
  std::vector<raw_text> images;  ///< URLs
  std::vector<chunk_citation> citations;
  std::string_view logprobs;  ///< a list
  raw_text finish_reason;
  usage counts;
  failed_event error;
};

/// Keeps its buffers from frame to frame. Views of a chunk live until the next read.
class chunk_reader {
 public:
  /// False: the data is not a JSON object.
  bool read(std::string_view data);
  const chunk& last() const { return chunk_; }

 private:
  simdjson::ondemand::parser parser_;
  std::string buffer_;
  chunk chunk_;
};

}  // namespace tidegate::protocol::chat
