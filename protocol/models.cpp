#include "protocol/models.hpp"

#include "base/text.hpp"

#include <algorithm>

namespace tidegate::protocol {
namespace {

constexpr std::string_view resource_prefix = "models/";
/// A first number shorter than this is a version, `claude-opus-4-1`, and no release.
constexpr std::size_t release_digits_min = 3;

bool is_digits(std::string_view word) {
  return !word.empty() && std::ranges::all_of(word, [](char c) { return c >= '0' && c <= '9'; });
}

bool is_release_word(std::string_view word) {
  return equal_ignoring_case(word, "latest") || equal_ignoring_case(word, "preview") ||
         equal_ignoring_case(word, "exp");
}

/// What may stand behind a name without making it another model; empty or begins with its mark.
bool is_release(std::string_view tail) {
  bool first = true;
  while (!tail.empty()) {
    if (tail.front() != '-' && tail.front() != '@') return false;
    tail.remove_prefix(1);
    const auto word = tail.substr(0, tail.find_first_of("-@"));
    const bool number = is_digits(word) && (!first || word.size() >= release_digits_min);
    if (!number && !is_release_word(word)) return false;
    tail.remove_prefix(word.size());
    first = false;
  }
  return true;
}

bool is_called(const model_facts& model, std::string_view name) {
  return name.size() >= model.name.size() &&
         equal_ignoring_case(name.substr(0, model.name.size()), model.name) &&
         is_release(name.substr(model.name.size()));
}

}  // namespace

const model_facts* find_model(std::string_view name) {
  name = trimmed(name);
  if (name.starts_with(resource_prefix)) name.remove_prefix(resource_prefix.size());
  const auto all = known_models();
  const auto found =
      std::ranges::find_if(all, [&](const model_facts& one) { return is_called(one, name); });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace tidegate::protocol
