#include "protocol/canonical/result_plan.hpp"

namespace tidegate::protocol {

result_plan::result_plan(const std::vector<turn>& turns) {
  for (const turn& one : turns) {
    for (const part& what : one.parts) {
      if (const auto* const call = std::get_if<tool_call_part>(&what)) add(*call);
      if (const auto* const result = std::get_if<tool_result_part>(&what)) add(*result);
    }
  }
}

void result_plan::add(const tool_call_part& call) {
  latest_[call.id.escaped] = answers_.size();
  answers_.emplace_back();
}

void result_plan::add(const tool_result_part& result) {
  const auto found = latest_.find(result.call_id.escaped);
  if (found == latest_.end()) return;
  answer& of = answers_[found->second];
  if (of.first == nullptr) of.first = &result;
  of.last = &result;
  calls_[&result] = found->second;
}

result_plan::verdict result_plan::of(const tool_result_part& result) const {
  const auto found = calls_.find(&result);
  if (found == calls_.end()) return verdict::orphan;
  return answers_[found->second].first == &result ? verdict::kept : verdict::repeated;
}

const tool_result_part& result_plan::content_of(const tool_result_part& kept) const {
  return *answers_[calls_.at(&kept)].last;
}

}  // namespace tidegate::protocol
