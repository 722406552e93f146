#include "protocol/canonical/gemini/call_ids.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <unordered_map>

namespace tidegate::protocol::gemini {
namespace {

constexpr std::uint64_t odd = 0x9E37'79B9'7F4A'7C15;
constexpr std::uint64_t other_odd = 0xC2B2'AE3D'27D4'EB4F;

std::uint64_t stirred(std::uint64_t h) {
  h ^= h >> 32;
  h *= other_odd;
  return h ^ h >> 29;
}

std::uint64_t mixed(std::uint64_t h, std::string_view bytes) {
  h = stirred(h ^ bytes.size());
  while (!bytes.empty()) {
    std::uint64_t block = 0;
    const std::size_t taken = std::min(bytes.size(), sizeof block);
    std::memcpy(&block, bytes.data(), taken);
    h = (h ^ block) * odd;
    h ^= h >> 31;
    bytes.remove_prefix(taken);
  }
  return stirred(h);
}

void append_hex(std::string& out, std::uint64_t value, int digits) {
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) {
    out += "0123456789abcdef"[value >> shift & 0xF];
  }
}

struct open_call {
  tool_call_part* call = nullptr;
  bool made = false;  ///< its id is not the client's
  bool answered = false;
};

/// Calls in order; those in front of `next` are answered.
struct queue {
  std::vector<std::size_t> calls;
  std::size_t next = 0;
};

class pairing {
 public:
  explicit pairing(text_store& texts) : texts_(texts) {}

  void call(tool_call_part& call) {
    if (results_seen_) {
      settle();
      forget();
    }
    const bool made = call.id.empty();
    if (made) {
      call.id = {texts_.keep(made_id(call.name.escaped, call.arguments, position_))};
    }
    ++position_;
    by_id_.try_emplace(call.id.escaped, calls_.size());
    by_name_[call.name.escaped].calls.push_back(calls_.size());
    all_.calls.push_back(calls_.size());
    calls_.push_back({&call, made, false});
    ++open_;
  }

  void result(tool_result_part& result) {
    results_seen_ = true;
    results_.push_back(&result);
  }

  void settle() {
    for (auto* result : results_) {
      if (!result->call_id.empty()) match_id(*result);
    }
    for (auto* result : results_) {
      if (result->call_id.empty()) match_name(*result);
    }
    results_.clear();
  }

 private:
  void forget() {
    calls_.clear();
    by_id_ = {};  // clear() would keep the room of the largest turn
    by_name_ = {};
    all_ = {};
    open_ = 0;
    results_seen_ = false;
  }

  static bool has_name(const tool_result_part& result) {
    return !result.name.empty() && result.name.escaped != "unknown";
  }

  void answer(open_call& open, tool_result_part& result) {
    if (!open.answered) --open_;
    open.answered = true;
    result.call_id = open.call->id;
    if (!has_name(result)) result.name = open.call->name;
  }

  open_call* first(queue& of) {
    while (of.next < of.calls.size() && calls_[of.calls[of.next]].answered) ++of.next;
    return of.next < of.calls.size() ? &calls_[of.calls[of.next]] : nullptr;
  }

  open_call* first_of_name(const tool_result_part& result) {
    if (!has_name(result)) return first(all_);
    const auto found = by_name_.find(result.name.escaped);
    return found == by_name_.end() ? nullptr : first(found->second);
  }

  void match_id(tool_result_part& result) {
    const auto same = by_id_.find(result.call_id.escaped);
    if (same != by_id_.end()) return answer(calls_[same->second], result);
    if (auto* open = first_of_name(result); open != nullptr && open->made) answer(*open, result);
  }

  void match_name(tool_result_part& result) {
    auto* open = first_of_name(result);
    if (open == nullptr && open_ == 1) open = first(all_);
    if (open != nullptr) return answer(*open, result);
    result.call_id = {texts_.keep(made_id(result.name.escaped, "result", position_++))};
  }

  text_store& texts_;
  std::vector<open_call> calls_;
  std::unordered_map<std::string_view, std::size_t> by_id_;
  std::unordered_map<std::string_view, queue> by_name_;
  queue all_;
  std::vector<tool_result_part*> results_;
  std::size_t position_ = 0;
  std::size_t open_ = 0;
  bool results_seen_ = false;
};

}  // namespace

std::string made_id(std::string_view name, std::string_view arguments, std::size_t position,
                    std::string_view seed) {
  std::uint64_t h = mixed(mixed(mixed(position + 1, seed), name), arguments);
  std::string out = "call_";
  append_hex(out, h, 16);
  append_hex(out, stirred(h * odd + position), 8);
  return out;
}

void settle_ids(canonical_request& in) {
  pairing pairs(in.texts);
  for (auto& turn : in.turns) {
    for (auto& part : turn.parts) {
      if (auto* call = std::get_if<tool_call_part>(&part)) pairs.call(*call);
      if (auto* result = std::get_if<tool_result_part>(&part)) pairs.result(*result);
    }
  }
  pairs.settle();
}

}  // namespace tidegate::protocol::gemini
