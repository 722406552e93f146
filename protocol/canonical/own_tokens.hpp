#pragma once
/// Conversations that were had with several providers, on their way to one that speaks the client's
/// own protocol. Such a request is passed on as it was written, but signatures and encrypted
/// reasoning of other owners are refused by the provider (translation.md 4.7): they are cut out, and
/// every other byte stays. Pure; never throws.

#include <string>
#include <string_view>

#include "protocol/canonical/parts.hpp"
#include "protocol/envelope.hpp"
#include "protocol/surface.hpp"

namespace tidegate::protocol {

struct token_reader {
  token_owner owner = token_owner::unknown;
  /// Responses: nothing is stored, so that reasoning without encrypted content means nothing.
  bool stateless = false;
};

/// Whether a body has to be looked at: a token whose form is another owner's, or thinking without
/// any. Looks at the members' text only; one pass without a parser.
bool may_hold_foreign_tokens(wire form, const token_reader& reader, std::string_view body);

/// `body`, whose envelope is `head`, with the conversation as `reader` accepts it: Responses without
/// such reasoning items, Messages without such thinking and, for Claude, without the findings of
/// other providers' searches, Gemini without such signatures, where a call gets the one that stands
/// for none.
std::string with_own_tokens(wire form, const token_reader& reader, const std::string& body,
                            const envelope& head);

}  // namespace tidegate::protocol
