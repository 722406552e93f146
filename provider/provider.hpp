#pragma once
/// What is particular to one upstream, as plain functions on values: build the request, classify
/// the reply. One folder per provider, one row each in registry.cpp.

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/time.hpp"
#include "protocol/canonical/request.hpp"
#include "protocol/envelope.hpp"
#include "protocol/splice.hpp"
#include "protocol/sse.hpp"
#include "protocol/surface.hpp"
#include "protocol/thinking.hpp"
#include "provider/answer_edit.hpp"
#include "provider/credential.hpp"
#include "quota/outcome.hpp"
#include "quota/windows.hpp"

namespace tidegate::provider {

class credential_fields;

/// Case-insensitive look-up in somebody's headers; nullopt when absent.
using header_lookup = std::function<std::optional<std::string_view>(std::string_view name)>;

struct request_input {
  const credential& who;
  protocol::surface surface;
  std::string_view upstream_model;  ///< without a thinking suffix
  std::string_view query;           ///< client's query without `key` and `auth_token`
  const std::string& body;          ///< decoded client body
  const protocol::envelope& head;   ///< of `body`
  const header_lookup& client_header;
  std::span<const protocol::member_edit> edits{};  ///< of the body, before the provider's own
  const protocol::canonical_request* call = nullptr;  ///< of a translated one; null: passed on
  instant now{};
  std::string_view header_session{};  ///< the conversation by the client's headers; empty: unnamed

  /// The client's conversation: by its body, else by its headers; empty when neither names one.
  std::string_view session() const {
    return head.session ? std::string_view{*head.session} : header_session;
  }
};

struct upstream_header {
  std::string name;
  std::string value;
  bool secret = false;  ///< never logged
};

/// A request ready to send. `body` is kept in pieces; its views point into the client's body and
/// into `owned`, so it must not outlive the request_input's body.
struct upstream_request {
  std::string method = "POST";
  std::string url;                       ///< scheme://host[:port]/path[?query]
  std::string other_url;                 ///< where else it can be asked; empty = nowhere
  std::vector<upstream_header> headers;  ///< without Host, Content-Length, Connection
  std::vector<std::string_view> body;
  std::vector<std::unique_ptr<std::string>> owned;
  bool streams = false;  ///< an SSE reply is expected
  bool fold = false;     ///< client wants a whole body, upstream only streams
  std::unique_ptr<answer_edit> answer;  ///< null: the answer is read as it comes
};

/// What came back, before the first payload byte went to the client.
struct reply_view {
  int status = 0;
  const header_lookup& header;
  std::string_view body;  ///< bounded error body, Content-Encoding undone
};

/// Circumstances of an attempt that classification needs.
struct attempt_view {
  const credential& who;
  protocol::surface surface;
  std::string_view upstream_model;
  instant started_at{};
  instant observed_at{};
  int fuzz_seconds = 1;            ///< 1..30, injected; only Claude adds it
  bool codex_model_level = false;  ///< oauth.providers.codex.model-level-cooling
  bool claude_model_level = false;
  const quota::window_report* windows = nullptr;  ///< the latest of the same reply; null: none
};

/// How one call is spelled.
struct speech {
  protocol::wire form;                  ///< its protocol
  protocol::thinking_dialect thinking;  ///< how the provider is told how much to think
  protocol::token_owner owner = protocol::token_owner::unknown;  ///< whose opaque tokens it reads
  bool call_ids = true;       ///< Gemini: the ids of calls are taken
  bool images = true;         ///< Chat: pictures are taken
};

/// What only some providers need.
struct peculiarities {
  /// A pattern of names of the family that this credential cannot call; empty: it calls them all.
  /// Null: no credential is like that.
  std::string_view (*unreachable)(const credential& who) = nullptr;
  /// Whether a failed attempt is made once more at the request's other_url. Null: never.
  bool (*is_local)(const quota::outcome& failed) = nullptr;
};

/// One upstream kind. Function pointers, so that the table is a constant.
struct descriptor {
  kind id;
  std::string_view name;
  /// How a call of this surface is spelled for this model. A provider may speak several protocols.
  speech (*speaks)(protocol::surface s, std::string_view upstream_model);
  /// Whether this provider speaks the surface's own protocol, for some of its models at least.
  bool (*serves)(protocol::surface s);
  /// errc::invalid_input: this provider cannot be asked that. errc::not_found: it names a stored
  /// response, and the provider stores none.
  result<upstream_request> (*build_request)(const request_input& in);
  /// What a credential file of this type says about its account; the settings that all types have
  /// are read already. Null: there are no such files.
  void (*read_account)(credential& made, credential_fields& fields);
  /// A reply with an error status. Never returns outcome_class::success.
  quota::outcome (*classify)(const reply_view& reply, const attempt_view& attempt);
  /// An in-band error frame (frame_role::error) of a stream that began with 2xx and this head.
  quota::outcome (*classify_frame)(const protocol::sse_frame& frame, const header_lookup& header,
                                   const attempt_view& attempt);
  /// Quota windows from reply headers of any status; nullopt when there are none.
  std::optional<quota::window_report> (*windows)(const header_lookup& header, instant now);
  /// Quota windows from a telemetry frame; nullopt when it is none.
  std::optional<quota::window_report> (*frame_windows)(const protocol::sse_frame& frame,
                                                       instant now);
  /// Known model names for the list, and whether an unlisted name belongs to the family.
  std::span<const std::string_view> listed_models;
  bool (*is_family)(std::string_view model);
  peculiarities odd;
};

/// Every provider of this build, in the order of `kind`.
std::span<const descriptor> registry();
const descriptor& descriptor_of(kind k);
/// Whether a call of this surface can go there, in the provider's own protocol or translated.
bool can_serve(const descriptor& who, protocol::surface s);
/// Whether a call of this surface to this model needs no translation.
bool serves_natively(const descriptor& who, protocol::surface s, std::string_view upstream_model);

/// Whether the credential's endpoint keeps no answers: what a request refers to has to be in it.
bool stores_nothing(const credential& who);

/// Outcomes without a reply: `status` 0. `detail` is for people.
quota::outcome transport_failure(std::string_view detail, const attempt_view& attempt);
quota::outcome lifecycle_end(std::string_view detail, const attempt_view& attempt);

/// Applies the credential's `request-scoped-errors` to a classified outcome (spec 2.7): the first
/// rule whose status and pattern match decides; before all built-in rules.
void apply_error_rules(quota::outcome& what, const credential& who, std::string_view raw_body);

/// Takes bearer tokens, API keys and file paths out of a text and cuts it to 256 characters.
std::string redact(std::string_view text);

/// Takes the credential's own secret, also as JSON escapes it, out of what goes to a client.
void hide_secret(std::string& text, const credential& who);

}  // namespace tidegate::provider
