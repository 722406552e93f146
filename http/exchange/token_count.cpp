#include "http/exchange/token_count.hpp"

#include <algorithm>

#include "http/server/body_decoder.hpp"
#include "protocol/canonical/codec.hpp"
#include "protocol/json_text.hpp"
#include "protocol/token_estimate.hpp"
#include "provider/provider.hpp"
#include "quota/block_set.hpp"

namespace tidegate::http {
namespace {

std::string_view raw_value(const std::string& body, const protocol::envelope& head,
                           std::string_view key) {
  const auto* const found = head.find(key);
  if (found == nullptr) return {};
  return std::string_view{body}.substr(found->value_offset, found->value_size);
}

result<void> require_list(const std::string& body, const protocol::envelope& head,
                          std::string_view key) {
  const auto list = raw_value(body, head, key);
  const bool filled = list.find_first_not_of("[] \t\r\n") != std::string_view::npos;
  if (list.starts_with('[') && filled) return {};
  return failed(errc::invalid_input, std::string{key} + ": must be a list that is not empty");
}

std::string messages_answer(std::int64_t tokens) {
  return protocol::object_writer{}.number("input_tokens", tokens).str();
}

std::string gemini_answer(std::int64_t tokens) {
  protocol::object_writer detail;
  detail.text("modality", "TEXT").number("tokenCount", tokens);
  protocol::object_writer out;
  out.number("totalTokens", tokens).raw("promptTokensDetails", '[' + detail.str() + ']');
  return out.str();
}

result<std::int64_t> tokens_of(protocol::wire form, const std::string& body,
                               std::string_view model) {
  const auto call = protocol::codec_of(form).decode_request(body, model);
  if (!call) return std::unexpected{call.error()};
  return protocol::estimate_tokens(*call);
}

/// Google counts `contents` alone, or a whole request under `generateContentRequest`.
result<std::string> gemini_count(const std::string& body, const protocol::envelope& head,
                                 std::string_view model) {
  const auto whole = raw_value(body, head, "generateContentRequest");
  if (whole.empty()) {
    if (const auto listed = require_list(body, head, "contents"); !listed) {
      return std::unexpected{listed.error()};
    }
  }
  std::string inner;
  if (!whole.empty()) {
    inner.reserve(whole.size() + body_padding);
    inner.append(whole);
  }
  const auto tokens = tokens_of(protocol::wire::gemini, whole.empty() ? body : inner, model);
  if (!tokens) return std::unexpected{tokens.error()};
  return gemini_answer(*tokens);
}

}  // namespace

bool counts_upstream(const provider::route& route, protocol::surface surface) {
  return std::ranges::any_of(route.members, [surface](const auto& member) {
    const auto& kind = provider::descriptor_of(member.credential->provider);
    return std::ranges::any_of(member.upstream_models, [&](const auto& model) {
      return provider::serves_natively(kind, surface, quota::canonical_model(model));
    });
  });
}

result<std::string> estimated_count(protocol::wire form, const std::string& body,
                                    const protocol::envelope& head, std::string_view model) {
  if (form == protocol::wire::gemini) return gemini_count(body, head, model);
  if (const auto listed = require_list(body, head, "messages"); !listed) {
    return std::unexpected{listed.error()};
  }
  const auto tokens = tokens_of(form, body, model);
  if (!tokens) return std::unexpected{tokens.error()};
  return messages_answer(*tokens);
}

}  // namespace tidegate::http
