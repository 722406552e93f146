#include "protocol/canonical/responses/ending_out.hpp"

namespace tidegate::protocol::responses {

failed_event cut_short() {
  return {502, "", "", "upstream stream closed before the answer was complete"};
}

ending ending_of(finish_reason reason, bool refused) {
  switch (reason) {
    case finish_reason::stop:
    case finish_reason::stop_sequence:
    case finish_reason::tool_use:
    case finish_reason::pause:
      return {};
    case finish_reason::length:
    case finish_reason::context_exceeded:
      return {"incomplete", "max_output_tokens"};
    case finish_reason::content_filter:
      return {"incomplete", "content_filter"};
    case finish_reason::refusal:
      return refused ? ending{} : ending{"incomplete", "content_filter"};
    case finish_reason::other:
      break;
  }
  return {"incomplete", {}};
}

}  // namespace tidegate::protocol::responses
