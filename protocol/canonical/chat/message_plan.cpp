#include "protocol/canonical/chat/message_plan.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace tidegate::protocol::chat {
namespace {

constexpr std::size_t calls = 0;
constexpr std::size_t results = 1;
constexpr std::size_t rest = 2;

bool only_reasoning(const turn& what) {
  return !what.parts.empty() && std::ranges::all_of(what.parts, [](const part& p) {
    return std::holds_alternative<reasoning_part>(p);
  });
}

class planner {
 public:
  explicit planner(std::size_t count) { out_.reserve(count); }

  void add(const turn& what) {
    if (what.role == turn_role::assistant) {
      add_assistant(what);
      return;
    }
    const std::size_t round = answered_round(what);
    out_.push_back(
        {&what, round == 0 ? round_ : round, round == 0 ? rest : results, out_.size(), false});
    if (round == round_) open_ = false;
    run_ = 0;
  }

  std::vector<planned_turn> sorted() {
    const auto before = [](const planned_turn& a, const planned_turn& b) {
      if (a.round != b.round) return a.round < b.round;
      return a.phase != b.phase ? a.phase < b.phase : a.position < b.position;
    };
    std::ranges::sort(out_, before);
    return std::move(out_);
  }

 private:
  void add_assistant(const turn& what) {
    const bool joins = run_ > 0 && only_reasoning(*out_.back().what) && !has_calls(what);
    out_.push_back({&what, round_, joins ? out_.back().phase : rest, out_.size(), joins});
    ++run_;
    if (!has_calls(what)) return;
    const std::size_t first = out_.size() - run_;
    if (!open_ || out_[first].phase != calls) ++round_;
    open_ = true;
    for (std::size_t i = first; i < out_.size(); ++i) {
      out_[i].round = round_;
      out_[i].phase = calls;
      out_[i].joins_previous = i > first;
    }
    for (const part& p : what.parts) {
      if (const auto* call = std::get_if<tool_call_part>(&p)) rounds_[call->id.escaped] = round_;
    }
  }

  /// The round whose calls this turn answers; 0 = none.
  std::size_t answered_round(const turn& what) const {
    for (const part& p : what.parts) {
      const auto* result = std::get_if<tool_result_part>(&p);
      if (result == nullptr) continue;
      const auto found = rounds_.find(result->call_id.escaped);
      if (found != rounds_.end()) return found->second;
    }
    return 0;
  }

  std::vector<planned_turn> out_;
  std::unordered_map<std::string_view, std::size_t> rounds_;
  std::size_t round_ = 0;
  std::size_t run_ = 0;  ///< turns of the assistant at the end of `out_`
  bool open_ = false;    ///< the round's calls have no result yet
};

}  // namespace

bool has_calls(const turn& what) {
  return std::ranges::any_of(what.parts, [](const part& p) {
    const auto* call = std::get_if<tool_call_part>(&p);
    return call != nullptr && call->kind != tool_kind::server;
  });
}

std::vector<planned_turn> plan_messages(const std::vector<turn>& turns) {
  planner plan{turns.size()};
  for (const turn& what : turns) plan.add(what);
  return plan.sorted();
}

}  // namespace tidegate::protocol::chat
