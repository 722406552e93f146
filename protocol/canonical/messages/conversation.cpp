#include "protocol/canonical/messages/conversation.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "protocol/canonical/messages/kept_parts.hpp"
#include "protocol/canonical/messages/rules.hpp"
#include "protocol/canonical/messages/wire_names.hpp"

namespace tidegate::protocol::messages {
namespace {

bool is_id_character(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

class planner {
 public:
  planner(const canonical_request& what, const target_caps& caps, lossy_notes& lost)
      : what_(what), lost_(lost), filter_{what.source, caps, lost} {}

  conversation run() {
    for (const turn& one : what_.turns) add(one);
    std::erase_if(out_.messages, [](const planned_message& one) { return one.empty(); });
    return std::move(out_);
  }

 private:
  /// Calls in order; those before `next` have their result.
  struct waiting {
    std::vector<std::size_t> calls;
    std::size_t next = 0;
  };

  void add(const turn& one) {
    if (one.role == turn_role::inline_system) return add_system(one);
    for (const part& p : one.parts) {
      if (const auto* const call = std::get_if<tool_call_part>(&p)) {
        add_call(*call, p, one.role);
      } else if (const auto* const result = std::get_if<tool_result_part>(&p)) {
        add_result(*result);
      } else if (filter_.keeps(p, one.role)) {
        at(one.role == turn_role::assistant ? message_role::assistant : message_role::user)
            .parts.push_back(&p);
      }
    }
  }

  /// The latest message, when it is of that side; else a new one.
  planned_message& at(message_role role) {
    if (out_.messages.empty() || out_.messages.back().role != role) {
      out_.messages.push_back({role, {}, {}, {}});
    }
    return out_.messages.back();
  }

  /// Only this protocol's own clients know that it takes system messages between the others.
  void add_system(const turn& one) {
    const bool moves = what_.source != wire::anthropic_messages;
    if (moves) note(lost_, rule::inline_system);
    for (const part& p : one.parts) {
      const auto* const words = std::get_if<text_part>(&p);
      if (words == nullptr || words->text.empty()) continue;
      if (moves) {
        out_.moved_system.push_back(words);
        continue;
      }
      if (!out_.messages.empty() && !out_.messages.back().calls.empty()) at(message_role::user);
      at(message_role::system).parts.push_back(&p);
    }
  }

  void add_call(const tool_call_part& call, const part& whole, turn_role role) {
    if (role != turn_role::assistant) return;
    if (call.signature) note(lost_, rule::foreign_signature);
    if (call.kind == tool_kind::server) {
      if (what_.source == wire::anthropic_messages) {
        at(message_role::assistant).parts.push_back(&whole);
      } else {
        note(lost_, rule::server_call);
      }
      return;
    }
    planned_message& message = at(message_role::assistant);
    std::string given = plain(call.id);
    if (waits_here(given)) return note(lost_, rule::duplicate_call);
    const std::size_t position = out_.calls.size();
    message.calls.push_back(position);
    all_.calls.push_back(position);
    by_name_[call.name.escaped].calls.push_back(position);
    out_.calls.push_back({&call, nullptr, new_id(given)});
    message_of_.push_back(out_.messages.size() - 1);
    if (!given.empty()) latest_[std::move(given)] = position;
  }

  /// Whether a call of this id in the latest message waits for its result: they cannot be told
  /// apart.
  bool waits_here(const std::string& id) const {
    const auto found = id.empty() ? latest_.end() : latest_.find(id);
    return found != latest_.end() && out_.calls[found->second].result == nullptr &&
           message_of_[found->second] + 1 == out_.messages.size();
  }

  std::string new_id(std::string_view given) {
    std::string wanted = sanitised_id(given);
    if (wanted.empty()) {
      std::string number = std::to_string(out_.calls.size());
      wanted = "toolu_" + std::string(24 - number.size(), '0') + number;
    }
    if (ids_.insert(wanted).second) return wanted;
    auto& number = numbers_.try_emplace(wanted, 1).first->second;
    for (;;) {
      std::string chosen = wanted + '_' + std::to_string(++number);
      if (ids_.insert(chosen).second) return chosen;
    }
  }

  void add_result(const tool_result_part& result) {
    const std::size_t position = call_of(result);
    if (position == out_.calls.size()) return note(lost_, rule::orphan_result);
    planned_call& call = out_.calls[position];
    if (call.result != nullptr) {
      note(lost_, rule::duplicate_result);
      call.result = &result;
      return;
    }
    call.result = &result;
    const std::size_t behind = message_of_[position] + 1;
    if (behind == out_.messages.size()) at(message_role::user);
    out_.messages[behind].results.push_back(position);
  }

  std::size_t call_of(const tool_result_part& result) {
    if (!result.call_id.empty()) {
      const auto found = latest_.find(plain(result.call_id));
      return found == latest_.end() ? out_.calls.size() : found->second;
    }
    if (result.name.empty()) return first(all_);
    const auto named = by_name_.find(result.name.escaped);
    return named == by_name_.end() ? out_.calls.size() : first(named->second);
  }

  std::size_t first(waiting& of) const {
    while (of.next < of.calls.size() && out_.calls[of.calls[of.next]].result != nullptr) ++of.next;
    return of.next < of.calls.size() ? of.calls[of.next] : out_.calls.size();
  }

  const canonical_request& what_;
  lossy_notes& lost_;
  part_filter filter_;
  conversation out_;
  std::vector<std::size_t> message_of_;  ///< of each call
  std::unordered_map<std::string, std::size_t> latest_;
  std::unordered_set<std::string> ids_;
  std::unordered_map<std::string, std::size_t> numbers_;  ///< the last one behind an id
  waiting all_;
  std::unordered_map<std::string_view, waiting> by_name_;
};

}  // namespace

std::string sanitised_id(std::string_view id) {
  std::string out{id};
  std::ranges::replace_if(out, [](char c) { return !is_id_character(c); }, '_');
  return out;
}

bool goes_on_without_thinking(const conversation& plan) {
  const auto& messages = plan.messages;
  if (messages.size() < 2 || messages.back().results.empty()) return false;
  const planned_message& asking = messages[messages.size() - 2];
  return asking.parts.empty() || !std::holds_alternative<reasoning_part>(*asking.parts.front());
}

conversation plan_conversation(const canonical_request& what, const target_caps& caps,
                               lossy_notes& lost) {
  return planner(what, caps, lost).run();
}

}  // namespace tidegate::protocol::messages
