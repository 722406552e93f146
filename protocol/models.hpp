#pragma once
/// What vendors' models take, as data: `find_model(name)` gives the row of a known model. Used for
/// fitting thinking (protocol/thinking.hpp), for limits that a request leaves open, and for model
/// lists. A model that is not in the table is unknown, not unable: nothing may be refused for it.
/// Sources: the vendors' model pages and spec/http.md 5.5, 2026-11. Constant; any thread.

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

namespace tidegate::protocol {

/// In order of effort.
enum class thinking_level : std::uint8_t { none, minimal, low, medium, high, xhigh, max };

class level_set {
 public:
  constexpr level_set() = default;
  constexpr level_set(std::initializer_list<thinking_level> levels) {
    for (const auto one : levels) bits_ |= bit(one);
  }

  constexpr bool empty() const { return bits_ == 0; }
  constexpr bool contains(thinking_level one) const { return (bits_ & bit(one)) != 0; }

  friend constexpr bool operator==(const level_set&, const level_set&) = default;

 private:
  static constexpr std::uint8_t bit(thinking_level one) {
    return static_cast<std::uint8_t>(1U << static_cast<unsigned>(one));
  }
  std::uint8_t bits_ = 0;
};

/// How a model can be told how much to think. Neither levels nor a budget: it cannot be told.
struct thinking_caps {
  std::int64_t budget_min = 0;   ///< tokens
  std::int64_t budget_max = 0;   ///< tokens; 0 = it takes no budget
  bool zero_allowed = false;     ///< thinking can be switched off
  bool dynamic_allowed = false;  ///< the model can be left to decide
  level_set levels{};            ///< `none` is one of them where the vendor has that word

  constexpr bool takes_budget() const { return budget_max > 0; }
  constexpr bool takes_levels() const { return !levels.empty(); }
  constexpr bool adjustable() const { return takes_budget() || takes_levels(); }

  friend constexpr bool operator==(const thinking_caps&, const thinking_caps&) = default;
};

struct model_facts {
  std::string_view name;            ///< without date, `-latest` or `-preview`
  std::string_view display_name;
  std::int64_t context_window = 0;  ///< tokens that a prompt may have
  std::int64_t max_output = 0;      ///< tokens that an answer may have, thinking included
  std::span<const std::string_view> input_modalities;   ///< text, image, audio, video
  std::span<const std::string_view> output_modalities;  ///< text, image
  thinking_caps thinking;
};

/// The row of an upstream name without a thinking suffix; nullptr when the model is unknown. Case
/// does not matter; a leading `models/` and a release behind the name (`-20250929`, `@20250929`,
/// `-2026-03-05`, `-001`, `-latest`, `-preview`, `-preview-09-2025`) are passed over. One pass over
/// the table.
const model_facts* find_model(std::string_view name);

/// Every row, one vendor behind the other.
std::span<const model_facts> known_models();

}  // namespace tidegate::protocol
