#pragma once
/// What all request builders share: headers, bodies in pieces, the last check. A builder fills an
/// upstream_request and ends with finish(), which adds the operator's headers and refuses names
/// and values that would break the message apart.

#include "protocol/splice.hpp"
#include "provider/provider.hpp"

#include <initializer_list>
#include <string>
#include <string_view>

namespace tidegate::provider {

inline constexpr std::size_t header_value_bytes_max = 16 * 1024;

/// Sets a header; a former one of the same name, in whatever case, is replaced.
void set_header(upstream_request& request, std::string_view name, std::string value,
                bool secret = false);

/// `Authorization: Bearer <secret>`; nothing when the credential has no secret.
void set_bearer(upstream_request& request, const credential& who);

/// Content-Type, Accept, Accept-Encoding and User-Agent. The relay passes bytes on, so the
/// provider is asked not to compress.
void set_common_headers(upstream_request& request, std::string_view accept);

/// Copies the headers that the client sent.
void forward_headers(upstream_request& request, const request_input& in,
                     std::initializer_list<std::string_view> names);

/// The body with the edits that were asked for.
protocol::splice begin_edits(const request_input& in);

/// Sets `model` unless the body already has exactly this one.
void set_model(protocol::splice& edits, const request_input& in, std::string_view model);
void set_model(protocol::splice& edits, const request_input& in);

/// Takes the edited body: views into the client's body, copies of the edits.
void take_body(upstream_request& request, const request_input& in, const protocol::splice& edits);

/// Raw text of a top-level member; empty when it is absent.
std::string_view raw_member(const request_input& in, std::string_view key);

/// errc::not_found: a Responses request continues a stored response. Where none is stored, or not
/// with every credential, dropping the reference would answer another question than was asked.
result<void> check_stands_alone(const request_input& in);

/// A base URL with the path, where a base that already ends in the path's version keeps it once.
std::string join_url(std::string_view base, std::string_view version, std::string_view path);

/// Adds the operator's headers, `$Name` taken from the client, and checks all of them.
/// errc::invalid_input names the header, never its value.
result<upstream_request> finish(upstream_request request, const request_input& in);

}  // namespace tidegate::provider
