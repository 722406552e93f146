#include "http/exchange/payload_body.hpp"

#include "http/server/body_decoder.hpp"

namespace tidegate::http {

result<std::unique_ptr<payload_body>> payload_body_of(const protocol::payload_options& rules,
                                                      const protocol::payload_call& call,
                                                      const std::string& body,
                                                      const protocol::envelope& head) {
  auto text = protocol::apply_payload_rules(rules, call, body, head, body_padding);
  if (!text) return std::unexpected{text.error()};
  if (!*text) return nullptr;
  auto changed = std::make_unique<payload_body>();
  changed->text = std::move(**text);
  auto read = protocol::read_envelope(changed->text);
  if (!read) return failed(read.error().code, "payload rules: " + read.error().detail);
  changed->head = std::move(*read);
  return changed;
}

bool takes_payload_rules(protocol::surface s) {
  return protocol::generates(s) || s == protocol::surface::responses_compact;
}

}  // namespace tidegate::http
