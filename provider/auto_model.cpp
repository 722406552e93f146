#include "provider/auto_model.hpp"

#include "base/text.hpp"
#include "protocol/models.hpp"
#include "provider/provider.hpp"
#include "quota/block_set.hpp"

#include <tuple>

namespace tidegate::provider {
namespace {

/// 1 for the first row of the table; 0 for a model that is in none.
std::size_t age_rank(const listed_model& one) {
  const auto* row = protocol::find_model(quota::canonical_model(one.behind.name));
  return row == nullptr ? 0 : static_cast<std::size_t>(row - protocol::known_models().data()) + 1;
}

}  // namespace

bool is_auto(std::string_view requested) {
  return equal_ignoring_case(quota::canonical_model(trimmed(requested)), "auto");
}

std::string chosen_model(const catalog& from, std::string_view requested, protocol::surface on) {
  if (!is_auto(requested) || from.find(requested)) return std::string{requested};
  const listed_model* best = nullptr;
  std::tuple<bool, std::size_t> best_rank;
  for (const auto& one : from.models()) {
    const auto& by = descriptor_of(one.provider);
    if (!can_serve(by, on)) continue;
    const bool native = serves_natively(by, on, quota::canonical_model(one.behind.name));
    const std::tuple rank{native, age_rank(one)};
    if (best != nullptr && rank <= best_rank) continue;
    best = &one;
    best_rank = rank;
  }
  if (best == nullptr) return std::string{requested};
  const auto suffix = protocol::split_suffix(requested).value;
  return suffix.empty() ? best->id : best->id + "(" + std::string{suffix} + ")";
}

}  // namespace tidegate::provider
