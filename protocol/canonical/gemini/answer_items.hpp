#pragma once
/// Makes events of the parts of an answer: parts of one kind in a row are one item, a signed
/// thought ends its item, a call is whole. One object per answer. Spec: translation.md 1.3, 4.4, 5.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "protocol/canonical/event.hpp"
#include "protocol/canonical/tool_names.hpp"

namespace tidegate::protocol::gemini {

/// Plain texts; `arguments` is a JSON object or empty.
struct answer_part {
  std::optional<std::string> text;
  bool thought = false;
  std::string signature;
  std::string call_id;
  std::string name;
  std::string_view arguments;
  std::string mime;
  std::string base64;
};

/// Where an answer's statements come from; offsets are bytes of the text.
struct grounding {
  struct source {
    std::string url;
    std::string title;
  };
  struct support {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::vector<std::int64_t> sources;
  };
  std::vector<source> sources;
  std::vector<support> supports;
  std::vector<std::string> queries;  ///< that were searched for
};

class answer_items {
 public:
  explicit answer_items(tool_names names) : names_(std::move(names)) {}

  /// The start to send when something comes.
  void announce(start_event start) { start_ = std::move(start); }
  void start(std::vector<event>& into);
  bool started() const { return started_; }

  void add(const answer_part& part, std::vector<event>& into);
  /// Log probabilities of the text that is open, as a logprobs_event has them.
  void rate(std::string tokens, std::vector<event>& into);
  /// The latest counts go out with the finish, or at once behind it.
  void count(const usage& counts, std::vector<event>& into);
  grounding& found() { return grounding_; }
  /// `message` is the provider's own about the end. An end that is the model's failure is an event
  /// of failure, unless there is a whole call.
  void finish(const std::string& reason, std::string message, bool blocked,
              std::vector<event>& into);
  bool finished() const { return finished_; }

 private:
  void open(item_kind kind, std::vector<event>& into);
  void close(std::vector<event>& into);
  void sign(const std::string& token, std::vector<event>& into);
  void add_text(const answer_part& part, std::vector<event>& into);
  void add_call(const answer_part& part, std::vector<event>& into);
  void add_image(const answer_part& part, std::vector<event>& into);
  void cite(std::vector<event>& into);
  /// The provider's search as an item of its own: what was asked, and the sources as its citations.
  void tell_search(std::vector<event>& into);

  tool_names names_;
  start_event start_;
  grounding grounding_;
  std::optional<usage> counts_;
  std::optional<item_kind> open_;
  std::uint32_t next_ = 0;  ///< index of the next item
  std::string text_;        ///< of the open text item
  std::size_t calls_ = 0;
  bool started_ = false;
  bool finished_ = false;
};

}  // namespace tidegate::protocol::gemini
