#pragma once
/// Clearing one credential's cooldowns: by the running gateway when there is one, since it holds
/// them and would write them again; else in its `.cds` file.

#include <string>

#include "base/error.hpp"
#include "config/snapshot.hpp"

namespace tidegate::app {

enum class reset_way : unsigned char {
  by_gateway,  ///< through its management
  in_file,     ///< no gateway listens where the configuration says
};

/// `key`: of management. errc::unavailable: a gateway is there, but cannot be asked; the detail
/// says what is needed. errc::not_found: it knows no such credential.
result<reset_way> reset_cooldowns(const config::snapshot_ptr& settings, const std::string& name,
                                  const secret_string& key);

/// TIDEGATE_MANAGEMENT_KEY, else the configured key when it is no hash; empty when there is none.
secret_string management_key(const config::snapshot& settings);

}  // namespace tidegate::app
