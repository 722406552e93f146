#include "protocol/canonical/responses/ending_out.hpp"

namespace tidegate::protocol::responses {
namespace {

failure_kind kind_of(int status) {
  switch (status) {
    case 400:
      return failure_kind::invalid_request;
    case 413:
      return failure_kind::body_too_large;
    case 408:
    case 504:
      return failure_kind::upstream_timeout;
    default:
      return failure_kind::upstream_failure;
  }
}

}  // namespace

failure failure_from(const failed_event& what, const answer_context& with) {
  failure out;
  out.kind = kind_of(what.status);
  out.message = what.message;
  out.model = with.model;
  return out;
}

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
  return {"incomplete", "other"};
}

}  // namespace tidegate::protocol::responses
