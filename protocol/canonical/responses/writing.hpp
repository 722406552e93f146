#pragma once
/// What the writers of a request share.

#include <algorithm>
#include <string>
#include <string_view>

#include "protocol/canonical/json_out.hpp"
#include "protocol/canonical/responses/request_out.hpp"
#include "protocol/canonical/result_plan.hpp"

namespace tidegate::protocol::responses {

struct writing {
  writing(const canonical_request& request, const target_caps& target, std::string& body)
      : in(request), caps(target), out(body), results(request.turns) {}

  void lose(std::string_view rule) {
    if (std::ranges::find(lost, rule) == lost.end()) lost.push_back(rule);
  }
  /// The name on the wire; one that came from Responses is legal there already.
  raw_text name_of(raw_text name, tool_kind kind) {
    return own ? name : raw_text{names.wire_name(plain(name), {}, kind)};
  }
  /// Marks are an extension of clients; only such a request keeps them.
  void mark(const cache_mark& cache) {
    if (!cache) return;
    if (own) {
      out.key("cache_control").raw(*cache);
    } else {
      lose(lossy::cache_control);
    }
  }

  const canonical_request& in;
  const target_caps& caps;
  json_out out;
  lossy_notes lost;
  name_map names{name_rules{}};
  result_plan results;
  bool own = in.source == wire::openai_responses;
};

/// `instructions`, when there are any.
void write_instructions(writing& w);
void write_input(writing& w);
/// `tools`, `tool_choice` and `parallel_tool_calls`.
void write_tools(writing& w);

}  // namespace tidegate::protocol::responses
