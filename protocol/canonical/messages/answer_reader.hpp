#pragma once
/// An answer's blocks as events: what the decoders of streams and of whole bodies share. Events
/// come in legal order whatever is fed (event.hpp); a false answer means that the stream cannot be
/// trusted, and the caller fails it.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/canonical/event.hpp"
#include "protocol/canonical/json_in.hpp"
#include "protocol/canonical/parts.hpp"
#include "protocol/canonical/tool_names.hpp"

namespace tidegate::protocol::messages {

class answer_reader {
 public:
  explicit answer_reader(tool_names names) : names_(std::move(names)) {}

  bool started() const { return started_; }
  bool has_stop() const { return has_stop_; }

  /// A message without its content; a second one only adds to the usage.
  bool start(json_in::object message, std::vector<event>& into);
  bool open(std::int64_t block, json_in::object content, std::vector<event>& into);
  bool add(std::int64_t block, json_in::object delta, std::vector<event>& into);
  bool close(std::int64_t block, std::vector<event>& into);
  bool count(json_in::object usage, std::vector<event>& into);
  /// Reads stop_reason and stop_sequence.
  bool stop(json_in::object delta);
  /// Closes what is open, and the answer.
  void finish(std::vector<event>& into);

 private:
  /// Strings of a block or delta, as they are in the JSON.
  struct fields {
    std::string_view type, id, name, text, signature, data, json;
    std::vector<citation> citations;
  };
  struct open_block {
    std::int64_t block = 0;
    std::uint32_t index = 0;
    item_kind kind = item_kind::text;
    bool hidden = false;      ///< no item: the canonical model has none for it
    bool custom = false;      ///< arguments are wrapped: kept until the end
    bool has_arguments = false;
    std::string input;        ///< from the block's start; of a custom tool all of it
  };

  static bool read(json_in::object of, fields& out);
  static bool read_citation(json_in::value& v, fields& out);
  item_start item_of(const fields& given, open_block& made) const;
  void fill(open_block& to, const fields& given, std::vector<event>& into);
  void fill_text(open_block& to, std::string text, std::vector<event>& into);
  void end(open_block& what, std::vector<event>& into);
  open_block* find(std::int64_t block);

  tool_names names_;
  std::vector<open_block> open_;
  std::uint32_t items_ = 0;
  std::size_t calls_ = 0;
  bool started_ = false;
  bool has_stop_ = false;
  std::string stop_reason_;
  std::string stop_sequence_;
  std::optional<std::int64_t> fresh_input_, cache_read_, cache_write_, output_, thinking_;
};

}  // namespace tidegate::protocol::messages
