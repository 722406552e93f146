#pragma once
/// What management keeps between requests. Made once by app/, before the listener starts; destroyed
/// after the threads of the io_context have ended and before the io_context.

#include "http/management/key_gate.hpp"
#include "http/management/login_sessions.hpp"

#include <memory>

namespace tidegate::http {

struct management_state {
  key_gate gate;
  login_sessions logins;
};

std::shared_ptr<management_state> make_management_state(asio::any_io_executor on);
/// With another way of verifying a key against a hash.
std::shared_ptr<management_state> make_management_state(asio::any_io_executor on,
                                                        key_verifier verify);

}  // namespace tidegate::http
