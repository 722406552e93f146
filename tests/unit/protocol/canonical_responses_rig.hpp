#pragma once
/// Short ways into the Responses codec for its tests.

#include "protocol/canonical/codec.hpp"
#include "protocol/canonical/responses/request_in.hpp"
#include "protocol/canonical/responses/request_out.hpp"

#include <simdjson.h>

#include <memory>
#include <string>
#include <utility>

namespace tidegate::test {

/// A body and what it means; the body outlives the request's views.
struct decoded {
  explicit decoded(std::string text) : body(std::make_unique<std::string>(std::move(text))) {
    body->reserve(body->size() + simdjson::SIMDJSON_PADDING);
    what = protocol::responses::decode_request(*body, "m");
  }
  const protocol::canonical_request& operator*() const { return *what; }
  const protocol::canonical_request* operator->() const { return &*what; }

  std::unique_ptr<std::string> body;
  result<protocol::canonical_request> what;
};

inline protocol::target_caps gpt() {
  protocol::target_caps caps;
  caps.owner = protocol::token_owner::gpt;
  return caps;
}

inline std::string gpt_token() {
  return "gAAAAA" + std::string(120, 'x');
}

}  // namespace tidegate::test
