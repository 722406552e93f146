#include "provider/login/device.hpp"

#include "provider/login/codex_device.hpp"
#include "provider/login/device_reply.hpp"
#include "provider/login/standard_device.hpp"

#include <algorithm>

namespace tidegate::provider::login {

namespace {

constexpr std::chrono::seconds slow_down_step{5};

}  // namespace

const device_rules* device_rules_of(kind k) {
  switch (k) {
    case kind::codex:
      return &codex_device;
    case kind::xai:
      return &xai_device;
    case kind::kimi:
      return &kimi_device;
    case kind::openai_compatibility:
    case kind::claude:
    case kind::gemini:
    case kind::vertex:
    case kind::antigravity:
      return nullptr;
  }
  return nullptr;
}

std::chrono::seconds interval_after(std::chrono::seconds interval, device_state answer) {
  if (answer != device_state::slow_down) return interval;
  return std::min(interval + slow_down_step, interval_max);
}

}  // namespace tidegate::provider::login
