#pragma once
/// What the readers of the four protocols share while they hear a conversation: members of a body
/// whose shape is proven, the calls that wait for their results, media and schemas. Pure.

#include <deque>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "app/sim/conversation.hpp"

namespace tidegate::sim {

/// A string member; empty when it is absent or null.
std::string text_in(const nlohmann::ordered_json& object, std::string_view key);
/// Any member; null when it is absent.
const nlohmann::ordered_json& member_in(const nlohmann::ordered_json& object, std::string_view key);

class listener {
 public:
  conversation out;

  /// The first objection stays.
  void object(std::string what);
  bool objects() const { return objection_.has_value(); }
  heard done();

  void system(const std::string& text);
  /// A user turn that is no tool result begins: what was heard before is history.
  void begin_order();
  void order(const std::string& text);

  void call(const std::string& id, const std::string& name);
  bool waits() const { return !waiting_.empty(); }
  /// Takes the call of this id off the waiting ones; false when there is none.
  bool result(const std::string& id, const std::string& text);
  /// The same for a result that has only its tool's name.
  bool result_of(const std::string& name, const std::string& text);
  void end_round() { ++out.rounds; }
  std::string first_waiting() const { return waiting_.front().id; }

  /// `data` must be canonical base64.
  void base64(const std::string& mime, const std::string& data);
  void url(const std::string& url);  ///< a data: URL or a link
  void tool(const std::string& name, std::size_t name_chars_max);
  /// OpenAI's and Anthropic's structured output: every object closed, and with `all_required`
  /// every property required.
  void closed_schema(const nlohmann::ordered_json& schema, bool all_required);

 private:
  struct waiting_call {
    std::string id;
    std::string name;
  };
  bool take(std::deque<waiting_call>::iterator found, const std::string& text);

  std::optional<std::string> objection_;
  std::deque<waiting_call> waiting_;
  std::set<std::string> names_;
};

}  // namespace tidegate::sim
