#include "http/model_card.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "quota/block_set.hpp"

namespace tidegate::http {
namespace {

using protocol::thinking_level;

constexpr std::array<std::pair<thinking_level, std::string_view>, 7> words{{
    {thinking_level::none, "none"},
    {thinking_level::minimal, "minimal"},
    {thinking_level::low, "low"},
    {thinking_level::medium, "medium"},
    {thinking_level::high, "high"},
    {thinking_level::xhigh, "xhigh"},
    {thinking_level::max, "max"},
}};
constexpr protocol::level_set for_budgets{thinking_level::low, thinking_level::medium,
                                          thinking_level::high};

std::vector<std::string_view> efforts_of(const protocol::thinking_caps& caps) {
  std::vector<std::string_view> efforts;
  const auto& levels = caps.takes_levels() || !caps.takes_budget() ? caps.levels : for_budgets;
  for (const auto& [level, word] : words) {
    if (levels.contains(level)) efforts.push_back(word);
  }
  return efforts;
}

std::vector<std::string_view> efforts_of(const provider::model_thinking& own) {
  std::vector<std::string_view> efforts;
  const bool budget = own.levels.empty() && own.budget_max > 0;
  for (const auto& [level, word] : words) {
    const bool named = std::ranges::find(own.levels, word) != own.levels.end();
    if (named || (budget && for_budgets.contains(level))) efforts.push_back(word);
  }
  return efforts;
}

/// The vendor's name speaks for the vendor's own id only.
std::string name_of(const provider::listed_model& one, const protocol::model_facts* facts) {
  if (!one.behind.display_name.empty()) return one.behind.display_name;
  const bool own = facts != nullptr && equal_ignoring_case(one.id, one.behind.name);
  return own ? std::string{facts->display_name} : one.id;
}

template <class List>
std::vector<std::string> first_given(const std::vector<std::string>& own, const List& known) {
  return own.empty() ? std::vector<std::string>(known.begin(), known.end()) : own;
}

}  // namespace

model_card card_of(const provider::listed_model& one) {
  static constexpr protocol::model_facts unknown{};
  model_card card;
  card.facts = protocol::find_model(quota::canonical_model(one.behind.name));
  const auto& facts = card.facts != nullptr ? *card.facts : unknown;
  card.id = one.id;
  card.owned_by = one.owned_by;
  card.provider = one.provider;
  card.display_name = name_of(one, card.facts);
  card.context_window =
      one.behind.context_window > 0 ? one.behind.context_window : facts.context_window;
  card.max_output = facts.max_output;
  card.input_modalities = first_given(one.behind.input_modalities, facts.input_modalities);
  card.output_modalities = first_given(one.behind.output_modalities, facts.output_modalities);
  card.efforts =
      one.behind.thinking ? efforts_of(*one.behind.thinking) : efforts_of(facts.thinking);
  return card;
}

std::vector<model_card> cards_of(const std::vector<provider::listed_model>& all) {
  std::vector<model_card> cards;
  cards.reserve(all.size());
  for (const auto& one : all) cards.push_back(card_of(one));
  return cards;
}

}  // namespace tidegate::http
