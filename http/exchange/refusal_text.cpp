#include "http/exchange/refusal_text.hpp"

#include <algorithm>
#include <iterator>

#include "base/text.hpp"
#include "protocol/upstream_error.hpp"

namespace tidegate::http {
namespace {

using protocol::failure_kind;
using quota::verdict_kind;

failure_kind kind_of(verdict_kind verdict) {
  switch (verdict) {
    case verdict_kind::usage_limit: return failure_kind::usage_limit;
    case verdict_kind::busy: return failure_kind::busy;
    case verdict_kind::model_cooldown: return failure_kind::model_cooldown;
    case verdict_kind::auth_required: return failure_kind::auth_required;
    case verdict_kind::auth_not_found: return failure_kind::auth_not_found;
    case verdict_kind::auth_unavailable:
    case verdict_kind::last_error:
    case verdict_kind::selectable: return failure_kind::auth_unavailable;
  }
  return failure_kind::internal;
}

/// Retry-After of a relayed error: never earlier than the first credential that reopens, and at
/// least the second that every retryable answer states.
std::chrono::seconds wait_of(const quota::verdict& verdict, const upstream_error& last,
                             instant now) {
  const auto until = verdict.reset_at ? verdict.reset_at : last.deadline;
  if (!until) return std::chrono::seconds{1};
  return std::max(std::chrono::seconds{1}, std::chrono::ceil<std::chrono::seconds>(*until - now));
}

/// Passed headers take the place of ours with the same name, except for the content type, which
/// belongs to the body that is really sent.
void pass_on(const std::vector<protocol::header>& passed, protocol::reply& reply) {
  std::erase_if(reply.headers, [&](const auto& own) {
    return !equal_ignoring_case(own.first, "Content-Type") &&
           std::ranges::any_of(passed, [&](const auto& p) {
             return equal_ignoring_case(p.first, own.first);
           });
  });
  std::ranges::copy_if(passed, std::back_inserter(reply.headers), [](const auto& header) {
    return !equal_ignoring_case(header.first, "Content-Type");
  });
}

}  // namespace

protocol::failure failure_of(const upstream_error& last, const std::string& model) {
  protocol::failure what;
  what.kind = !last.refused.empty() ? failure_kind::invalid_request
              : last.unasked        ? failure_kind::busy
              : last.timed_out      ? failure_kind::upstream_timeout
                                    : failure_kind::upstream_failure;
  what.code = last.refused;
  what.model = model;
  what.message = last.detail;
  return what;
}

protocol::reply answer_of(protocol::wire form, const quota::verdict& verdict,
                          const std::string& model, const std::optional<upstream_error>& last,
                          instant now) {
  const bool relays = verdict.kind == verdict_kind::last_error ||
                      (verdict.kind == verdict_kind::selectable && last);
  const bool sounds_final = last && last->sounds_final;
  if (relays && last && !sounds_final) {
    if (last->status == 0) return protocol::encode_failure(form, failure_of(*last, model), now);
    auto reply = protocol::relay_error(form, last->status, last->body, last->content_type,
                                       wait_of(verdict, *last, now));
    pass_on(last->headers, reply);
    return reply;
  }
  protocol::failure what;
  what.kind = relays && sounds_final ? failure_kind::model_cooldown : kind_of(verdict.kind);
  what.model = model;
  what.providers = verdict.providers;
  what.last_error = verdict.last_error;
  what.reset_at = verdict.reset_at;
  what.window = verdict.window;
  if (verdict.kind == verdict_kind::selectable || (relays && !what.reset_at)) what.reset_at = now;
  return protocol::encode_failure(form, what, now);
}

}  // namespace tidegate::http
