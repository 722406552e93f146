#pragma once
/// The output items of one answer while they grow: matches what arrives to its item, opens the
/// canonical item when there is something to say, passes on only what was not said before, so that
/// a delta, its `done`, the finished item and the terminal output may each bring the rest. One
/// object per answer. Items and summary parts are bounded; `overgrown` tells that a bound was met.
/// Rules: translation.md 4.4 (Codex side): interleaved calls, names that come late, calls without a
/// name left out, reasoning with nothing but a token kept.

#include <cstdint>
#include <deque>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/canonical/event.hpp"
#include "protocol/canonical/tool_names.hpp"

namespace tidegate::protocol::responses {

/// How an event names its item; either may be missing.
struct item_ref {
  std::string_view id;
  std::int64_t output_index = -1;
};

enum class delta_kind : std::uint8_t { text, refusal, summary, thought, arguments, input };

class answer_items {
 public:
  explicit answer_items(tool_names names) : names_(std::move(names)) {}

  void added(item_ref ref, const nlohmann::json& item, std::vector<event>& into);
  /// `part` is the summary or content index.
  void delta(item_ref ref, delta_kind kind, std::int64_t part, std::string_view text,
             std::vector<event>& into);
  /// The whole text of what deltas brought in pieces.
  void whole(item_ref ref, delta_kind kind, std::int64_t part, std::string_view text,
             std::vector<event>& into);
  void annotation(item_ref ref, const nlohmann::json& what, std::vector<event>& into);
  /// Log probabilities, a list; `is_whole` repeats what deltas may have brought.
  void logprobs(item_ref ref, std::string_view list, bool is_whole, std::vector<event>& into);
  void partial_image(item_ref ref, const nlohmann::json& frame, std::vector<event>& into);
  void done(item_ref ref, const nlohmann::json& item, std::vector<event>& into);
  /// Closes what is open.
  void close_all(std::vector<event>& into);

  bool called() const { return called_; }  ///< at least one whole tool call
  bool refused() const { return refused_; }
  bool overgrown() const { return overgrown_; }

 private:
  struct channel {
    bool open = false;
    bool closed = false;
    std::uint32_t index = 0;
    std::string said;
  };
  struct thought_part {
    std::int64_t wire_index = 0;
    std::string said;
  };
  enum class thought_form : std::uint8_t { none, summary, content };
  struct item {
    std::string type;
    std::string id;
    std::string call_id;
    std::string name;
    std::string name_space;
    std::string encrypted;
    std::int64_t output_index = -1;
    channel main;     ///< text, thinking, arguments, an image
    channel refusal;  ///< of a message
    thought_form form = thought_form::none;
    std::vector<thought_part> thoughts;
    std::size_t annotations = 0;
    bool has_logprobs = false;
    bool closed = false;
  };

  item* find(item_ref ref, std::string_view type, std::string_view call_id);
  item* find_or_make(item_ref ref, std::string_view type, std::string_view call_id);
  void learn(item& it, const nlohmann::json& from);
  void open(item& it, channel& at, item_kind kind, std::vector<event>& into);
  void say(item& it, channel& at, delta_kind kind, std::string_view text, std::vector<event>& into);
  void say_thought(item& it, delta_kind kind, std::int64_t part, std::string_view text,
                   bool is_whole, std::vector<event>& into);
  void try_open_call(item& it, std::vector<event>& into);
  void close(channel& at, std::vector<event>& into);
  void add_logprobs(item& it, std::string_view list, std::vector<event>& into);
  void cite(item& it, const nlohmann::json& what, std::vector<event>& into);

  void finish_message(item& it, const nlohmann::json& from, std::vector<event>& into);
  void finish_reasoning(item& it, const nlohmann::json& from, std::vector<event>& into);
  void finish_call(item& it, const nlohmann::json& from, std::vector<event>& into);
  void finish_image(item& it, const nlohmann::json& from, std::vector<event>& into);
  void finish_server(item& it, const nlohmann::json& from, std::vector<event>& into);

  tool_names names_;
  std::deque<item> items_;
  std::uint32_t opened_ = 0;
  bool called_ = false;
  bool refused_ = false;
  bool overgrown_ = false;
};

/// What of the whole text was not said yet; nothing when the two differ.
inline std::string_view rest_of(std::string_view whole, std::string_view said) {
  return whole.starts_with(said) ? whole.substr(said.size()) : std::string_view{};
}

/// Members of a DOM object that may be anything.
std::string text_of(const nlohmann::json& from, const char* key);
std::int64_t integer_of(const nlohmann::json& from, const char* key, std::int64_t otherwise);
const nlohmann::json& member_of(const nlohmann::json& from, const char* key);

}  // namespace tidegate::protocol::responses
