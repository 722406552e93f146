#include "protocol/canonical/own_tokens.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <utility>

#include "protocol/canonical/gemini/tokens.hpp"
#include "protocol/canonical/messages/token_form.hpp"
#include "protocol/canonical/responses/tokens.hpp"
#include "protocol/json_edit.hpp"
#include "protocol/json_items.hpp"
#include "protocol/json_object.hpp"
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

/// A token's owner, and its bytes as that owner reads them.
opaque_token read(wire form, std::string_view token) {
  switch (form) {
    case wire::openai_responses: return responses::token_of({token}).token;
    case wire::anthropic_messages: return messages::read_token(token);
    case wire::gemini: {
      opaque_token out;
      out.owner = gemini::is_sentinel(token) ? token_owner::gemini : gemini::owner_of(token);
      out.bytes = {token};
      return out;
    }
    case wire::openai_chat: break;
  }
  return {};
}

/// The bytes that the reader takes; nullopt when it takes none of it. A form that nobody is known
/// for may be a new one of the reader's own.
std::optional<std::string_view> own_form(wire form, token_owner reader, std::string_view token) {
  const auto found = read(form, token);
  const bool own = found.owner == reader || found.owner == token_owner::unknown;
  if (token.empty() || !own) return std::nullopt;
  return found.owner == reader ? found.bytes.escaped : token;
}

/// Thinking of a Messages body has a text and, when it is Claude's, a signature behind it.
bool has_unsigned_thinking(std::string_view body, std::size_t signatures) {
  std::size_t texts = 0;
  return any_value(body, R"("thinking")", [&](std::string_view value) {
    if (value.starts_with('"')) ++texts;
    return texts > signatures;
  });
}

/// What a search of another provider found has empty places where Claude's has its own marks.
bool has_unmarked_search(std::string_view body) {
  constexpr std::string_view keys[] = {R"("encrypted_content")", R"("encrypted_index")"};
  return std::ranges::any_of(keys, [&](std::string_view key) {
    return any_value(body, key, [](std::string_view value) { return value.starts_with(R"("")"); });
  });
}

/// What becomes of one element, as `element_change` has it.
using change = std::optional<std::string>;

const std::string removed;

std::string quoted(std::string_view raw) { return std::string{'"'}.append(raw).append(1, '"'); }

/// `element` with its token in the reader's own form, taken out when the reader takes none of it.
/// nullopt: it has no token.
std::optional<change> with_own_token(std::string_view element, std::string_view member, wire form,
                                     token_owner reader) {
  const auto token = inside_of(member_of(element, member));
  if (token.empty()) return std::nullopt;
  const auto own = own_form(form, reader, token);
  if (!own) return change{removed};
  if (*own == token) return change{};
  return change{with_member(element, member, quoted(*own))};
}

change own_item(const token_reader& reader, std::string_view item) {
  if (inside_of(member_of(item, "type")) != "reasoning") return std::nullopt;
  constexpr std::string_view member = "encrypted_content";
  if (const auto told = with_own_token(item, member, wire::openai_responses, reader.owner)) {
    return *told;
  }
  const bool stored = !reader.stateless && !string_at(member_of(item, member));
  return stored ? change{} : change{removed};
}

/// `block` with a list that has no elements whose `mark` is empty.
change with_marked(std::string_view block, std::string_view list, std::string_view mark) {
  auto marked = with_elements(member_of(block, list), [&](std::string_view element) {
    return member_of(element, mark) == R"("")" ? change{removed} : std::nullopt;
  });
  if (!marked) return std::nullopt;
  return with_member(block, list, std::move(*marked));
}

change own_block(const token_reader& reader, std::string_view block) {
  const auto type = inside_of(member_of(block, "type"));
  if (reader.owner == token_owner::claude) {
    if (type == "text") return with_marked(block, "citations", "encrypted_index");
    if (type == "web_search_tool_result") return with_marked(block, "content", "encrypted_content");
  }
  const bool hidden = type == "redacted_thinking";
  if (!hidden && type != "thinking") return std::nullopt;
  const std::string_view member = hidden ? "data" : "signature";
  const auto told = with_own_token(block, member, wire::anthropic_messages, reader.owner);
  if (told && *told != removed) return *told;
  // All but Claude read what was thought without any token, whoever thought it.
  const bool says = !hidden && !inside_of(member_of(block, "thinking")).empty();
  if (!says || reader.owner == token_owner::claude) return removed;
  return told ? without_member(block, member) : change{};
}

change own_part(const token_reader& reader, std::string_view part) {
  constexpr std::string_view member = "thoughtSignature";
  const auto token = string_at(member_of(part, member));
  if (!token || own_form(wire::gemini, reader.owner, *token)) return std::nullopt;
  const bool calls = !member_of(part, "functionCall").empty();
  return calls ? with_member(part, member, quoted(gemini::skip_signature))
               : without_member(part, member);
}

/// One turn with its parts changed; taken out when it has none left.
change with_parts(std::string_view turn, std::string_view member, const element_change& each) {
  auto parts = with_elements(member_of(turn, member), each);
  if (!parts) return std::nullopt;
  if (items_of(*parts)->empty()) return removed;
  return with_member(turn, member, std::move(*parts));
}

change own_element(wire form, const token_reader& reader, std::string_view element) {
  switch (form) {
    case wire::openai_responses: return own_item(reader, element);
    case wire::anthropic_messages:
      return with_parts(element, "content",
                        [&](std::string_view block) { return own_block(reader, block); });
    case wire::gemini:
      return with_parts(element, "parts",
                        [&](std::string_view part) { return own_part(reader, part); });
    case wire::openai_chat: break;
  }
  return std::nullopt;
}

}  // namespace

bool may_hold_foreign_tokens(wire form, const token_reader& reader, std::string_view body) {
  const auto key = members_of(form).token;
  if (key.empty()) return false;
  std::size_t tokens = 0;
  const bool foreign = any_value(body, key, [&](std::string_view value) {
    const auto token = string_at(value);
    if (token) ++tokens;
    return token && own_form(form, reader.owner, *token) != token;
  });
  if (foreign) return true;
  if (form == wire::anthropic_messages && reader.owner == token_owner::claude) {
    return has_unsigned_thinking(body, tokens) || has_unmarked_search(body);
  }
  if (form != wire::openai_responses || !reader.stateless) return false;
  // Reasoning items have a list of summaries, and what encrypts them beside it.
  std::size_t items = 0;
  return any_value(body, R"("summary")", [&](std::string_view value) {
    if (value.starts_with('[')) ++items;
    return items > tokens;
  });
}

std::string with_own_tokens(wire form, const token_reader& reader, const std::string& body,
                            const envelope& head) {
  const auto name = members_of(form).conversation;
  const auto* const found = head.find(name);
  if (found == nullptr) return body;
  auto own = with_elements(value_of(body, *found), [&](std::string_view element) {
    return own_element(form, reader, element);
  });
  if (!own) return body;
  splice edits{body, head};
  edits.set(name, std::move(*own));
  return edits.str();
}

}  // namespace tidegate::protocol
