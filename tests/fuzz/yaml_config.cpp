/// Any configuration text gives a snapshot or says why not, and never both nothing.

#include "config/load.hpp"

#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tidegate;
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  const auto loaded = config::load_text(text, "fuzz.yaml", config::environment{});
  if (loaded.snapshot == nullptr && loaded.diagnostics.empty()) std::abort();
  return 0;
}
