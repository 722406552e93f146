#pragma once
/// Which tool results of a conversation a provider gets. A call has one result: repeated ones stand
/// once, in the place of the first, with the content of the last. A result answers the latest call
/// before it that has its id, so that ids may be used again; without such a call it is an orphan.
/// Spec: translation.md 4.1.

#include <cstddef>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "protocol/canonical/request.hpp"

namespace tidegate::protocol {

class result_plan {
 public:
  enum class verdict : unsigned char { kept, repeated, orphan };

  /// The turns must outlive the plan.
  explicit result_plan(const std::vector<turn>& turns);

  verdict of(const tool_result_part& result) const;
  /// What stands in the place of a kept one.
  const tool_result_part& content_of(const tool_result_part& kept) const;

 private:
  void add(const tool_call_part& call);
  void add(const tool_result_part& result);

  struct answer {
    const tool_result_part* first = nullptr;
    const tool_result_part* last = nullptr;
  };
  std::vector<answer> answers_;                                     ///< of each call
  std::unordered_map<std::string_view, std::size_t> latest_;        ///< call of an id
  std::unordered_map<const tool_result_part*, std::size_t> calls_;  ///< of each result
};

}  // namespace tidegate::protocol
