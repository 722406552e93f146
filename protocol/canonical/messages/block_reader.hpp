#pragma once
/// Content blocks of a request as parts. One pass over the body; every text stays a view of it.

#include <string_view>
#include <vector>

#include "protocol/canonical/json_in.hpp"
#include "protocol/canonical/messages/place.hpp"
#include "protocol/canonical/parts.hpp"

namespace tidegate::protocol::messages {

/// Members of an object; fails at the place when the object is broken.
template <class Visit>
bool members_of(json_in::value& v, place& at, Visit visit) {
  json_in::object inner;
  if (json_in::type_of(v) != json_in::json_type::object || v.get_object().get(inner)) {
    return at.fail("must be an object");
  }
  return json_in::each_member(inner, visit) || at.fail("is no valid JSON");
}

inline bool is_null(json_in::value& v) { return json_in::type_of(v) == json_in::json_type::null; }

/// A string member; null is as good as absent.
bool take_text(json_in::value& v, std::string_view key, place& at, raw_text& out);

bool take_mark(json_in::value& v, cache_mark& out);

class block_reader {
 public:
  block_reader(text_store& texts, place& at) : texts_(texts), at_(at) {}

  /// `content`: a string or a list of blocks. Appends; false when the place has failed.
  bool content(json_in::value& v, std::vector<part>& into);
  /// A document had a context or asked for citations, which no part has a place for.
  bool has_document_notes() const { return document_notes_; }

 private:
  bool block(json_in::value& v, std::vector<part>& into);
  bool search_result(json_in::object& of, unknown_part& into);
  bool text(json_in::object& of, std::vector<part>& into);
  bool thinking(json_in::object& of, bool redacted, std::vector<part>& into);
  bool call(json_in::object& of, tool_kind kind, std::vector<part>& into);
  bool tool_result(json_in::object& of, std::vector<part>& into);
  bool result_content_of(json_in::value& v, tool_result_part& into);
  bool medium(json_in::object& of, media_kind kind, std::vector<part>& into);
  bool source(json_in::value& v, media_part& out, std::vector<part>& texts);
  bool source_members(json_in::object& of, std::string_view kind, media_part& out,
                      std::vector<part>& texts);
  bool citations(json_in::value& v, std::vector<citation>& into);
  std::optional<opaque_token> token(raw_text written);

  template <class Visit>
  bool members(json_in::object& of, Visit visit) {
    return json_in::each_member(of, visit) || at_.fail("is no valid JSON");
  }

  text_store& texts_;
  place& at_;
  bool document_notes_ = false;
};

}  // namespace tidegate::protocol::messages
