#pragma once
/// The items of an answer as blocks of Messages, in the order of their opening. One block is open
/// at a time: what comes for other items waits until it is closed (translation.md 4.4). An item
/// that says nothing makes no block. Text and calls cannot be signed here: their token goes into a
/// thinking block behind them. Images are dropped; a web search becomes a pair of blocks.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "protocol/canonical/event.hpp"
#include "protocol/canonical/messages/block_sink.hpp"

namespace tidegate::protocol::messages {

struct waiting_item {
  item_start start;
  std::vector<event> content;
  bool ended = false;
};

/// The item whose block may be written.
struct active_item {
  item_start start;
  bool open = false;       ///< its block is
  bool filled = false;     ///< something was added
  std::uint32_t part = 0;  ///< of the summary
  std::string kept;        ///< arguments that go out in one piece
  std::string found;       ///< results of a search
  signature_event token;
};

class block_sequence {
 public:
  /// `answer_id` goes into the ids of calls that came without one.
  block_sequence(block_sink& into, std::string answer_id)
      : sink_(into), answer_id_(std::move(answer_id)) {}

  /// Items and what fills them; other events are not for it.
  void on(const event& what);
  /// Closes what is open.
  void finish();
  std::size_t calls() const { return calls_; }

 private:
  void activate(const item_start& what);
  void fill(const event& what);
  void fill_text(std::string_view text);
  void fill_reasoning(const reasoning_delta& what);
  void fill_arguments(std::string_view text);
  void end_active();
  void end_reasoning();
  void end_call();
  void add_result(const citation_added& what);
  void end_search();
  void carry_token();
  void open_block(block_kind kind);
  void close_block();
  void advance();
  std::string call_id(const item_start& what);

  block_sink& sink_;
  std::string answer_id_;
  std::optional<active_item> active_;
  std::vector<waiting_item> waiting_;
  std::size_t calls_ = 0;
  std::size_t images_ = 0;  ///< that could not be shown
  bool said_ = false;       ///< a block was opened
};

}  // namespace tidegate::protocol::messages
