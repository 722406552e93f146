#pragma once
/// Content blocks of a request, straight into its body.

#include <string>

#include "protocol/canonical/json_out.hpp"
#include "protocol/canonical/messages/conversation.hpp"
#include "protocol/canonical/messages/kept_parts.hpp"
#include "protocol/canonical/messages/wire_names.hpp"

namespace tidegate::protocol::messages {

class block_writer {
 public:
  block_writer(json_out& out, const canonical_request& what, const target_caps& caps,
               wire_names& names, lossy_notes& lost)
      : out_(out), what_(what), caps_(caps), names_(names), lost_(lost) {}

  void message(const planned_message& one, const conversation& in);
  void text(raw_text words, const cache_mark& cache);

 private:
  void part_block(const part& one);
  void medium(const media_part& one);
  void source(const media_part& one);
  void thinking(const reasoning_part& one);
  void server_call(const tool_call_part& one);
  void call(const planned_call& one);
  void arguments(const tool_call_part& one);
  void result(const planned_call& one);
  void result_content(const tool_result_part& one);
  void mark(const cache_mark& cache);

  json_out& out_;
  const canonical_request& what_;
  const target_caps& caps_;
  wire_names& names_;
  lossy_notes& lost_;
};

}  // namespace tidegate::protocol::messages
