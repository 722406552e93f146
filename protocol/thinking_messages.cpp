#include "protocol/thinking_messages.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "protocol/json_edit.hpp"
#include "protocol/json_items.hpp"
#include "protocol/json_text.hpp"

namespace tidegate::protocol {
namespace {

/// Of every Claude model so far.
constexpr std::int64_t claude_budget_min = 1024;
constexpr double thinking_top_p_min = 0.95;

std::int64_t budget_min_of(const thinking_target& target) {
  return target.caps ? target.caps->budget_min : claude_budget_min;
}

/// A budget stays below max_tokens, unless that would leave less than a model thinks with.
std::int64_t below_limit(std::int64_t budget, std::int64_t limit, const thinking_target& target) {
  const auto most = limit - 1;
  return budget > most && most >= budget_min_of(target) ? most : budget;
}

std::string spell_claude_thinking(const thinking_body& body, const reasoning_wish& wish,
                                  std::int64_t budget) {
  if (wish.mode == reasoning_mode::off) return R"({"type":"disabled"})";
  const auto now = raw_member(body, "thinking");
  if (wish.mode != reasoning_mode::budget) {
    return without_member(with_member(now, "type", R"("adaptive")"), "budget_tokens");
  }
  return with_member(with_member(now, "type", R"("enabled")"), "budget_tokens",
                     std::to_string(budget));
}

void drop_excluded(const thinking_body& body, std::vector<member_edit>& out) {
  const auto is = [&body](std::string_view key, auto wrong) {
    const auto raw = raw_member(body, key);
    if (raw.empty() || raw == "null") return false;
    return wrong(std::strtod(std::string{raw}.c_str(), nullptr));
  };
  if (is("temperature", [](double t) { return t != 1; })) out.push_back({"temperature", {}});
  if (is("top_p", [](double p) { return p < thinking_top_p_min; })) out.push_back({"top_p", {}});
  if (is("top_k", [](double) { return true; })) out.push_back({"top_k", {}});
}

/// Content blocks of a message; a string has none.
std::vector<json_item> blocks_of(std::string_view message, std::string_view& content) {
  content = member_of(message, "content");
  if (!content.starts_with('[')) return {};
  return items_of(content).value_or(std::vector<json_item>{});
}

bool has_type(std::string_view content, const json_item& block, std::string_view type) {
  return inside_of(member_of(content.substr(block.offset, block.size), "type")) == type;
}

}  // namespace

bool goes_on_without_thinking(const thinking_body& body) {
  const auto raw = raw_member(body, "messages");
  const auto messages = items_of(raw);
  if (!messages || messages->size() < 2) return false;
  const auto message = [&](std::size_t position) {
    const auto& one = (*messages)[position];
    return raw.substr(one.offset, one.size);
  };
  const auto is_of_model = [&](std::size_t position) {
    return inside_of(member_of(message(position), "role")) == "assistant";
  };
  std::string_view content;
  const auto last = blocks_of(message(messages->size() - 1), content);
  const bool answers = std::ranges::any_of(
      last, [&](const auto& one) { return has_type(content, one, "tool_result"); });
  if (!answers) return false;
  // Messages of the model in a row are one turn.
  std::size_t asked = messages->size() - 2;
  while (asked > 0 && is_of_model(asked) && is_of_model(asked - 1)) --asked;
  const auto asking = blocks_of(message(asked), content);
  return asking.empty() || !(has_type(content, asking.front(), "thinking") ||
                             has_type(content, asking.front(), "redacted_thinking"));
}

bool forces_tool(const thinking_body& body) {
  const auto type = inside_of(member_of(raw_member(body, "tool_choice"), "type"));
  return type == "any" || type == "tool";
}

bool leaves_room(const thinking_body& body, const reasoning_wish& wish,
                 const thinking_target& target) {
  if (wish.mode != reasoning_mode::budget) return true;
  const auto limit = integer_of(raw_member(body, "max_tokens"));
  if (limit && *limit <= budget_min_of(target)) return false;
  return !goes_on_without_thinking(body);
}

std::vector<member_edit> spell_messages(const thinking_body& body, const reasoning_wish& wish,
                                        const thinking_target& target, bool from_suffix) {
  std::vector<member_edit> out;
  if (from_suffix && thinks(wish)) drop_excluded(body, out);
  const auto config = raw_member(body, "output_config");
  const bool has_effort = !member_of(config, "effort").empty();
  if (wish.mode == reasoning_mode::level) {
    out.push_back({"output_config", with_member(config, "effort", json_quote(wish.level))});
  } else if (has_effort) {
    out.push_back({"output_config", without_member(config, "effort")});
  }
  if (wish.mode == reasoning_mode::unset) {
    out.push_back({"thinking", std::nullopt});
    return out;
  }
  auto limit = integer_of(raw_member(body, "max_tokens"));
  const bool counts = wish.mode == reasoning_mode::budget;
  if (counts && !limit && target.max_output > 0) {
    limit = target.max_output;
    out.push_back({"max_tokens", std::to_string(*limit)});
  }
  const auto budget = limit ? below_limit(wish.budget, *limit, target) : wish.budget;
  out.push_back({"thinking", spell_claude_thinking(body, wish, budget)});
  return out;
}

}  // namespace tidegate::protocol
