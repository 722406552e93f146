#pragma once
/// A Chat stream as events. Source: spec/translation.md 3 and 4.4.
/// - Texts, thoughts and refusals are one item each until another kind follows.
/// - A tool call opens when its id and name are known, and closes with the answer: fragments of
///   several calls may come mixed. Repeated ids and names are harmless; another id at a known
///   index is another call. Without a name to the end it is called `tool_<n>`; without both id and
///   name it does not exist, unless the provider says that it ended with calls.
/// - The finish comes at `[DONE]` or the end of the body, so that a usage chunk behind the
///   finish_reason still counts.
/// - The end of the body without finish_reason or `[DONE]` is a failure. `[DONE]` alone is a good
///   end only when there is a text or a call, and no call is cut off.
/// Internal to chat/.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "protocol/canonical/chat/chunk.hpp"
#include "protocol/canonical/codec.hpp"

namespace tidegate::protocol::chat {

inline constexpr std::size_t calls_max = 4096;  ///< of one answer

class chat_decoder final : public stream_decoder {
 public:
  explicit chat_decoder(tool_names names) : names_(std::move(names)) {}

  void feed(const sse_frame& frame, std::vector<event>& into) override;
  void finish(std::vector<event>& into) override;
  /// The provider says that the answer ends here.
  void end_of_answer(std::vector<event>& into);

 private:
  struct call {
    std::string id;
    std::string name;
    std::string arguments;  ///< all of them so far
    std::string signature;
    tool_kind kind = tool_kind::function;
    bool unwrap = false;  ///< a custom tool that travels as a function
    bool closed = false;
    std::optional<std::uint32_t> item;  ///< open since the id and name are known
  };

  void start(const chunk& from, std::vector<event>& into);
  void apply(const chunk& from, std::vector<event>& into);
  void add_text(item_kind kind, raw_text text, std::vector<event>& into);
  void add_image(raw_text url, std::vector<event>& into);
  void add_citation(const chunk_citation& from, std::vector<event>& into);
  void add_fragment(const call_fragment& from, std::vector<event>& into);
  call* call_at(const call_fragment& from);
  void open_call(call& of, std::vector<event>& into);
  void close_call(call& of, std::size_t position, bool ended_with_calls, std::vector<event>& into);
  void close_text(std::vector<event>& into);
  void close_all(std::vector<event>& into);
  bool is_whole() const;
  finish_reason settled_reason() const;
  void fail(failed_event what, std::vector<event>& into);
  std::uint32_t open_item(item_start item, std::vector<event>& into);

  tool_names names_;
  chunk_reader reader_;
  std::string response_id_;
  std::vector<call> calls_;
  std::map<std::int64_t, std::size_t> call_by_index_;
  std::map<std::string, std::size_t, std::less<>> call_by_id_;
  std::optional<std::uint32_t> text_item_;
  item_kind text_kind_ = item_kind::text;
  std::uint32_t items_ = 0;
  std::string native_;  ///< the finish_reason
  bool started_ = false;
  bool ended_ = false;
  bool said_text_ = false;
  bool refused_ = false;
};

}  // namespace tidegate::protocol::chat
