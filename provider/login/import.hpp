#pragma once
/// Credential files that exist already: this gateway's own, and those that vendors' programs keep
/// (Codex's `auth.json`, Claude's `.credentials.json`, Google's service account keys). Pure.
/// Forms as their programs write them; nothing in them is verified but what a credential file
/// needs.

#include <cstdint>
#include <string>
#include <string_view>

#include "provider/login/account_file.hpp"
#include "provider/options.hpp"

namespace tidegate::provider::login {

enum class file_origin : std::uint8_t {
  own,              ///< a credential file as it is
  codex_program,    ///< `{"tokens": {...}}`
  claude_program,   ///< `{"claudeAiOauth": {...}}`
  service_account,  ///< `{"type": "service_account", ...}`
};

struct imported_file {
  account_file file;
  file_origin origin = file_origin::own;
  kind of = kind::codex;
  /// The name says whose account it is, so that a file of this name is the same account's.
  bool named_by_account = false;
};

/// `name` is the file's own, without a path. errc::limit_exceeded, errc::invalid_input: nothing
/// that can be used, with what is wrong.
result<imported_file> import_account(std::string_view text, std::string_view name, instant now);

/// Where a service account's calls go.
struct vertex_choice {
  std::string location;  ///< empty = the default
  std::string prefix;    ///< model prefix; empty = none
};

/// The credential file of a service account key. errc::invalid_input: `invalid json`, or what the
/// key lacks.
result<account_file> vertex_file(std::string_view key, const vertex_choice& choice);

}  // namespace tidegate::provider::login
