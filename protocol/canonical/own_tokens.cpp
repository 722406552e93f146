#include "protocol/canonical/own_tokens.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>

#include "protocol/canonical/gemini/tokens.hpp"
#include "protocol/canonical/messages/token_form.hpp"
#include "protocol/canonical/responses/tokens.hpp"
#include "protocol/splice.hpp"

namespace tidegate::protocol {
namespace {

/// The members of an own protocol that hold the conversation and its tokens, with their quotes.
struct token_members {
  std::string_view conversation;
  std::string_view token;
};

token_members members_of(wire form) {
  switch (form) {
    case wire::openai_responses: return {"input", R"("encrypted_content")"};
    case wire::anthropic_messages: return {"messages", R"("signature")"};
    case wire::gemini: return {"contents", R"("thoughtSignature")"};
    case wire::openai_chat: break;  // its tokens stand in an extension that is no one's own
  }
  return {};
}

/// A member's value and all that follows; `rest` begins behind the key.
std::string_view value_in(std::string_view rest) {
  const auto skip_blanks = [&rest] {
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t\r\n"), rest.size()));
  };
  skip_blanks();
  if (!rest.starts_with(':')) return {};
  rest.remove_prefix(1);
  skip_blanks();
  return rest;
}

/// Whether `holds` answers true for the value of a member with this key, which has its quotes. The
/// search skips most bytes: bodies are large and tokens rare.
template <class Predicate>
bool any_value(std::string_view body, std::string_view key, Predicate holds) {
  const std::boyer_moore_horspool_searcher search(key.begin(), key.end());
  auto at = body.begin();
  while (true) {
    const auto [found, behind] = search(at, body.end());
    if (found == body.end()) return false;
    if (holds(value_in({behind, body.end()}))) return true;
    at = behind;
  }
}

/// The inside of a string token; nullopt for another kind of value.
std::optional<std::string_view> string_at(std::string_view value) {
  if (!value.starts_with('"')) return std::nullopt;
  return value.substr(1, value.find('"', 1) - 1);
}

token_owner owner_of(wire form, std::string_view token) {
  switch (form) {
    case wire::openai_responses: return responses::token_of({token}).token.owner;
    case wire::anthropic_messages: return messages::read_token(token).owner;
    case wire::gemini:
      return gemini::is_sentinel(token) ? token_owner::gemini : gemini::owner_of(token);
    case wire::openai_chat: break;
  }
  return token_owner::unknown;
}

/// A form that nobody is known for may be a new one of the reader's own.
bool is_foreign(wire form, token_owner reader, std::string_view token) {
  const auto owner = owner_of(form, token);
  return token.empty() || (owner != reader && owner != token_owner::unknown);
}

/// Thinking of a Messages body has a text and, when it is Claude's, a signature behind it.
bool has_unsigned_thinking(std::string_view body, std::size_t signatures) {
  std::size_t texts = 0;
  return any_value(body, R"("thinking")", [&](std::string_view value) {
    if (value.starts_with('"')) ++texts;
    return texts > signatures;
  });
}

bool is_unsigned(const part& one, token_owner reader) {
  const auto* const thought = std::get_if<reasoning_part>(&one);
  if (thought == nullptr) return false;
  return !thought->token || thought->token->bytes.empty() || thought->token->owner != reader;
}

}  // namespace

bool may_hold_foreign_tokens(wire form, const token_reader& reader, std::string_view body) {
  const auto key = members_of(form).token;
  if (key.empty()) return false;
  std::size_t tokens = 0;
  const bool foreign = any_value(body, key, [&](std::string_view value) {
    const auto token = string_at(value);
    if (token) ++tokens;
    return token && is_foreign(form, reader.owner, *token);
  });
  if (foreign) return true;
  if (form == wire::anthropic_messages && reader.owner == token_owner::claude) {
    return has_unsigned_thinking(body, tokens);
  }
  if (form != wire::openai_responses || !reader.stateless) return false;
  // Reasoning items have a list of summaries, and what encrypts them beside it.
  std::size_t items = 0;
  return any_value(body, R"("summary")", [&](std::string_view value) {
    if (value.starts_with('[')) ++items;
    return items > tokens;
  });
}

std::string with_own_tokens(const canonical_request& call, wire form, const token_reader& reader,
                            const std::string& body, const envelope& head) {
  auto kept = call;
  if (form == wire::openai_responses && reader.stateless) {
    for (auto& turn : kept.turns) {
      std::erase_if(turn.parts, [&](const part& one) { return is_unsigned(one, reader.owner); });
    }
  }
  target_caps caps;
  caps.owner = reader.owner;
  const auto spelled = codec_of(form).encode_request(kept, head.model, caps).body;
  const auto layout = read_envelope(spelled);
  if (!layout) return body;
  splice edits{body, head};
  const auto name = members_of(form).conversation;
  if (const auto* const found = layout->find(name)) {
    edits.set(name, spelled.substr(found->value_offset, found->value_size));
  }
  if (form == wire::anthropic_messages && layout->find("thinking") == nullptr) {
    edits.remove("thinking");
  }
  return edits.str();
}

}  // namespace tidegate::protocol
