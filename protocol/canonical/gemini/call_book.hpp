#pragma once
/// Which result of a conversation belongs to which call. Internal to the request encoder.

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "protocol/canonical/gemini/encoding.hpp"

namespace tidegate::protocol::gemini {

/// A result belongs to the latest call before it that has its id; the last result of a call counts.
class call_book {
 public:
  explicit call_book(encoding& to) {
    for (const auto& turn : to.from.turns) {
      const bool model = turn.role == turn_role::assistant;
      for (const auto& part : turn.parts) {
        const auto* call = std::get_if<tool_call_part>(&part);
        if (call != nullptr && model && call->kind != tool_kind::server) add(*call);
        if (const auto* result = std::get_if<tool_result_part>(&part)) add(*result, to);
      }
    }
  }

  const tool_result_part* result_of(std::size_t call) const { return calls_[call].result; }
  bool has_call(const tool_result_part& result) const { return adopted_.contains(&result); }

 private:
  struct answered_call {
    const tool_call_part* call = nullptr;
    const tool_result_part* result = nullptr;
  };

  void add(const tool_call_part& call) {
    latest_[call.id.escaped] = calls_.size();
    calls_.push_back({&call, nullptr});
  }
  void add(const tool_result_part& result, encoding& to) {
    const auto found = latest_.find(result.call_id.escaped);
    if (found == latest_.end()) return;
    answered_call& call = calls_[found->second];
    if (call.result != nullptr) to.lose(lossy::repeated_result);
    call.result = &result;
    adopted_.insert(&result);
  }

  std::vector<answered_call> calls_;
  std::unordered_map<std::string_view, std::size_t> latest_;
  std::unordered_set<const tool_result_part*> adopted_;
};

}  // namespace tidegate::protocol::gemini
