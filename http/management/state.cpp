#include "http/management/state.hpp"

#include "http/management/key_secret.hpp"

namespace tidegate::http {

std::shared_ptr<management_state> make_management_state(asio::any_io_executor on) {
  return make_management_state(std::move(on), bcrypt_matches);
}

std::shared_ptr<management_state> make_management_state(asio::any_io_executor on,
                                                        key_verifier verify) {
  // key_gate cannot be moved, so it is made in place.
  return std::shared_ptr<management_state>(
      new management_state{key_gate{on, std::move(verify)}, login_sessions{on}});
}

}  // namespace tidegate::http
