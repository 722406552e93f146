#pragma once
/// The body of one attempt after the operator's payload rules. Owner: one model_call, on its
/// strand.

#include <memory>
#include <string>

#include "base/error.hpp"
#include "protocol/envelope.hpp"
#include "protocol/payload_rules.hpp"

namespace tidegate::http {

/// Does not move: the envelope holds views of the text.
struct payload_body {
  std::string text;
  protocol::envelope head;
};

/// Null: no rule changes this body. errc::limit_exceeded: rules make it too large;
/// errc::invalid_input: what they made of it cannot be sent.
result<std::unique_ptr<payload_body>> payload_body_of(const protocol::payload_options& rules,
                                                      const protocol::payload_call& call,
                                                      const std::string& body,
                                                      const protocol::envelope& head);

/// Whether rules act on calls of a surface: token counts take no settings of an answer.
bool takes_payload_rules(protocol::surface s);

}  // namespace tidegate::http
