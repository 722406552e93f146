#pragma once
/// One attempt with invented values: T0 is 2027-01-15T08:00:00Z, unix 1800000000.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "provider/provider.hpp"

namespace tidegate::provider::testing {

using headers = std::vector<std::pair<std::string, std::string>>;

inline constexpr std::int64_t t0_unix = 1800000000;
inline constexpr instant t0 = from_unix(t0_unix);

inline bool same_name(std::string_view a, std::string_view b) {
  const auto low = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (low(a[i]) != low(b[i])) return false;
  }
  return true;
}

inline header_lookup lookup_in(const headers& list) {
  return [&list](std::string_view name) -> std::optional<std::string_view> {
    for (const auto& [key, value] : list) {
      if (same_name(key, name)) return value;
    }
    return std::nullopt;
  };
}

inline credential some_credential(kind k) {
  credential who;
  who.id.value = "team/someone.json";
  who.provider = k;
  who.provider_name = to_string(k);
  who.secret = secret_string{"sk-invented-0123456789"};
  who.base_url = "https://upstream.example";
  return who;
}

/// The surface that a provider speaks natively.
inline protocol::surface own_surface(kind k) {
  switch (k) {
    case kind::codex:
    case kind::xai:
      return protocol::surface::responses;
    case kind::openai_compatibility:
    case kind::kimi:
      return protocol::surface::chat_completions;
    case kind::claude:
      return protocol::surface::messages;
    case kind::gemini:
    case kind::vertex:
    case kind::antigravity:
      return protocol::surface::gemini_generate;
  }
  return protocol::surface::responses;
}

struct attempt {
  kind provider;
  credential who = some_credential(provider);
  protocol::surface surface = own_surface(provider);
  int fuzz_seconds = 0;
  bool model_level = false;
  std::string model = "some-model";
  const quota::window_report* windows = nullptr;

  attempt_view view() const {
    return {who, surface,      model,       t0 - std::chrono::seconds{2},
            t0,  fuzz_seconds, model_level, model_level, windows};
  }
  quota::outcome reply(int status, std::string_view body, const headers& sent = {}) const {
    const auto header = lookup_in(sent);
    return descriptor_of(provider).classify({status, header, body}, view());
  }
  quota::outcome frame(std::string_view data, std::string_view event = "error",
                       const headers& sent = {}) const {
    const auto header = lookup_in(sent);
    return descriptor_of(provider).classify_frame({data, event, data}, header, view());
  }
};

/// The stated deadline as seconds after T0.
inline std::optional<double> wait_of(const std::optional<instant>& deadline) {
  if (!deadline) return std::nullopt;
  return std::chrono::duration<double>(*deadline - t0).count();
}

inline std::optional<int> minutes_of(const quota::outcome& what) {
  if (!what.window) return std::nullopt;
  return static_cast<int>(what.window->count());
}

/// A client request and what the provider makes of it.
struct client_request {
  kind provider;
  std::string body;
  std::string model = "upstream-model";
  headers sent = {};
  std::string query = {};
  credential who = some_credential(provider);
  protocol::surface surface = own_surface(provider);
  const protocol::canonical_request* call = nullptr;
  std::string header_session = {};
};

struct built_request {
  std::string url;
  std::vector<upstream_header> headers;
  std::string body;
  bool streams = false;
  bool fold = false;
  std::string other_url;
  std::shared_ptr<answer_edit> answer;

  std::optional<std::string> header(std::string_view name) const {
    std::optional<std::string> found;
    for (const auto& one : headers) {
      if (same_name(one.name, name)) found = one.value;
    }
    return found;
  }
};

inline result<built_request> build(const client_request& from) {
  const auto head = protocol::read_envelope(from.body);
  if (!head) return std::unexpected{head.error()};
  const auto client_header = lookup_in(from.sent);
  auto made = descriptor_of(from.provider)
                  .build_request({from.who, from.surface, from.model, from.query, from.body, *head,
                                  client_header, {}, from.call, t0, from.header_session});
  if (!made) return std::unexpected{made.error()};
  built_request out{made->url, made->headers, {}, made->streams, made->fold,
                    made->other_url, std::move(made->answer)};
  for (const auto piece : made->body) out.body += piece;
  return out;
}

}  // namespace tidegate::provider::testing
