#pragma once
/// Applies the operator's payload rules to the body of one call, in the words of the provider that
/// it goes to. Defaults come first (what the body or an earlier rule has stays), then overrides
/// (the last one wins), then filters. Conditions look at the body as it was before all rules. What
/// no rule names keeps its bytes. Pure; never throws.

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "protocol/envelope.hpp"
#include "protocol/options.hpp"

namespace tidegate::protocol {

/// Rules may not make one body grow by more.
inline constexpr std::size_t payload_growth_max = 16 * 1024 * 1024;

struct payload_call {
  std::string_view upstream_model;   ///< as it is sent
  std::string_view requested_model;  ///< as the client wrote it
  wire to = wire::openai_chat;       ///< what the provider speaks
  wire from = wire::openai_chat;     ///< what the client speaks
  std::function<std::optional<std::string_view>(std::string_view name)> header;  ///< of the client
};

/// The changed body, with `spare_bytes` of capacity behind it; nullopt when no rule changes it.
/// `head` is the envelope of `body`. errc::limit_exceeded: the body would grow too much.
result<std::optional<std::string>> apply_payload_rules(const payload_options& rules,
                                                       const payload_call& call,
                                                       const std::string& body,
                                                       const envelope& head,
                                                       std::size_t spare_bytes);

}  // namespace tidegate::protocol
