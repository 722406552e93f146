#include "provider/request_parts.hpp"

#include "provider/text_match.hpp"
#include "provider/user_agent.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace tidegate::provider {
namespace {

constexpr std::string_view token_marks = "!#$%&'*+-.^_`|~";

bool is_token(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    const char l = lower_char(c);
    return (l >= 'a' && l <= 'z') || (c >= '0' && c <= '9') ||
           token_marks.find(c) != std::string_view::npos;
  });
}

bool is_value(std::string_view value) {
  return value.size() <= header_value_bytes_max &&
         std::none_of(value.begin(), value.end(), [](char c) {
           const auto byte = static_cast<unsigned char>(c);
           return (byte < 0x20 && c != '\t') || byte == 0x7F;
         });
}

/// Headers that frame the message; the connection alone decides them.
bool frames_message(std::string_view name) {
  const auto word = lower(name);
  return word == "content-length" || word == "transfer-encoding" || word == "connection" ||
         word == "te" || word == "trailer" || word == "upgrade" || word == "keep-alive";
}

bool lies_within(std::string_view piece, std::string_view whole) {
  const std::less_equal<> not_after;
  return not_after(whole.data(), piece.data()) &&
         not_after(piece.data() + piece.size(), whole.data() + whole.size());
}

void add_operator_headers(upstream_request& request, const request_input& in) {
  for (const auto& [name, value] : in.who.headers) {
    if (!value.starts_with('$')) {
      set_header(request, name, value, true);
    } else if (const auto copied = in.client_header(std::string_view{value}.substr(1))) {
      set_header(request, name, std::string{*copied}, true);
    }
  }
}

}  // namespace

bool is_header(std::string_view name, std::string_view value) {
  return is_token(name) && is_value(value) && !frames_message(name);
}

void set_header(upstream_request& request, std::string_view name, std::string value, bool secret) {
  std::erase_if(request.headers,
                [&](const upstream_header& h) { return equal_ignoring_case(h.name, name); });
  request.headers.push_back({std::string{name}, std::move(value), secret});
}

void set_bearer(upstream_request& request, const credential& who) {
  if (who.secret.empty()) return;
  set_header(request, "Authorization", fmt::format("Bearer {}", who.secret.reveal()), true);
}

void set_common_headers(upstream_request& request, std::string_view accept) {
  set_header(request, "Content-Type", "application/json");
  set_header(request, "Accept", std::string{accept});
  set_header(request, "Accept-Encoding", "identity");
  set_header(request, "User-Agent", std::string{user_agent});
}

void forward_headers(upstream_request& request, const request_input& in,
                     std::initializer_list<std::string_view> names) {
  for (const auto name : names) {
    if (const auto value = in.client_header(name)) {
      set_header(request, name, std::string{*value});
    }
  }
}

protocol::splice begin_edits(const request_input& in) {
  protocol::splice edits{in.body, in.head};
  for (const auto& one : in.edits) edits.apply(one);
  return edits;
}

void set_model(protocol::splice& edits, const request_input& in, std::string_view model) {
  if (in.head.model != model || in.head.find("model") == nullptr) {
    edits.set("model", protocol::json_quote(model));
  }
}

void set_model(protocol::splice& edits, const request_input& in) {
  set_model(edits, in, in.upstream_model);
}

void take_body(upstream_request& request, const request_input& in, const protocol::splice& edits) {
  for (const std::string_view piece : edits.pieces()) {
    if (lies_within(piece, in.body)) {
      request.body.push_back(piece);
    } else {
      request.owned.push_back(std::make_unique<std::string>(piece));
      request.body.push_back(*request.owned.back());
    }
  }
}

std::string_view raw_member(const request_input& in, std::string_view key) {
  const auto* found = in.head.find(key);
  if (found == nullptr) return {};
  return std::string_view{in.body}.substr(found->value_offset, found->value_size);
}

result<void> check_stands_alone(const request_input& in) {
  const auto previous = raw_member(in, "previous_response_id");
  if (previous.empty() || previous == "null") return {};
  return failed(errc::not_found,
                "previous_response_id cannot be used with this model: its provider stores no "
                "responses; send the whole conversation in \"input\"");
}

std::string join_url(std::string_view base, std::string_view version, std::string_view path) {
  while (base.ends_with('/')) base.remove_suffix(1);
  const bool has_version = base.ends_with(version) && base.size() > version.size() &&
                           base[base.size() - version.size() - 1] == '/';
  return has_version ? fmt::format("{}/{}", base, path)
                     : fmt::format("{}/{}/{}", base, version, path);
}

result<upstream_request> finish(upstream_request request, const request_input& in) {
  add_operator_headers(request, in);
  for (const auto& header : request.headers) {
    if (!is_token(header.name) || !is_value(header.value)) {
      return failed(errc::invalid_input,
                    fmt::format("header {} for credential {} has a line break, a control "
                                "character or too many bytes",
                                redact(header.name), redact(in.who.id.value)));
    }
    if (frames_message(header.name)) {
      return failed(errc::invalid_input,
                    fmt::format("header {} for credential {} belongs to the connection; remove it",
                                header.name, redact(in.who.id.value)));
    }
  }
  return request;
}

}  // namespace tidegate::provider
