/// Any error body is classified by every provider, and never as success. The first byte picks the
/// status and the header values.

#include "provider/provider.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

namespace {

using namespace tidegate;

constexpr std::array statuses{400, 401, 402, 403, 404, 408, 413, 422, 429, 429,
                              429, 500, 502, 503, 504, 520, 529, 599, 302, 0};

void classify(const provider::descriptor& who, int status, std::string_view header_value,
              std::string_view body) {
  provider::credential record;
  record.id = credential_id{"fuzz"};
  record.provider = who.id;
  record.provider_name = who.name;
  provider::attempt_view attempt{record, protocol::surface::responses, "model", {}, {}};
  attempt.started_at = from_unix(1'800'000'000);
  attempt.observed_at = from_unix(1'800'000'001);
  const provider::header_lookup header =
      [&](std::string_view) -> std::optional<std::string_view> {
    return header_value.empty() ? std::nullopt : std::optional{header_value};
  };
  const auto outcome = who.classify(provider::reply_view{status, header, body}, attempt);
  if (outcome.kind == quota::outcome_class::success) std::abort();
  const protocol::sse_frame frame{body, "error", body};
  (void)who.classify_frame(frame, header, attempt);
  (void)who.windows(header, attempt.observed_at);
  (void)who.frame_windows(frame, attempt.observed_at);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  const std::size_t header_bytes = std::min<std::size_t>(data[1] % 40, size - 2);
  for (const auto& who : provider::registry()) {
    classify(who, statuses[data[0] % statuses.size()], text.substr(2, header_bytes),
             text.substr(2 + header_bytes));
  }
  (void)provider::redact(text);
  return 0;
}
