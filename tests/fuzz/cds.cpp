/// Any cooldown file is read or refused, and what was read survives being written and read again.

#include "persistence/cooldown_file.hpp"

#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tidegate;
  const instant now = from_unix(1'800'000'000);
  const credential_id id{"codex-a.json"};
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  const auto record = persistence::decode_cooldowns(text, id, now);
  if (!record) return 0;
  for (const auto& block : record->blocks) {
    if (block.deadline > now + quota::quota_horizon) std::abort();
  }
  const auto written = persistence::encode_cooldowns(*record, now);
  if (!persistence::decode_cooldowns(written, id, now)) std::abort();
  return 0;
}
