#pragma once
/// Files with one refresh token: whoever renews one of them voids the others. Which of them a gateway
/// serves with stands in its own list. Pure.

#include <string>
#include <unordered_map>

#include "config/snapshot.hpp"
#include "persistence/store.hpp"

namespace tidegate::app {

class same_logins {
 public:
  same_logins(const config::snapshot& settings, const persistence::credential_listing& listing);

  /// Another file with this one's login; empty: there is none.
  std::string beside(const std::string& name) const;

 private:
  std::unordered_map<std::string, std::string> others_;
};

}  // namespace tidegate::app
