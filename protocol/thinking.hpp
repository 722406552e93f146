#pragma once
/// How much a model shall think: the suffix of a model's name, levels and budgets, and what becomes
/// of a wish for a model that takes less. The encoders and protocol/thinking_body.hpp spell the
/// result. Rules: spec/http.md 5, for people docs/thinking.md. Pure; never throws; any thread.

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/canonical/request.hpp"
#include "protocol/models.hpp"
#include "protocol/surface.hpp"

namespace tidegate::protocol {

// Words and numbers.

std::string_view to_string(thinking_level level);
/// Case does not matter; nullopt for `auto` and for anything that is no level.
std::optional<thinking_level> level_from_string(std::string_view word);
/// Tokens that stand for a level where a model takes a budget.
std::int64_t budget_of(thinking_level level);
/// The level that stands for a budget; 0 and less are `none`.
thinking_level level_of(std::int64_t budget);

/// Of a client's word that a message repeats.
inline constexpr std::size_t quoted_characters_max = 64;

// The suffix.

/// `base(value)`: the last `(` and a `)` at the end enclose the value.
struct suffixed_model {
  std::string_view base;   ///< trimmed; the whole name when nothing would be left
  std::string_view value;  ///< trimmed; empty when there is no suffix
};
suffixed_model split_suffix(std::string_view name);

enum class thinking_code : std::uint8_t {
  invalid_suffix,       ///< a number that no budget can be
  unknown_level,        ///< a word that is no level
  level_not_supported,  ///< a level that the model does not have
  budget_out_of_range,  ///< a budget outside of the model's bounds
};
/// `INVALID_SUFFIX` and so on, as clients see it.
std::string_view to_string(thinking_code code);

/// Why a request cannot be served as it is: a 400. `message` names the model, what was asked and
/// what the model takes.
struct thinking_refusal {
  thinking_code code = thinking_code::invalid_suffix;
  std::string message;
};
template <class T>
using thinking_result = std::expected<T, thinking_refusal>;

/// What the suffix of `upstream`, a configured name, or else that of `requested` asks for. nullopt:
/// there is none, or it speaks of something else and is passed over. invalid_suffix.
thinking_result<std::optional<reasoning_wish>> suffix_wish(std::string_view upstream,
                                                           std::string_view requested);

/// A body's wish under a suffix, which wins over the amount and leaves the rest.
reasoning_wish under_suffix(reasoning_wish body, const reasoning_wish& suffix);

// The fit.

/// How a provider is told how much to think.
enum class thinking_dialect : std::uint8_t {
  chat,         ///< reasoning_effort
  codex,        ///< reasoning.effort of the Responses API
  xai,          ///< the same word, but a family of its own
  claude,       ///< a budget, or adaptive with an effort where the model lists levels
  gemini,       ///< thinkingBudget or thinkingLevel
  antigravity,  ///< the same, of Gemini's family
  kimi,         ///< thinking.type and thinking.effort
};

struct thinking_target {
  thinking_dialect dialect = thinking_dialect::chat;
  std::string_view model{};             ///< upstream name, for messages
  std::optional<thinking_caps> caps{};  ///< nullopt: an unknown model, nothing is checked
  std::int64_t max_output = 0;          ///< tokens; 0 = unknown
};
/// With what the model table knows.
thinking_target target_of(thinking_dialect dialect, std::string_view upstream_model);

/// The wish as the target's model takes it, for a client of protocol `source`:
/// - a model that cannot be told loses the wish and its visibility; an unknown one gets it as is;
/// - levels become budgets and budgets levels where the model takes the other;
/// - within a family (Chat, Responses and codex; Gemini and antigravity; Messages and claude) a
///   level that the model lacks is refused, and so is a budget out of range that the body states;
///   otherwise the nearest level, the lower of two, and the nearest bound are taken;
/// - a model that cannot be left to decide gets medium (claude: high) or the middle of its budgets,
///   one that cannot be switched off its lowest level or budget, with its thoughts hidden.
/// unknown_level, level_not_supported, budget_out_of_range.
thinking_result<reasoning_wish> fit_thinking(const reasoning_wish& asked, wire source,
                                             const thinking_target& target);

/// Whether the model is asked to think, however much.
bool thinks(const reasoning_wish& wish);
/// The wish as the word of an effort member; empty when there is no wish.
std::string_view effort_word(const reasoning_wish& wish, thinking_dialect dialect);

}  // namespace tidegate::protocol
