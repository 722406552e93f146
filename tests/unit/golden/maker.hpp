#pragma once
/// Random texts and choices for the property tests, the same for the same seed.

#include <cstdint>
#include <random>
#include <string>

#include "protocol/canonical/parts.hpp"
#include "tests/unit/golden/translate.hpp"
#include "tests/unit/protocol/json_maker.hpp"

namespace tidegate::golden {

class maker {
 public:
  explicit maker(std::uint64_t seed) : random_(seed), texts_(seed) {}

  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }
  bool one_in(std::size_t n) { return below(n) == 0; }
  /// The inside of a JSON string, not empty.
  std::string escaped() {
    const auto token = texts_.string();
    return 'x' + token.substr(1, token.size() - 2);
  }
  std::string plain_text() { return one_in(4) ? std::string{} : plain(protocol::raw_text{escaped()}); }
  std::string object() { return texts_.object(2, {}); }

 private:
  std::mt19937_64 random_;
  tidegate::test::json_maker texts_;
};

}  // namespace tidegate::golden
