#pragma once
/// The rows `oauth.providers.NAME.*`: by which client and at which addresses account logins and
/// token renewals of a provider take place. What is not set is printed as the default in force.

#include <vector>

#include "config/schema.hpp"

namespace tidegate::config {

std::vector<key_row> oauth_client_rows();

}  // namespace tidegate::config
