#pragma once
/// What a token endpoint remembers: which refresh tokens it gave out and which were used. A token
/// that it never saw begins a login; one that is used twice voids the whole login, as the vendors
/// have it. Not thread-safe; the server's strand owns it.

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "app/sim/script.hpp"

namespace tidegate::sim {

inline constexpr std::size_t ledger_tokens_max = 100'000;  ///< above it everything starts anew

class token_ledger {
 public:
  /// The answer to a request with this body, a form or JSON.
  failure_spec answer(std::string_view body, const token_gift& gift);
  void reset();

 private:
  struct known_token {
    std::size_t login = 0;
    bool used = false;
  };

  known_token& find(const std::string& text);

  std::unordered_map<std::string, known_token> tokens_;
  std::set<std::size_t> void_logins_;
  std::size_t logins_ = 0;
  std::size_t given_ = 0;
};

}  // namespace tidegate::sim
