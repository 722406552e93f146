#include "http/login/terms.hpp"

#include <openssl/rand.h>

#include "provider/login/pkce.hpp"

namespace tidegate::http::login {

secret_string random_bytes(std::size_t bytes) {
  std::string out(bytes, '\0');
  // A system without randomness cannot log anybody in.
  TG_ASSERT(RAND_bytes(reinterpret_cast<unsigned char*>(out.data()), static_cast<int>(bytes)) == 1);
  return secret_string{std::move(out)};
}

std::string new_device_id() {
  return provider::login::make_state(random_bytes(provider::login::state_random_bytes).reveal());
}

}  // namespace tidegate::http::login
