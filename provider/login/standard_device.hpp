#pragma once
/// Device logins as RFC 8628 has them: xAI and Kimi.

#include "provider/login/device.hpp"

namespace tidegate::provider::login {

extern const device_rules xai_device;
extern const device_rules kimi_device;

}  // namespace tidegate::provider::login
