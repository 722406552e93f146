#include "provider/login/pkce.hpp"

#include "base/base64.hpp"
#include "base/error.hpp"
#include "base/hash.hpp"

#include <fmt/format.h>

#include <iterator>

namespace tidegate::provider::login {

pkce make_pkce(std::string_view random) {
  TG_ASSERT(random.size() == pkce_random_bytes);
  secret_string verifier{base64url(random)};
  std::string challenge = base64url(sha256(verifier.reveal()));
  return {std::move(verifier), std::move(challenge)};
}

std::string make_state(std::string_view random) {
  TG_ASSERT(random.size() == state_random_bytes);
  std::string state;
  for (const char c : random) {
    fmt::format_to(std::back_inserter(state), "{:02x}", static_cast<unsigned char>(c));
  }
  return state;
}

}  // namespace tidegate::provider::login
