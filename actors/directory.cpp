#include "actors/directory.hpp"

#include <algorithm>

#include "quota/block_set.hpp"

namespace tidegate::actors {

std::string pool_key(std::string_view model) {
  std::string key{quota::canonical_model(model)};
  std::ranges::transform(key, key.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
  });
  return key;
}

}  // namespace tidegate::actors
